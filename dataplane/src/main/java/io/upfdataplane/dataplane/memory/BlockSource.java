package io.upfdataplane.dataplane.memory;

/** Where large blocks come from: the C library's heap, or huge pages. Control thread. */
@FunctionalInterface
public interface BlockSource {
    /** Blocks of the C library's heap. */
    BlockSource HEAP = size -> new Block(size, 4096);

    /** A zeroed block, aligned to a page. */
    Block take(long sizeBytes);
}
