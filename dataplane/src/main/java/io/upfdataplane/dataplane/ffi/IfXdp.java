package io.upfdataplane.dataplane.ffi;

/** Numbers of the kernel's AF_XDP interface ({@code linux/if_xdp.h}, {@code linux/if_link.h}), used with {@link Libc}. */
public final class IfXdp {
    public static final int SOL_XDP = 283;

    public static final int XDP_MMAP_OFFSETS = 1;
    public static final int XDP_RX_RING = 2;
    public static final int XDP_TX_RING = 3;
    public static final int XDP_UMEM_REG = 4;
    public static final int XDP_UMEM_FILL_RING = 5;
    public static final int XDP_UMEM_COMPLETION_RING = 6;
    public static final int XDP_STATISTICS = 7;
    public static final int XDP_OPTIONS = 8;

    /** Descriptors sent in one call, in copy mode; 32 without it. Since Linux 6.17. */
    public static final int XDP_MAX_TX_SKB_BUDGET = 9;

    /** Flag in the value of {@link #XDP_OPTIONS}: bound without copy. */
    public static final int XDP_OPTIONS_ZEROCOPY = 1;

    /** Flags of {@code struct sockaddr_xdp}. */
    public static final int XDP_SHARED_UMEM = 1;

    public static final int XDP_COPY = 1 << 1;
    public static final int XDP_ZEROCOPY = 1 << 2;
    public static final int XDP_USE_NEED_WAKEUP = 1 << 3;

    /** Flag of a ring: the kernel sleeps until it is called. */
    public static final int XDP_RING_NEED_WAKEUP = 1;

    /** Offsets at which the rings of a socket are mapped. */
    public static final long XDP_PGOFF_RX_RING = 0;

    public static final long XDP_PGOFF_TX_RING = 0x8000_0000L;
    public static final long XDP_UMEM_PGOFF_FILL_RING = 0x1_0000_0000L;
    public static final long XDP_UMEM_PGOFF_COMPLETION_RING = 0x1_8000_0000L;

    /** {@code struct sockaddr_xdp}: u16 family, u16 flags, u32 ifindex, u32 queue, u32 fd of the shared UMEM. */
    public static final int SOCKADDR_XDP_SIZE = 16;

    /** {@code struct xdp_umem_reg}: u64 address, u64 length, u32 chunk size, u32 headroom, u32 flags, u32 metadata. */
    public static final int UMEM_REG_SIZE = 32;

    /** {@code struct xdp_mmap_offsets}: for rx, tx, fill and completion four u64: producer, consumer, desc, flags. */
    public static final int MMAP_OFFSETS_SIZE = 4 * 4 * 8;

    /** {@code struct xdp_statistics}: six u64. */
    public static final int STATISTICS_SIZE = 6 * 8;

    /** {@code struct xdp_desc}: u64 address, u32 length, u32 options. */
    public static final int DESCRIPTOR_SIZE = 16;

    /** Room that the kernel leaves before a received frame. */
    public static final int XDP_PACKET_HEADROOM = 256;

    /** Flags of an XDP attachment. */
    public static final int XDP_FLAGS_UPDATE_IF_NOEXIST = 1;

    public static final int XDP_FLAGS_SKB_MODE = 1 << 1;
    public static final int XDP_FLAGS_DRV_MODE = 1 << 2;

    private IfXdp() {}
}
