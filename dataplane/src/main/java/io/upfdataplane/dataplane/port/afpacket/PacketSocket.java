package io.upfdataplane.dataplane.port.afpacket;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.Libc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One AF_PACKET socket with a receive and a transmit ring of TPACKET_V2 in one mapping. Slot i of a ring lies at {@code
 * address + i * slotBytes}. Opened and closed by the control thread.
 *
 * <p>V2 rather than V3: a slot is ours the moment it is written, where a V3 block waits up to its time-out; and one
 * socket, so one descriptor, carries both directions.
 */
final class PacketSocket implements AutoCloseable {
    private static final int SOL_PACKET = 263;
    private static final int PACKET_RX_RING = 5;
    private static final int PACKET_STATISTICS = 6;
    private static final int PACKET_COPY_THRESH = 7;
    private static final int PACKET_VERSION = 10;
    private static final int PACKET_TX_RING = 13;
    private static final int PACKET_LOSS = 14;
    private static final int PACKET_VNET_HDR = 15;
    private static final int PACKET_FANOUT = 18;
    private static final int PACKET_QDISC_BYPASS = 20;
    private static final int PACKET_FANOUT_DATA = 22;
    private static final int PACKET_IGNORE_OUTGOING = 23;

    private static final int TPACKET_V2 = 1;
    private static final int FANOUT_CBPF = 6;
    private static final int FANOUT_UNIQUE_ID = 0x2000;
    /** A group has a tap of its own: what its sockets say about outgoing frames does not count. */
    private static final int FANOUT_IGNORE_OUTGOING = 0x4000;

    private static final short ETH_P_ALL_BIG_ENDIAN = 0x0300;
    private static final int SOCKADDR_LL_BYTES = 20;
    private static final int SOCK_FPROG_BYTES = 16;
    private static final int BLOCK_BYTES = 1 << 16;
    /** Room for about 250 frames of 64 KB that do not fit a slot. */
    private static final int SOCKET_BUFFER_BYTES = 16 << 20;

    private static final int SIOCGIFFLAGS = 0x8913;
    private static final int SIOCGIFMTU = 0x8921;
    private static final int IFF_UP = 1;
    private static final int IFREQ_BYTES = 40;
    private static final int IFREQ_DATA = 16;

    private final int fd;
    private final String device;
    private long mapping;
    private long mappingBytes;
    private int slotBytes;
    private int rxSlots;
    private int txSlots;

    private PacketSocket(int fd, String device) {
        this.fd = fd;
        this.device = device;
    }

    /**
     * A socket on {@code device} that lets nothing through yet.
     *
     * @param slotBytes 2048 or 4096
     */
    static PacketSocket open(String device, int slotBytes, int rxSlots, int txSlots) throws CallFailed {
        int fd = Errno.orThrow(
                Libc.socket(Libc.AF_PACKET, Libc.SOCK_RAW | Libc.SOCK_CLOEXEC, 0), "socket(AF_PACKET, SOCK_RAW)");
        PacketSocket socket = new PacketSocket(fd, device);
        try {
            socket.configure();
            socket.map(slotBytes, rxSlots, txSlots);
            socket.filter(PacketPrograms.nothing());
            socket.bind();
            return socket;
        } catch (CallFailed e) {
            socket.close();
            throw e;
        }
    }

    /** Rings of plain memory without a socket; calls on it fail with EBADF. For warm-up. */
    static PacketSocket madeUp(int slotBytes, int slots) throws CallFailed {
        PacketSocket socket = new PacketSocket(-1, "made-up");
        socket.slotBytes = slotBytes;
        socket.rxSlots = slots;
        socket.txSlots = slots;
        socket.mappingBytes = 2L * slotBytes * slots;
        socket.mapping = Errno.orThrow(
                Libc.mmap(
                        socket.mappingBytes,
                        Libc.PROT_READ | Libc.PROT_WRITE,
                        Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS,
                        -1,
                        0),
                "mmap(made-up rings, " + socket.mappingBytes + " bytes)");
        return socket;
    }

    private void configure() throws CallFailed {
        option(PACKET_VERSION, TPACKET_V2, "PACKET_VERSION, TPACKET_V2");
        option(PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
        option(PACKET_QDISC_BYPASS, 1, "PACKET_QDISC_BYPASS");
        option(PACKET_IGNORE_OUTGOING, 1, "PACKET_IGNORE_OUTGOING");
        // A frame that the device refuses is skipped rather than stopping the ring.
        option(PACKET_LOSS, 1, "PACKET_LOSS");
        // Frames longer than a slot are queued whole besides.
        option(PACKET_COPY_THRESH, 1, "PACKET_COPY_THRESH");
        bufferSize(Libc.SO_RCVBUFFORCE, Libc.SO_RCVBUF);
        bufferSize(Libc.SO_SNDBUFFORCE, Libc.SO_SNDBUF);
    }

    /** With NET_ADMIN as large as wished, else as large as net.core allows. */
    private void bufferSize(int forced, int allowed) throws CallFailed {
        if (Libc.setsockopt(fd, Libc.SOL_SOCKET, forced, SOCKET_BUFFER_BYTES) < 0) {
            Errno.orThrow(
                    Libc.setsockopt(fd, Libc.SOL_SOCKET, allowed, SOCKET_BUFFER_BYTES), "setsockopt(socket buffer)");
        }
    }

    private void map(int slot, int rx, int tx) throws CallFailed {
        int slotsPerBlock = BLOCK_BYTES / slot;
        slotBytes = slot;
        rxSlots = Math.max(rx, slotsPerBlock);
        txSlots = Math.max(tx, slotsPerBlock);
        ring(PACKET_RX_RING, rxSlots, "PACKET_RX_RING");
        ring(PACKET_TX_RING, txSlots, "PACKET_TX_RING");
        mappingBytes = (long) slotBytes * (rxSlots + txSlots);
        mapping = Errno.orThrow(
                Libc.mmap(mappingBytes, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_SHARED, fd, 0),
                "mmap(rings of " + device + ", " + mappingBytes + " bytes)");
    }

    private void ring(int option, int slots, String name) throws CallFailed {
        try (Arena arena = Arena.ofConfined()) {
            // struct tpacket_req: block size, blocks, frame size, frames
            MemorySegment request = arena.allocateFrom(
                    ValueLayout.JAVA_INT, BLOCK_BYTES, slots * slotBytes / BLOCK_BYTES, slotBytes, slots);
            Errno.orThrow(
                    Libc.setsockopt(fd, SOL_PACKET, option, request.address(), (int) request.byteSize()),
                    "setsockopt(" + name + ", " + slots + " slots of " + slotBytes + ")");
        }
    }

    private void bind() throws CallFailed {
        int index = Errno.orThrow(Libc.ifNameToIndex(device), "if_nametoindex(" + device + ")");
        try (Arena arena = Arena.ofConfined()) {
            // struct sockaddr_ll: family, protocol, ifindex, hatype, pkttype, halen, addr[8]. All protocols: a socket
            // bound to one stands behind netdev ingress, where the guard has dropped our frames already.
            MemorySegment address = arena.allocate(SOCKADDR_LL_BYTES, 4);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) Libc.AF_PACKET);
            address.set(ValueLayout.JAVA_SHORT, 2, ETH_P_ALL_BIG_ENDIAN);
            address.set(ValueLayout.JAVA_INT, 4, index);
            Errno.orThrow(Libc.bind(fd, address.address(), SOCKADDR_LL_BYTES), "bind(" + device + ")");
        }
    }

    /** Replaces the filter. */
    void filter(ClassicBpf program) throws CallFailed {
        try (Arena arena = Arena.ofConfined()) {
            Errno.orThrow(
                    Libc.setsockopt(
                            fd,
                            Libc.SOL_SOCKET,
                            Libc.SO_ATTACH_FILTER,
                            program.assemble(arena).address(),
                            SOCK_FPROG_BYTES),
                    "setsockopt(SO_ATTACH_FILTER)");
        }
    }

    /**
     * Founds a fanout group with an id that nobody else has.
     *
     * @return the id
     */
    int found() throws CallFailed {
        int kind = FANOUT_CBPF | FANOUT_UNIQUE_ID | FANOUT_IGNORE_OUTGOING;
        option(PACKET_FANOUT, kind << 16, "PACKET_FANOUT on " + device);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8, 4);
            value.set(ValueLayout.JAVA_INT, 4, 4);
            Errno.orThrow(
                    Libc.getsockopt(fd, SOL_PACKET, PACKET_FANOUT, value.address(), value.address() + 4),
                    "getsockopt(PACKET_FANOUT)");
            return value.get(ValueLayout.JAVA_INT, 0) & 0xffff;
        }
    }

    /** Joins a group as its next member. */
    void join(int group) throws CallFailed {
        option(
                PACKET_FANOUT,
                (FANOUT_CBPF | FANOUT_IGNORE_OUTGOING) << 16 | group,
                "PACKET_FANOUT on " + device + ", group " + group);
    }

    /** Sets the program whose result chooses the member that receives a packet. */
    void steer(ClassicBpf program) throws CallFailed {
        try (Arena arena = Arena.ofConfined()) {
            Errno.orThrow(
                    Libc.setsockopt(
                            fd,
                            SOL_PACKET,
                            PACKET_FANOUT_DATA,
                            program.assemble(arena).address(),
                            SOCK_FPROG_BYTES),
                    "setsockopt(PACKET_FANOUT_DATA)");
        }
    }

    int descriptor() {
        return fd;
    }

    long rxAddress() {
        return mapping;
    }

    long txAddress() {
        return mapping + (long) rxSlots * slotBytes;
    }

    int rxSlots() {
        return rxSlots;
    }

    int txSlots() {
        return txSlots;
    }

    int slotBytes() {
        return slotBytes;
    }

    /** Frames that the kernel dropped since the last call, because the receive ring was full. */
    int takeDrops() throws CallFailed {
        try (Arena arena = Arena.ofConfined()) {
            // struct tpacket_stats: packets, drops; reading clears them
            MemorySegment value = arena.allocate(12, 4);
            value.set(ValueLayout.JAVA_INT, 8, 8);
            Errno.orThrow(
                    Libc.getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, value.address(), value.address() + 8),
                    "getsockopt(PACKET_STATISTICS)");
            return value.get(ValueLayout.JAVA_INT, 4);
        }
    }

    /** Takes a pending error (the device went down), which would otherwise wake every poll. */
    void takeError() throws CallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8, 4);
            value.set(ValueLayout.JAVA_INT, 4, 4);
            Errno.orThrow(
                    Libc.getsockopt(fd, Libc.SOL_SOCKET, 4, value.address(), value.address() + 4),
                    "getsockopt(SO_ERROR)");
        }
    }

    /** The device's MTU now. */
    int mtu() throws CallFailed {
        return interfaceRequest(SIOCGIFMTU, "SIOCGIFMTU");
    }

    boolean isUp() throws CallFailed {
        return (interfaceRequest(SIOCGIFFLAGS, "SIOCGIFFLAGS") & IFF_UP) != 0;
    }

    private int interfaceRequest(int request, String name) throws CallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ifreq = arena.allocate(IFREQ_BYTES, 8);
            ifreq.setString(0, device);
            Errno.orThrow(Libc.ioctl(fd, request, ifreq.address()), "ioctl(" + name + ", " + device + ")");
            return ifreq.get(ValueLayout.JAVA_INT, IFREQ_DATA) & (request == SIOCGIFFLAGS ? 0xffff : -1);
        }
    }

    private void option(int option, int value, String name) throws CallFailed {
        Errno.orThrow(Libc.setsockopt(fd, SOL_PACKET, option, value), "setsockopt(" + name + ")");
    }

    @Override
    public void close() {
        if (mapping > 0) {
            Libc.munmap(mapping, mappingBytes);
            mapping = 0;
        }
        Libc.close(fd);
    }
}
