package io.upfdataplane.dataplane.match;

import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.BlockSource;
import io.upfdataplane.dataplane.memory.Native;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Memory for pieces of a few cache lines, bounded: for each size a list of free pieces, else the next piece of a chunk.
 * Control thread only.
 */
final class ImageMemory implements AutoCloseable {
    private static final int LINE = 64;
    private static final long FIRST_CHUNK = 1 << 21;
    private static final long LARGEST_CHUNK = 1 << 25;

    private final List<Block> chunks = new ArrayList<>();
    private final BlockSource source;
    private final long mostBytes;
    private long chunkBytes = FIRST_CHUNK;
    private long next;
    private long left;
    private long usedBytes;

    /** First free piece of each size in lines; a free piece holds the address of the next one. */
    private long[] free = new long[64];

    ImageMemory(long mostBytes, BlockSource source) {
        this.source = source;
        this.mostBytes = mostBytes;
    }

    /** A zeroed piece aligned to a cache line, or 0 when the bound is reached. */
    long take(int sizeBytes) {
        int lines = linesOf(sizeBytes);
        long size = (long) lines * LINE;
        if (usedBytes + size > mostBytes) {
            return 0;
        }
        if (lines >= free.length) {
            free = Arrays.copyOf(free, Math.max(lines + 1, free.length * 2));
        }
        usedBytes += size;
        long piece = free[lines];
        if (piece == 0) {
            return cut(size);
        }
        free[lines] = Native.MEMORY.get(Native.LONG, piece & Native.MASK);
        for (long i = 0; i < size; i += 8) {
            Native.MEMORY.set(Native.LONG, (piece & Native.MASK) + i, 0L);
        }
        return piece;
    }

    private long cut(long size) {
        if (left < size) {
            long chunk = Math.max(chunkBytes, size);
            chunkBytes = Math.min(chunkBytes * 2, LARGEST_CHUNK);
            Block block = source.take(chunk);
            chunks.add(block);
            next = block.address();
            left = chunk;
        }
        long piece = next;
        next += size;
        left -= size;
        return piece;
    }

    void give(long piece, int sizeBytes) {
        int lines = linesOf(sizeBytes);
        Native.MEMORY.set(Native.LONG, piece & Native.MASK, free[lines]);
        free[lines] = piece;
        usedBytes -= (long) lines * LINE;
    }

    long usedBytes() {
        return usedBytes;
    }

    private static int linesOf(int sizeBytes) {
        return (sizeBytes + LINE - 1) / LINE;
    }

    @Override
    public void close() {
        chunks.forEach(Block::close);
        chunks.clear();
    }
}
