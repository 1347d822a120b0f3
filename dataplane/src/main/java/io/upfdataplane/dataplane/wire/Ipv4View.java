package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/**
 * View of an IPv4 header (RFC 791). Once moved, header, options and total length lie within the bytes given. It owns no
 * memory; one thread moves and reads it.
 *
 * <pre>
 *  0 version, header length | 1 DSCP | 2 total length | 4 identification | 6 flags, fragment offset
 *  8 time to live | 9 protocol | 10 checksum | 12 source | 16 destination
 * </pre>
 */
public final class Ipv4View {
    public static final int MINIMUM_LENGTH = 20;
    public static final int TCP = 6;
    public static final int UDP = 17;
    public static final int SCTP = 132;

    private static final int FLAGS_AND_OFFSET = 6;
    private static final int PROTOCOL = 9;
    private static final int SOURCE = 12;
    private static final int DESTINATION = 16;
    private static final int MORE_FRAGMENTS_AND_OFFSET = 0x3fff;
    private static final int FRAGMENT_OFFSET = 0x1fff;

    private long start;
    private int headerLength;
    private int totalLength;

    /**
     * Moves to {@code start}; false when this is not version 4, the header is cut short or shorter than 20 octets, or
     * the total length is less than the header or passes {@code end}.
     */
    public boolean moveTo(long start, long end) {
        this.start = start;
        long available = end - start;
        if (available < MINIMUM_LENGTH) {
            return false;
        }
        int first = Native.MEMORY.get(Native.BE_INT, at(0));
        int length = (first >>> 22) & 0x3c;
        int total = first & 0xffff;
        headerLength = length;
        totalLength = total;
        return first >>> 28 == 4 && length >= MINIMUM_LENGTH && total >= length && total <= available;
    }

    /** After a failed move to bytes that end at {@code end}: they begin with another version than 4. */
    public boolean isOtherVersion(long end) {
        return end > start && Native.MEMORY.get(Native.BYTE, at(0)) >>> 4 != 4;
    }

    public int headerLength() {
        return headerLength;
    }

    public int totalLength() {
        return totalLength;
    }

    /** First octet after the header and its options. */
    public long payload() {
        return start + headerLength;
    }

    /** First octet after the packet, as its total length has it. */
    public long end() {
        return start + totalLength;
    }

    public int protocol() {
        return Byte.toUnsignedInt(Native.MEMORY.get(Native.BYTE, at(PROTOCOL)));
    }

    /** True for any piece of a fragmented packet. */
    public boolean isFragment() {
        return (Native.MEMORY.get(Native.BE_SHORT, at(FLAGS_AND_OFFSET)) & MORE_FRAGMENTS_AND_OFFSET) != 0;
    }

    /** True for a piece that does not hold the start of the payload. */
    public boolean isLaterFragment() {
        return (Native.MEMORY.get(Native.BE_SHORT, at(FLAGS_AND_OFFSET)) & FRAGMENT_OFFSET) != 0;
    }

    public int source() {
        return Native.MEMORY.get(Native.BE_INT, at(SOURCE));
    }

    public int destination() {
        return Native.MEMORY.get(Native.BE_INT, at(DESTINATION));
    }

    /** Destination of a header at {@code start} that was seen to be whole. */
    public static int destinationOf(long start) {
        return Native.MEMORY.get(Native.BE_INT, (start & Native.MASK) + DESTINATION);
    }

    private long at(int offset) {
        return (start & Native.MASK) + offset;
    }
}
