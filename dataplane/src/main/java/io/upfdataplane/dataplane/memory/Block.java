package io.upfdataplane.dataplane.memory;

import java.lang.foreign.Arena;

/**
 * Zeroed native memory that is used through its address. The owner closes it once nobody can hold an address into it.
 */
public final class Block implements AutoCloseable {
    private final long address;
    private final long sizeBytes;
    private final Runnable release;

    /**
     * @param alignmentBytes a power of two
     */
    public Block(long sizeBytes, long alignmentBytes) {
        Arena arena = Arena.ofShared();
        this.sizeBytes = sizeBytes;
        this.address = arena.allocate(sizeBytes, alignmentBytes).address();
        this.release = arena::close;
    }

    /**
     * Memory that was had elsewhere, zeroed.
     *
     * @param release gives it back
     */
    public Block(long address, long sizeBytes, Runnable release) {
        this.address = address;
        this.sizeBytes = sizeBytes;
        this.release = release;
    }

    public long address() {
        return address;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public void close() {
        release.run();
    }
}
