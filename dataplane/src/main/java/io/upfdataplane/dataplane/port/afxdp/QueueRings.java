package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FramePool;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The fill and the completion ring of one queue of one device, which the sockets of all workers on that queue share. Each
 * ring takes one thread at a time, by a try-lock for each batch: whoever does not get it goes on without, since another
 * worker is doing the same work just then. Workers, and the control thread while no worker runs.
 */
final class QueueRings {
    /** Frames moved in one turn, so that one worker does not work for all others at the cost of its own packets. */
    static final int MOST_IN_ONE_TURN = 256;

    private final XskRing.Producer fill;
    private final XskRing.Consumer completion;
    private final FramePool pool;
    private final KernelFrames kernelFrames;
    private final AtomicBoolean fillLock = new AtomicBoolean();
    private final AtomicBoolean completionLock = new AtomicBoolean();
    private final AtomicLong completed = new AtomicLong();

    /** Entries that the fill ring is kept at. */
    private final int fillTarget;

    /** Fewer missing entries than this are not worth a lock. */
    private final int fillStep;

    QueueRings(
            XskRing.Producer fill,
            XskRing.Consumer completion,
            FramePool pool,
            KernelFrames kernelFrames,
            int fillTarget) {
        this.fill = fill;
        this.completion = completion;
        this.pool = pool;
        this.kernelFrames = kernelFrames;
        this.fillTarget = fillTarget;
        this.fillStep = Math.max(1, Math.min(32, fillTarget / 8));
    }

    /** Brings the fill ring up to its level, or nearer to it when the pool has not as many frames just now. */
    void refill(FramePool.Cache cache) {
        // Without the lock first: most turns find nothing to do, and need not fight for a cache line.
        if (fillTarget - fill.filled() < fillStep || !tryLock(fillLock)) {
            return;
        }
        // room() counts from what the ring can hold, the level from what it shall hold.
        int missing = fill.room(fill.size) - (fill.size - fillTarget);
        if (missing >= fillStep) {
            int wanted = Math.min(missing, MOST_IN_ONE_TURN);
            long base = pool.baseAddress();
            int added = 0;
            while (added < wanted) {
                long frame = cache.take();
                if (frame == 0) {
                    break;
                }
                long offset = frame - base;
                kernelFrames.handOver(offset);
                fill.addAddress(offset);
                added++;
            }
            if (added > 0) {
                fill.publish();
            }
        }
        unlock(fillLock);
    }

    /** Gives frames that were sent back to the pool. */
    void reap(FramePool.Cache cache) {
        if (completion.filled() == 0 || !tryLock(completionLock)) {
            return;
        }
        int available = completion.available(MOST_IN_ONE_TURN);
        if (available > 0) {
            long base = pool.baseAddress();
            for (int i = 0; i < available; i++) {
                long offset = Native.MEMORY.get(Native.LONG, completion.peek(i));
                kernelFrames.takeBack(offset);
                cache.give(base + offset);
            }
            completion.release(available);
            completed.setRelease(completed.getPlain() + available);
        }
        unlock(completionLock);
    }

    /** True when the device sleeps until somebody calls for received packets. */
    boolean needsWakeup() {
        return fill.needsWakeup();
    }

    /** Frames that were reported sent, by all sockets of the queue together. */
    long completed() {
        return completed.getAcquire();
    }

    private static boolean tryLock(AtomicBoolean lock) {
        return !lock.getPlain() && lock.compareAndSet(false, true);
    }

    private static void unlock(AtomicBoolean lock) {
        lock.setRelease(false);
    }
}
