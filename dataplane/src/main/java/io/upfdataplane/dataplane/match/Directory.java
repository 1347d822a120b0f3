package io.upfdataplane.dataplane.match;

import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.BlockSource;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.memory.Shared;
import java.util.function.Consumer;

/**
 * From a 32-bit key (a TEID, or a UE address) to a session's slot and worker. Open addressing; an entry is 16 bytes:
 *
 * <pre>
 *  0 key, with bit 32 set; 0 when the entry was never used | 8 bits 48–63 worker, 0–47 slot; 0 when removed
 * </pre>
 *
 * The control thread writes, all workers read. An entry never changes its key, so a reader that saw a key reads a value
 * of that key; removed entries disappear when the table is built anew, and the old table is freed after every worker
 * has let go of it.
 */
public final class Directory implements AutoCloseable {
    /** The key has no session. */
    public static final long NONE = 0;

    private static final int ENTRY = 16;
    private static final int VALUE = 8;
    private static final long USED = 1L << 32;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final int WORKER_SHIFT = 48;
    private static final int SMALLEST = 64;

    private final BlockSource blocks;
    private final Consumer<Block> retired;
    private volatile Table table;
    private int used;
    private int live;
    private int reserved;

    /**
     * @param keys expected number
     * @param retired takes tables that workers may still read, to close them later
     */
    public Directory(int keys, BlockSource blocks, Consumer<Block> retired) {
        this.blocks = blocks;
        this.retired = retired;
        table = new Table(capacityFor(keys), blocks);
    }

    /** One table as a worker sees it for the length of a batch. */
    public static final class Table {
        private final Block block;
        private final long base;
        private final int shift;
        private final long mask;

        private Table(int capacity, BlockSource blocks) {
            block = blocks.take((long) capacity * ENTRY);
            base = block.address();
            mask = capacity - 1L;
            shift = Long.numberOfLeadingZeros(capacity) + 1;
        }

        /** Brings the entry where a search begins into the cache; the value means nothing. */
        public long touch(int key) {
            return Native.MEMORY.get(Native.LONG, entry(start(tagged(key))) & Native.MASK);
        }

        /** Slot and worker of a key, or {@link #NONE}. */
        public long find(int key) {
            long entry = entryOf(key);
            return entry == 0 ? NONE : Shared.getAcquire(entry + VALUE);
        }

        /** Goes on from an entry with another key; 0 when the key is not there. */
        private long entryAfter(long first, long firstSeen, long wanted) {
            long i = (first - (base & Native.MASK)) / ENTRY;
            long seen = firstSeen;
            // An entry in four is never used, so one ends every search.
            while (seen != 0) {
                i = i + 1 & mask;
                seen = Shared.getAcquire(entry(i));
                if (seen == wanted) {
                    return entry(i);
                }
            }
            return 0;
        }

        private long start(long tagged) {
            return tagged * MULTIPLIER >>> shift;
        }

        private long entry(long i) {
            return (base & Native.MASK) + i * ENTRY;
        }

        private static long tagged(int key) {
            return Integer.toUnsignedLong(key) | USED;
        }

        /** Writes a key that the table does not hold. */
        private void append(long tagged, long value) {
            long i = start(tagged);
            while (Shared.getAcquire(entry(i)) != 0) {
                i = i + 1 & mask;
            }
            Shared.setRelease(entry(i) + VALUE, value);
            Shared.setRelease(entry(i), tagged);
        }

        /** Address of the entry with this key, or 0. */
        private long entryOf(int key) {
            long wanted = tagged(key);
            long entry = entry(start(wanted));
            long seen = Shared.getAcquire(entry);
            return seen == wanted ? entry : entryAfter(entry, seen, wanted);
        }

        private long capacity() {
            return mask + 1;
        }
    }

    /** Slot in a value of {@link Table#find}. */
    public static long slotOf(long value) {
        return value & (1L << WORKER_SHIFT) - 1;
    }

    /** Worker in a value of {@link Table#find}. */
    public static int workerOf(long value) {
        return (int) (value >>> WORKER_SHIFT);
    }

    static long valueOf(long slot, int worker) {
        return (long) worker << WORKER_SHIFT | slot;
    }

    /** Workers, once for a batch. */
    public Table table() {
        return table;
    }

    /** Control thread. */
    public long find(int key) {
        return table.find(key);
    }

    /** Control thread: makes sure that {@code keys} more can be put; they are held until put or unreserved. */
    void reserve(int keys) {
        reserved += keys;
        Table old = table;
        if (used + reserved <= old.capacity() / 8 * 6) {
            return;
        }
        Table next = new Table(capacityFor(live + reserved), blocks);
        for (long i = 0; i < old.capacity(); i++) {
            long key = Native.MEMORY.get(Native.LONG, old.entry(i));
            long value = Native.MEMORY.get(Native.LONG, old.entry(i) + VALUE);
            if (key != 0 && value != NONE) {
                next.append(key, value);
            }
        }
        used = live;
        table = next;
        retired.accept(old.block);
    }

    void unreserve(int keys) {
        reserved -= keys;
    }

    /** Control thread: uses up one reservation. */
    void put(int key, long value) {
        reserved--;
        long entry = table.entryOf(key);
        if (entry == 0) {
            table.append(Table.tagged(key), value);
            used++;
            live++;
            return;
        }
        if (Shared.getAcquire(entry + VALUE) == NONE) {
            live++;
        }
        Shared.setRelease(entry + VALUE, value);
    }

    /** Control thread. */
    void remove(int key) {
        long entry = table.entryOf(key);
        if (entry != 0 && Shared.getAcquire(entry + VALUE) != NONE) {
            Shared.setRelease(entry + VALUE, NONE);
            live--;
        }
    }

    /** Keys with a session. */
    int size() {
        return live;
    }

    private static int capacityFor(int keys) {
        int wanted = Math.max(SMALLEST, Math.min(keys, 1 << 28));
        return Integer.highestOneBit(wanted * 2 - 1) * 2;
    }

    /** Control thread, once no worker runs. */
    @Override
    public void close() {
        table.block.close();
    }
}
