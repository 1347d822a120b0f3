package io.upfdataplane.dataplane.session;

/**
 * Which session holds which TEID, and the choice of new ones: {@code counter << 6 | worker}, from 256 on, so that steering
 * can read the owner from a TEID. Open addressing over primitive arrays of fixed size. Control thread.
 */
final class TeidTable {
    private static final int WORKER_BITS = 6;
    private static final int FIRST_COUNTER = 256 >>> WORKER_BITS;
    private static final int LAST_COUNTER = (1 << (32 - WORKER_BITS)) - 1;
    private static final int TEIDS_PER_SESSION = 4;
    private final int[] teids;
    private final long[] seids;
    private final int mask;
    private int size;
    private int counter = FIRST_COUNTER;

    TeidTable(int maxSessions) {
        int wanted = Math.max(64, maxSessions) * TEIDS_PER_SESSION * 2;
        int capacity = Integer.highestOneBit(wanted - 1) << 1;
        teids = new int[capacity];
        seids = new long[capacity];
        mask = capacity - 1;
    }

    /** True when that many more fit. */
    boolean hasRoomFor(int more) {
        return size + more <= teids.length / 2;
    }

    /** The session that holds a TEID, 0 for none. */
    long holder(int teid) {
        return seids[indexOf(teid)];
    }

    /** A TEID that nobody holds and whose low six bits are the worker. It is not held until {@link #hold}. */
    int choose(int worker) {
        while (true) {
            int teid = counter << WORKER_BITS | worker;
            counter = counter == LAST_COUNTER ? FIRST_COUNTER : counter + 1;
            if (holder(teid) == 0) {
                return teid;
            }
        }
    }

    void hold(int teid, long seid) {
        int at = indexOf(teid);
        if (seids[at] == 0) {
            size++;
        }
        teids[at] = teid;
        seids[at] = seid;
    }

    void release(int teid) {
        int hole = indexOf(teid);
        if (seids[hole] == 0) {
            return;
        }
        size--;
        // Close the gap, so that no probe sequence ends early.
        int at = hole;
        while (true) {
            at = (at + 1) & mask;
            if (seids[at] == 0) {
                break;
            }
            int home = home(teids[at]);
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                teids[hole] = teids[at];
                seids[hole] = seids[at];
                hole = at;
            }
        }
        seids[hole] = 0;
    }

    private int indexOf(int teid) {
        int at = home(teid);
        while (seids[at] != 0 && teids[at] != teid) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private int home(int teid) {
        int mixed = teid * 0x9E3779B1;
        return (mixed ^ mixed >>> 15) & mask;
    }
}
