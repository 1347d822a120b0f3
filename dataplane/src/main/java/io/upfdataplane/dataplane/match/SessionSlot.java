package io.upfdataplane.dataplane.match;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.memory.Shared;

/**
 * What stays while a session's rules change: a cache line for packets from tunnels, then one for packets by UE address.
 * The control thread writes the first word; the rest belongs to the session's worker, and others only read it.
 *
 * <pre>
 *  0 bits 48–63 number of rule entries, 0–47 the first one; 0 when there are none
 *  8 packets 8 | 16 bytes 8 | 24 dropped 8 | 32 two token buckets of 16
 * </pre>
 */
public final class SessionSlot {
    public static final int SIZE = 128;
    public static final int LINE = 64;

    /** Token buckets that lie in the line itself. */
    static final int INLINE_BUCKETS = 2;

    static final int BUCKET_SIZE = 16;

    private static final int PACKETS = 8;
    private static final int BYTES = 16;
    private static final int DROPPED = 24;
    private static final int BUCKETS = 32;
    private static final int COUNT_SHIFT = 48;

    private SessionSlot() {}

    /** Workers: the rules word of a line; the first is for packets from tunnels, the second for those by UE address. */
    public static long rules(long line) {
        return Shared.getAcquire(line);
    }

    /** Control thread: from now on packets see these rules. */
    static void publish(long slot, long tunnelRules, long addressRules) {
        Shared.setRelease(slot, tunnelRules);
        Shared.setRelease(slot + LINE, addressRules);
    }

    static long rulesOf(long firstEntry, int count) {
        return count == 0 ? 0 : (long) count << COUNT_SHIFT | firstEntry;
    }

    /** Number of entries in a rules word. */
    static int countOf(long rules) {
        return (int) (rules >>> COUNT_SHIFT);
    }

    /** First entry in a rules word. */
    public static long firstOf(long rules) {
        return rules & Native.MASK;
    }

    /** Owner: one packet has passed the session's rules. */
    public static void countPassed(long slot, int flags, int lengthBytes) {
        long line = lineOf(slot, flags);
        Native.MEMORY.set(Native.LONG, line + PACKETS, Native.MEMORY.get(Native.LONG, line + PACKETS) + 1);
        Native.MEMORY.set(Native.LONG, line + BYTES, Native.MEMORY.get(Native.LONG, line + BYTES) + lengthBytes);
    }

    /** Owner: one packet of the session was dropped. */
    public static void countDropped(long slot, int flags) {
        long line = lineOf(slot, flags);
        Native.MEMORY.set(Native.LONG, line + DROPPED, Native.MEMORY.get(Native.LONG, line + DROPPED) + 1);
    }

    private static long lineOf(long slot, int flags) {
        return (slot & Native.MASK) + (flags & RuleEntry.DOWNLINK) * LINE;
    }

    /** Any thread; may be slightly old. */
    public static long packets(long slot, boolean downlink) {
        return Shared.getAcquire(slot + (downlink ? LINE : 0) + PACKETS);
    }

    /** Any thread; may be slightly old. */
    public static long bytes(long slot, boolean downlink) {
        return Shared.getAcquire(slot + (downlink ? LINE : 0) + BYTES);
    }

    /** Any thread; may be slightly old. */
    public static long dropped(long slot, boolean downlink) {
        return Shared.getAcquire(slot + (downlink ? LINE : 0) + DROPPED);
    }

    static long inlineBucket(long slot, boolean downlink, int i) {
        return slot + (downlink ? LINE : 0) + BUCKETS + (long) i * BUCKET_SIZE;
    }

    /** Control thread, while no worker knows the slot. */
    static void clear(long slot) {
        for (int i = 0; i < SIZE; i += 8) {
            Native.MEMORY.set(Native.LONG, (slot & Native.MASK) + i, 0L);
        }
    }
}
