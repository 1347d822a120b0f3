package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.Native;

/**
 * What the stages of a path hand to each other about the packets of a batch, a cache line each. Outside the heap, where
 * a field is one load without a check of an index. Its worker only.
 *
 * <pre>
 *  0 frame 8 | 8 length of the frame 4, QFI 4 | 16 inner packet 8 | 24 its end 8 | 32 key (TEID or UE address) 4
 * 36 length of the inner packet 4 | 40 session slot 8 | 48 rules word 8 | 56 entry that matched 8
 * </pre>
 */
final class PacketLanes implements AutoCloseable {
    private static final int SIZE = 64;
    private static final int FRAME = 0;
    private static final int LENGTH = 8;
    private static final int QFI = 12;
    private static final int PACKET = 16;
    private static final int PACKET_END = 24;
    private static final int KEY = 32;
    private static final int INNER_LENGTH = 36;
    private static final int SLOT = 40;
    private static final int RULES = 48;
    private static final int ENTRY = 56;

    private final Block block;
    private final long base;

    PacketLanes(int packets) {
        block = new Block((long) packets * SIZE, SIZE);
        base = block.address();
    }

    long lane(int i) {
        return base + (long) i * SIZE & Native.MASK;
    }

    static void setFrame(long lane, long frame, int lengthBytes) {
        Native.MEMORY.set(Native.LONG, (lane & Native.MASK) + FRAME, frame);
        Native.MEMORY.set(Native.INT, (lane & Native.MASK) + LENGTH, lengthBytes);
    }

    static void setPacket(long lane, long packet, long end, int key, int qfi) {
        Native.MEMORY.set(Native.LONG, (lane & Native.MASK) + PACKET, packet);
        Native.MEMORY.set(Native.LONG, (lane & Native.MASK) + PACKET_END, end);
        Native.MEMORY.set(Native.INT, (lane & Native.MASK) + KEY, key);
        Native.MEMORY.set(Native.INT, (lane & Native.MASK) + QFI, qfi);
    }

    static void setSlot(long lane, long slot) {
        Native.MEMORY.set(Native.LONG, (lane & Native.MASK) + SLOT, slot);
    }

    static void setRules(long lane, long rules) {
        Native.MEMORY.set(Native.LONG, (lane & Native.MASK) + RULES, rules);
    }

    /**
     * @param entry 0 when none matched and the packet is gone
     */
    static void setMatch(long lane, long entry, int innerLength) {
        Native.MEMORY.set(Native.LONG, (lane & Native.MASK) + ENTRY, entry);
        Native.MEMORY.set(Native.INT, (lane & Native.MASK) + INNER_LENGTH, innerLength);
    }

    /** What parsing found; the rest comes later. */
    static void copy(long from, long to) {
        setFrame(to, frame(from), lengthBytes(from));
        setPacket(to, packet(from), packetEnd(from), key(from), qfi(from));
    }

    static long frame(long lane) {
        return Native.MEMORY.get(Native.LONG, (lane & Native.MASK) + FRAME);
    }

    static int lengthBytes(long lane) {
        return Native.MEMORY.get(Native.INT, (lane & Native.MASK) + LENGTH);
    }

    static int qfi(long lane) {
        return Native.MEMORY.get(Native.INT, (lane & Native.MASK) + QFI);
    }

    static long packet(long lane) {
        return Native.MEMORY.get(Native.LONG, (lane & Native.MASK) + PACKET);
    }

    static long packetEnd(long lane) {
        return Native.MEMORY.get(Native.LONG, (lane & Native.MASK) + PACKET_END);
    }

    static int key(long lane) {
        return Native.MEMORY.get(Native.INT, (lane & Native.MASK) + KEY);
    }

    static long slot(long lane) {
        return Native.MEMORY.get(Native.LONG, (lane & Native.MASK) + SLOT);
    }

    static long rules(long lane) {
        return Native.MEMORY.get(Native.LONG, (lane & Native.MASK) + RULES);
    }

    static long entry(long lane) {
        return Native.MEMORY.get(Native.LONG, (lane & Native.MASK) + ENTRY);
    }

    static int innerLength(long lane) {
        return Native.MEMORY.get(Native.INT, (lane & Native.MASK) + INNER_LENGTH);
    }

    /** Once its worker has ended. */
    @Override
    public void close() {
        block.close();
    }
}
