package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FramePool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Which frames of the pool the kernel holds for one port set: one byte for each, written by whoever hands the frame over
 * or gets it back. The rings alone do not tell, since the kernel keeps frames that it took from the fill ring and could
 * not deliver; with this every frame finds its way back when the sockets are closed.
 */
final class KernelFrames {
    private final Arena arena = Arena.ofShared();
    private final FramePool pool;
    private final long base;
    private final int frameShift;
    private final long marks;

    KernelFrames(FramePool pool) {
        this.pool = pool;
        this.base = pool.baseAddress();
        this.frameShift = Integer.numberOfTrailingZeros(pool.frameSize());
        this.marks = arena.allocate(pool.frames()).address();
    }

    /**
     * The kernel gets a frame.
     *
     * @param offset of any of its bytes, counted from the start of the pool
     */
    void handOver(long offset) {
        Native.MEMORY.set(Native.BYTE, mark(offset), (byte) 1);
    }

    /** The kernel has given a frame back. */
    void takeBack(long offset) {
        Native.MEMORY.set(Native.BYTE, mark(offset), (byte) 0);
    }

    /** Gives all frames that the kernel still holds to the pool. The sockets are closed. */
    int reclaim(FramePool.Cache cache) {
        MemorySegment all = MemorySegment.ofAddress(marks).reinterpret(pool.frames());
        int reclaimed = 0;
        for (int frame = 0; frame < pool.frames(); frame++) {
            if (all.get(Native.BYTE, frame) != 0) {
                cache.give(base + ((long) frame << frameShift));
                reclaimed++;
            }
        }
        arena.close();
        return reclaimed;
    }

    private long mark(long offset) {
        return (marks + (offset >>> frameShift)) & Native.MASK;
    }
}
