package io.upfdataplane.dataplane.match;

/**
 * From SEID to slot, in primitive arrays so that a million sessions are not a million objects. SEID 0 is never a
 * session's (TS 29.244 §7.2.2.4.2). Control thread only.
 */
final class SeidIndex {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private long[] seids = new long[1024];
    private long[] slots = new long[1024];
    private int size;

    int size() {
        return size;
    }

    /** The slot, or 0. */
    long get(long seid) {
        int mask = seids.length - 1;
        int i = start(seid);
        while (seids[i] != 0) {
            if (seids[i] == seid) {
                return slots[i];
            }
            i = i + 1 & mask;
        }
        return 0;
    }

    /** Places that a session may have. */
    int places() {
        return seids.length;
    }

    /** The slot at a place, or 0. */
    long slotAt(int place) {
        return seids[place] == 0 ? 0 : slots[place];
    }

    /** Puts a SEID that is not there yet. */
    void put(long seid, long slot) {
        if (size * 2 >= seids.length) {
            grow();
        }
        int mask = seids.length - 1;
        int i = start(seid);
        while (seids[i] != 0) {
            i = i + 1 & mask;
        }
        seids[i] = seid;
        slots[i] = slot;
        size++;
    }

    void remove(long seid) {
        int mask = seids.length - 1;
        int i = start(seid);
        while (seids[i] != seid) {
            if (seids[i] == 0) {
                return;
            }
            i = i + 1 & mask;
        }
        size--;
        // What follows moves up, so that no search ends at the gap.
        int gap = i;
        while (true) {
            i = i + 1 & mask;
            if (seids[i] == 0) {
                break;
            }
            if ((i - start(seids[i]) & mask) >= (i - gap & mask)) {
                seids[gap] = seids[i];
                slots[gap] = slots[i];
                gap = i;
            }
        }
        seids[gap] = 0;
    }

    private int start(long seid) {
        return (int) (seid * MULTIPLIER >>> Long.numberOfLeadingZeros(seids.length) + 1);
    }

    private void grow() {
        long[] oldSeids = seids;
        long[] oldSlots = slots;
        seids = new long[oldSeids.length * 2];
        slots = new long[oldSlots.length * 2];
        size = 0;
        for (int i = 0; i < oldSeids.length; i++) {
            if (oldSeids[i] != 0) {
                put(oldSeids[i], oldSlots[i]);
            }
        }
    }
}
