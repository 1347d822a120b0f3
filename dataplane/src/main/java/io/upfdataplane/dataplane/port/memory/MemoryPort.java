package io.upfdataplane.dataplane.port.memory;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortStatistics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A port whose wire is two rings in memory: a test or a benchmark, the far side, puts frames in and takes sent ones out.
 * The worker's thread calls what {@link PacketPort} has; one other thread, or the same, the far side.
 */
public final class MemoryPort implements PacketPort {
    private static final int EFD_NONBLOCK = 0x800;

    private final FramePool pool;
    private final FramePool.Cache workerCache;
    private final FramePool.Cache farCache;
    private final Ring toWorker;
    private final Ring fromWorker;
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment event = arena.allocate(ValueLayout.JAVA_LONG);
    private final int descriptor;

    MemoryPort(FramePool pool, int ringSize) {
        this.pool = pool;
        this.workerCache = pool.newCache();
        this.farCache = pool.newCache();
        this.toWorker = new Ring(ringSize);
        this.fromWorker = new Ring(ringSize);
        this.descriptor = Libc.eventfd(0, EFD_NONBLOCK);
        if (descriptor < 0) {
            throw new IllegalStateException("eventfd(): " + Errno.name(-descriptor));
        }
    }

    @Override
    public int receive(FrameBatch batch) {
        int before = batch.count;
        toWorker.drainTo(batch);
        int taken = batch.count - before;
        if (taken > 0) {
            received.setOpaque(received.getPlain() + taken);
        }
        return taken;
    }

    @Override
    public int send(FrameBatch batch) {
        int taken = fromWorker.fillFrom(batch);
        for (int i = taken; i < batch.count; i++) {
            workerCache.give(batch.address[i]);
        }
        int refused = batch.count - taken;
        batch.count = 0;
        sent.setOpaque(sent.getPlain() + taken);
        return refused;
    }

    @Override
    public void flush() {
        // What is in the ring has arrived.
    }

    /** An event that {@link #inject(byte[])} raises and that stays raised: a waiter wakes up rather too often. */
    @Override
    public int descriptor() {
        return descriptor;
    }

    @Override
    public boolean hasQueued() {
        return false;
    }

    @Override
    public boolean hasUnsent() {
        return false;
    }

    @Override
    public PortStatistics statistics() {
        return new PortStatistics(received.getOpaque(), sent.getOpaque(), 0, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Far side: copies a frame into the pool and puts it on the wire.
     *
     * @return false when the ring is full or the pool empty
     */
    public boolean inject(byte[] frame) {
        if (frame.length > pool.frameSize() - FramePool.HEADROOM) {
            throw new IllegalArgumentException(frame.length + " bytes do not fit a frame");
        }
        long chunk = farCache.take();
        if (chunk == 0) {
            return false;
        }
        long address = chunk + FramePool.HEADROOM;
        MemorySegment.copy(frame, 0, Native.MEMORY, Native.BYTE, address, frame.length);
        if (!toWorker.offer(address, frame.length)) {
            farCache.give(address);
            return false;
        }
        event.set(ValueLayout.JAVA_LONG, 0, 1);
        Libc.write(descriptor, event.address(), Long.BYTES);
        return true;
    }

    /** Far side: puts a frame that already lies in the pool on the wire; raises no event. False when the ring is full. */
    public boolean inject(long address, int lengthBytes) {
        return toWorker.offer(address, lengthBytes);
    }

    /**
     * Far side: takes sent frames without copying them, until {@code batch} is full or none is left. The caller owns
     * them.
     */
    public int collect(FrameBatch batch) {
        int before = batch.count;
        fromWorker.drainTo(batch);
        return batch.count - before;
    }

    /** Far side: copies out the next sent frame and gives it back to the pool; an empty array when there is none. */
    public byte[] collect() {
        FrameBatch one = new FrameBatch(1);
        if (collect(one) == 0) {
            return new byte[0];
        }
        byte[] frame = new byte[one.length[0]];
        MemorySegment.copy(Native.MEMORY, Native.BYTE, one.address[0], frame, 0, frame.length);
        farCache.give(one.address[0]);
        return frame;
    }

    void close() {
        FrameBatch rest = new FrameBatch(1);
        while (toWorker.drainTo(rest) + fromWorker.drainTo(rest) > 0 || rest.count > 0) {
            farCache.give(rest.address[0]);
            rest.count = 0;
        }
        workerCache.close();
        farCache.close();
        Libc.close(descriptor);
        arena.close();
    }

    /** Addresses and lengths between two threads, one at each end. */
    private static final class Ring {
        private final long[] address;
        private final int[] length;
        private final int mask;
        private final AtomicLong head = new AtomicLong();
        private final AtomicLong tail = new AtomicLong();

        Ring(int size) {
            if (Integer.bitCount(size) != 1) {
                throw new IllegalArgumentException("ring of " + size + " entries; a power of two is needed");
            }
            address = new long[size];
            length = new int[size];
            mask = size - 1;
        }

        boolean offer(long frame, int lengthBytes) {
            long at = tail.getPlain();
            if (at - head.getAcquire() > mask) {
                return false;
            }
            address[(int) at & mask] = frame;
            length[(int) at & mask] = lengthBytes;
            tail.setRelease(at + 1);
            return true;
        }

        int fillFrom(FrameBatch batch) {
            long at = tail.getPlain();
            int room = (int) (head.getAcquire() + address.length - at);
            int taken = Math.min(room, batch.count);
            for (int i = 0; i < taken; i++) {
                int slot = (int) (at + i) & mask;
                address[slot] = batch.address[i];
                length[slot] = batch.length[i];
            }
            tail.setRelease(at + taken);
            return taken;
        }

        int drainTo(FrameBatch batch) {
            long at = head.getPlain();
            int taken = Math.min((int) (tail.getAcquire() - at), batch.capacity() - batch.count);
            for (int i = 0; i < taken; i++) {
                int slot = (int) (at + i) & mask;
                batch.add(address[slot], length[slot]);
            }
            head.setRelease(at + taken);
            return taken;
        }
    }
}
