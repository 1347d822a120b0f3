package io.upfdataplane.dataplane.memory;

import java.lang.foreign.Arena;

/**
 * Zeroed native memory that is used through its address. The owner closes it once nobody can hold an address into it.
 */
public final class Block implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final long address;
    private final long sizeBytes;

    /**
     * @param alignmentBytes a power of two
     */
    public Block(long sizeBytes, long alignmentBytes) {
        this.sizeBytes = sizeBytes;
        this.address = arena.allocate(sizeBytes, alignmentBytes).address();
    }

    public long address() {
        return address;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void close() {
        arena.close();
    }
}
