package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/**
 * View of an Ethernet II header (IEEE 802.3): destination 6, source 6, EtherType 2. It owns no memory; one thread moves
 * and reads it.
 */
public final class EthernetView {
    public static final int LENGTH = 14;
    public static final int TYPE_IPV4 = 0x0800;

    private static final int SOURCE = 6;
    private static final int TYPE = 12;

    private long start;

    /** Moves to {@code start}; false when the header passes {@code end}. */
    public boolean moveTo(long start, long end) {
        this.start = start;
        return end - start >= LENGTH;
    }

    public int type() {
        return Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, at(TYPE)));
    }

    /** Destination address, 48 bits, first octet highest. */
    public long destination() {
        return Native.MEMORY.get(Native.BE_LONG, at(0)) >>> 16;
    }

    /** Source address, 48 bits, first octet highest. */
    public long source() {
        return Native.MEMORY.get(Native.BE_LONG, at(SOURCE)) >>> 16;
    }

    public long payload() {
        return start + LENGTH;
    }

    private long at(int offset) {
        return (start & Native.MASK) + offset;
    }
}
