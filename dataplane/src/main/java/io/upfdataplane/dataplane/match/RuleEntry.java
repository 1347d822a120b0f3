package io.upfdataplane.dataplane.match;

import io.upfdataplane.dataplane.memory.Native;

/**
 * One PDR as a worker reads it, with its FAR and QERs inlined: two cache lines, the second of which is needed only for
 * an SDF filter or a third QER. Addresses are those of the entry; immutable once published.
 *
 * <pre>
 *  0 TEID 4 | 4 UE address 4 | 8 flags 4 | 12 next hop 4 | 16 peer TEID 4 | 20 peer address 4 | 24 PDR ID 4 | 28 free
 * 32 first QER: bucket 8, kbit/s 8 | 48 second QER: bucket 8, kbit/s 8
 * 64 first SDF filter 32 | 96 third QER: bucket 8, kbit/s 8 | 112 further SDF filters 8 | 120 free
 * </pre>
 */
public final class RuleEntry {
    public static final int SIZE = 128;

    /** Most QERs with a bit rate that one PDR can have. */
    public static final int MOST_METERS = 3;

    /** Counted and policed as downlink. */
    public static final int DOWNLINK = 1;

    public static final int HAS_FILTER = 1 << 1;
    public static final int MATCH_QFI = 1 << 2;
    public static final int CHECK_UE = 1 << 3;
    /** The UE's address is the packet's destination; else its source. */
    public static final int UE_IS_DESTINATION = 1 << 4;

    public static final int FORWARD = 1 << 5;
    public static final int TO_ACCESS = 1 << 6;
    public static final int CREATE_TUNNEL = 1 << 7;
    public static final int GATE_CLOSED = 1 << 8;
    public static final int MARK_QFI = 1 << 9;
    static final int METERS_SHIFT = 10;
    static final int PDI_QFI_SHIFT = 16;
    static final int MARK_QFI_SHIFT = 24;
    private static final int QFI_BITS = 0x3f;

    static final int TEID = 0;
    static final int UE_ADDRESS = 4;
    static final int FLAGS = 8;
    static final int NEXT_HOP = 12;
    static final int PEER_TEID = 16;
    static final int PEER_ADDRESS = 20;
    static final int PDR_ID = 24;
    static final int FIRST_METER = 32;
    static final int THIRD_METER = 96;
    static final int METER_SIZE = 16;
    static final int METER_RATE = 8;
    static final int FILTER = 64;
    static final int MORE_FILTERS = 112;
    static final int FILTER_SIZE = 32;

    /** In a filter: protocol 4, −1 any | remote 4, mask 4 | UE 4, mask 4 | remote ports 4, UE ports 4 | flags 4. */
    static final int FILTER_REMOTE = 4;

    static final int FILTER_REMOTE_MASK = 8;
    static final int FILTER_UE = 12;
    static final int FILTER_UE_MASK = 16;
    static final int FILTER_REMOTE_PORTS = 20;
    static final int FILTER_UE_PORTS = 24;
    static final int FILTER_FLAGS = 28;
    static final int FILTER_NAMES_PORTS = 1;
    static final int FILTER_IS_LAST = 2;

    private RuleEntry() {}

    public static int flags(long entry) {
        return integer(entry, FLAGS);
    }

    public static int nextHop(long entry) {
        return integer(entry, NEXT_HOP);
    }

    public static int peerTeid(long entry) {
        return integer(entry, PEER_TEID);
    }

    public static int peerAddress(long entry) {
        return integer(entry, PEER_ADDRESS);
    }

    public static int pdrId(long entry) {
        return integer(entry, PDR_ID);
    }

    static int teid(long entry) {
        return integer(entry, TEID);
    }

    static int ueAddress(long entry) {
        return integer(entry, UE_ADDRESS);
    }

    /** QERs with a bit rate. */
    public static int meters(int flags) {
        return flags >>> METERS_SHIFT & 3;
    }

    static int pdiQfi(int flags) {
        return flags >>> PDI_QFI_SHIFT & QFI_BITS;
    }

    public static int markQfi(int flags) {
        return flags >>> MARK_QFI_SHIFT & QFI_BITS;
    }

    /** Address of the token bucket of the {@code i}th QER with a bit rate. */
    public static long bucket(long entry, int i) {
        return Native.MEMORY.get(Native.LONG, (entry & Native.MASK) + meterOffset(i));
    }

    public static long rateKbps(long entry, int i) {
        return Native.MEMORY.get(Native.LONG, (entry & Native.MASK) + meterOffset(i) + METER_RATE);
    }

    static int meterOffset(int i) {
        return i < 2 ? FIRST_METER + i * METER_SIZE : THIRD_METER;
    }

    private static int integer(long entry, int offset) {
        return Native.MEMORY.get(Native.INT, (entry & Native.MASK) + offset);
    }
}
