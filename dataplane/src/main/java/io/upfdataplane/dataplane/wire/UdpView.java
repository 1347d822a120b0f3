package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/**
 * View of a UDP header (RFC 768): source port 2, destination port 2, length 2, checksum 2. It owns no memory; one thread
 * moves and reads it.
 */
public final class UdpView {
    public static final int LENGTH = 8;

    private static final int DESTINATION_PORT = 2;
    private static final int UDP_LENGTH = 4;

    private long start;
    private int length;

    /** Moves to {@code start}; false when the header or its length passes {@code end}. */
    public boolean moveTo(long start, long end) {
        this.start = start;
        if (end - start < LENGTH) {
            return false;
        }
        length = Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, at(UDP_LENGTH)));
        return length >= LENGTH && length <= end - start;
    }

    public int sourcePort() {
        return Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, at(0)));
    }

    public int destinationPort() {
        return Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, at(DESTINATION_PORT)));
    }

    public long payload() {
        return start + LENGTH;
    }

    /** First octet after the datagram. */
    public long end() {
        return start + length;
    }

    private long at(int offset) {
        return (start & Native.MASK) + offset;
    }
}
