package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.ffi.IfXdp;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.memory.Native;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One of the four rings that an AF_XDP socket shares with the kernel: two indices that only grow, a word of flags and a
 * power of two of entries. The side that writes an index releases it, the other acquires it. One thread at a time.
 */
abstract sealed class XskRing {
    private static final VarHandle INDEX = ValueLayout.JAVA_INT.varHandle();

    private final long mapping;
    private final long mappedBytes;
    private final long producer;
    private final long consumer;
    private final long flags;
    private final long entries;
    private final int entryShift;
    final int size;

    /**
     * @param mapping where the ring is mapped
     * @param offsets of the mapping's producer, consumer, entries and flags, as the kernel gives them
     * @param entrySizeBytes 8 for addresses, 16 for descriptors
     */
    private XskRing(long mapping, long mappedBytes, Offsets offsets, int size, int entrySizeBytes) {
        this.mapping = mapping;
        this.mappedBytes = mappedBytes;
        this.producer = mapping + offsets.producer;
        this.consumer = mapping + offsets.consumer;
        this.flags = mapping + offsets.flags;
        this.entries = mapping + offsets.entries;
        this.entryShift = Integer.numberOfTrailingZeros(entrySizeBytes);
        this.size = size;
    }

    /** Where a ring has its words, counted from the start of its mapping. */
    record Offsets(long producer, long consumer, long entries, long flags) {}

    /** Entries between the two indices, as far as they can be seen now. Any thread. */
    final int filled() {
        // The consumer first: it never passes a producer that is read later.
        int consumed = acquire(consumer);
        return acquire(producer) - consumed;
    }

    /** True when the kernel sleeps until it is called. */
    final boolean needsWakeup() {
        return (acquire(flags) & IfXdp.XDP_RING_NEED_WAKEUP) != 0;
    }

    final void unmap() {
        Libc.munmap(mapping, mappedBytes);
    }

    final long entry(int index) {
        return (entries + ((long) (index & (size - 1)) << entryShift)) & Native.MASK;
    }

    private static int acquire(long address) {
        return (int) INDEX.getAcquire(Native.MEMORY, address & Native.MASK);
    }

    private static void release(long address, int value) {
        INDEX.setRelease(Native.MEMORY, address & Native.MASK, value);
    }

    /** A ring that we fill: fill or TX. */
    static final class Producer extends XskRing {
        /** Index of the next entry to write, not published yet. */
        private int next;
        /** What the kernel had consumed when we last looked. */
        private int consumed;

        Producer(long mapping, long mappedBytes, Offsets offsets, int size, int entrySizeBytes) {
            super(mapping, mappedBytes, offsets, size, entrySizeBytes);
        }

        /** Free entries; looks at the kernel's index only when fewer than {@code wanted} are known. */
        int room(int wanted) {
            int known = size - (next - consumed);
            if (known < wanted) {
                consumed = acquire(super.consumer);
                known = size - (next - consumed);
            }
            return known;
        }

        /** Appends an address. The caller has seen room. */
        void addAddress(long address) {
            Native.MEMORY.set(Native.LONG, entry(next++), address);
        }

        /** Appends a descriptor. The caller has seen room. */
        void addDescriptor(long address, int length) {
            long at = entry(next++);
            Native.MEMORY.set(Native.LONG, at, address);
            Native.MEMORY.set(Native.LONG, at + Long.BYTES, length & 0xffff_ffffL);
        }

        /** Shows the kernel what was added. */
        void publish() {
            release(super.producer, next);
        }
    }

    /** A ring that the kernel fills: RX or completion. */
    static final class Consumer extends XskRing {
        private int next;
        private int produced;

        Consumer(long mapping, long mappedBytes, Offsets offsets, int size, int entrySizeBytes) {
            super(mapping, mappedBytes, offsets, size, entrySizeBytes);
        }

        /** Entries to read, at most {@code wanted}; looks at the kernel's index only when fewer are known. */
        int available(int wanted) {
            int known = produced - next;
            if (known < wanted) {
                produced = acquire(super.producer);
                known = produced - next;
            }
            return Math.min(known, wanted);
        }

        /** Address of the i-th entry that is to be read. */
        long peek(int i) {
            return entry(next + i);
        }

        /** Gives the first {@code count} entries back to the kernel. */
        void release(int count) {
            next += count;
            XskRing.release(super.consumer, next);
        }
    }
}
