package io.upfdataplane.dataplane.ffi;

import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.BlockSource;

/**
 * Blocks on transparent huge pages where the kernel has them to give: a table of many sessions is read at random, and
 * with small pages every read would miss the TLB as well. Pages are taken when first touched. Control thread.
 */
public final class HugeBlocks implements BlockSource {
    private static final long HUGE_PAGE = 2 << 20;

    /** Below this a table fits the TLB with small pages as well. */
    private static final long SMALLEST = 64 << 10;

    @Override
    public Block take(long sizeBytes) {
        if (sizeBytes < SMALLEST) {
            return BlockSource.HEAP.take(sizeBytes);
        }
        long size = (sizeBytes + HUGE_PAGE - 1) & -HUGE_PAGE;
        // One huge page more, so that the block can begin at a multiple of its size.
        long mapped = size + HUGE_PAGE;
        long address =
                Libc.mmap(mapped, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS, -1, 0);
        if (address < 0) {
            throw new OutOfMemoryError("mmap(" + mapped + " bytes): " + Errno.name((int) -address));
        }
        long aligned = (address + HUGE_PAGE - 1) & -HUGE_PAGE;
        // A kernel without huge pages refuses the advice, and small pages do as well, only slower.
        Libc.madvise(aligned, size, Libc.MADV_HUGEPAGE);
        return new Block(aligned, sizeBytes, () -> Libc.munmap(address, mapped));
    }
}
