package io.upfdataplane.dataplane.handover;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Bounded ring of words from one producing thread to one consuming thread. Neither ever waits.
 */
public final class LongRing {
    private static final VarHandle INDEX = MethodHandles.arrayElementVarHandle(long[].class);

    /** Places in {@link #indices}, a cache line and its neighbour apart so that the two threads do not share one. */
    private static final int PRODUCED = 16;

    private static final int CONSUMED_SEEN = 17;
    private static final int CONSUMED = 32;
    private static final int PRODUCED_SEEN = 33;

    private final long[] words;
    private final int mask;
    private final long[] indices = new long[48];

    /**
     * @param capacity a power of two
     */
    public LongRing(int capacity) {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException("capacity " + capacity + " is not a power of two");
        }
        words = new long[capacity];
        mask = capacity - 1;
    }

    /** Producer: false when the ring is full. */
    public boolean offer(long word) {
        long produced = indices[PRODUCED];
        if (produced - indices[CONSUMED_SEEN] > mask) {
            indices[CONSUMED_SEEN] = (long) INDEX.getAcquire(indices, CONSUMED);
            if (produced - indices[CONSUMED_SEEN] > mask) {
                return false;
            }
        }
        words[(int) produced & mask] = word;
        INDEX.setRelease(indices, PRODUCED, produced + 1);
        return true;
    }

    /** Consumer: the next word, or 0 when there is none; 0 is never offered. */
    public long poll() {
        long consumed = indices[CONSUMED];
        if (consumed == indices[PRODUCED_SEEN]) {
            indices[PRODUCED_SEEN] = (long) INDEX.getAcquire(indices, PRODUCED);
            if (consumed == indices[PRODUCED_SEEN]) {
                return 0;
            }
        }
        long word = words[(int) consumed & mask];
        INDEX.setRelease(indices, CONSUMED, consumed + 1);
        return word;
    }

    /** Consumer. */
    public boolean isEmpty() {
        return indices[CONSUMED] == (long) INDEX.getAcquire(indices, PRODUCED);
    }
}
