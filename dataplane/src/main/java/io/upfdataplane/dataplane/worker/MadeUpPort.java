package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortStatistics;

/** A port that always has frames, made up on the spot, and takes all there is to send. One thread. */
final class MadeUpPort implements PacketPort {
    /** Writes the next frame at an address and says how long it is. */
    @FunctionalInterface
    interface Maker {
        int write(long address);
    }

    private final FramePool.Cache cache;
    private final Maker maker;

    MadeUpPort(FramePool.Cache cache, Maker maker) {
        this.cache = cache;
        this.maker = maker;
    }

    @Override
    public int receive(FrameBatch batch) {
        int before = batch.count;
        while (!batch.isFull()) {
            long chunk = cache.take();
            if (chunk == 0) {
                break;
            }
            long frame = chunk + FramePool.HEADROOM;
            batch.add(frame, maker.write(frame));
        }
        return batch.count - before;
    }

    @Override
    public int send(FrameBatch batch) {
        for (int i = 0; i < batch.count; i++) {
            cache.give(batch.address[i]);
        }
        batch.count = 0;
        return 0;
    }

    @Override
    public void flush() {
        // Nothing is ever under way.
    }

    @Override
    public int descriptor() {
        return -1;
    }

    @Override
    public boolean hasUnsent() {
        return false;
    }

    @Override
    public PortStatistics statistics() {
        return new PortStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
