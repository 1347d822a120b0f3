package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortStatistics;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One device as one worker sees it: a socket on each of its queues. It receives from all of them and sends through one.
 * The worker, except {@link #statistics} and {@link #close}.
 */
final class AfXdpPort implements PacketPort {
    private final XskSocket[] sockets;
    private final XskSocket sender;
    private final XskSocket[] sharingSenderQueue;
    private final int descriptor;
    private final FramePool.Cache cache;
    private final KernelFrames kernelFrames;
    private final UnfinishedChecksums checksums;
    private final boolean busyPoll;
    private final boolean countsQueue;
    private final long base;
    private int nextSocket;

    private final AtomicLong received = new AtomicLong();
    private final AtomicLong checksumsCompleted = new AtomicLong();

    private final Object lifecycle = new Object();
    private boolean isClosed;
    private long leftBehind;
    private PortStatistics last = new PortStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /**
     * @param sockets of this worker, one for each queue
     * @param senderQueue the queue it sends through
     * @param sharingSenderQueue the sockets of all workers on that queue
     * @param descriptor to wait on for packets of any queue
     * @param countsQueue this worker reports what the kernel counts once for a whole queue
     */
    AfXdpPort(
            XskSocket[] sockets,
            int senderQueue,
            XskSocket[] sharingSenderQueue,
            int descriptor,
            FramePool pool,
            FramePool.Cache cache,
            KernelFrames kernelFrames,
            int n3Ipv4,
            boolean busyPoll,
            boolean countsQueue) {
        this.sockets = sockets;
        this.sender = sockets[senderQueue];
        this.sharingSenderQueue = sharingSenderQueue;
        this.descriptor = descriptor;
        this.base = pool.baseAddress();
        this.cache = cache;
        this.kernelFrames = kernelFrames;
        this.checksums = new UnfinishedChecksums(n3Ipv4);
        this.busyPoll = busyPoll;
        this.countsQueue = countsQueue;
    }

    @Override
    public int receive(FrameBatch batch) {
        int before = batch.count;
        for (int looked = 0; looked < sockets.length && !batch.isFull(); looked++) {
            XskSocket socket = sockets[nextSocket];
            nextSocket = nextSocket + 1 == sockets.length ? 0 : nextSocket + 1;
            receive(socket.rx, batch);
        }
        int appended = batch.count - before;
        if (appended > 0) {
            received.setRelease(received.getPlain() + appended);
        }
        return appended;
    }

    private void receive(XskRing.Consumer rx, FrameBatch batch) {
        int available = rx.available(batch.capacity() - batch.count);
        if (available == 0) {
            return;
        }
        int completed = 0;
        for (int i = 0; i < available; i++) {
            long entry = rx.peek(i);
            long offset = Native.MEMORY.get(Native.LONG, entry);
            int length = Native.MEMORY.get(Native.INT, entry + Long.BYTES);
            kernelFrames.takeBack(offset);
            long frame = (base + offset) & Native.MASK;
            if (checksums.complete(frame, length)) {
                completed++;
            }
            batch.add(frame, length);
        }
        rx.release(available);
        if (completed > 0) {
            checksumsCompleted.setRelease(checksumsCompleted.getPlain() + completed);
        }
    }

    @Override
    public int send(FrameBatch batch) {
        int count = batch.count;
        if (count == 0) {
            return 0;
        }
        XskRing.Producer tx = sender.tx;
        int room = tx.room(count);
        if (room < count) {
            sender.queue.reap(cache);
            sender.kick();
            room = tx.room(count);
        }
        int taken = Math.min(room, count);
        for (int i = 0; i < taken; i++) {
            long offset = batch.address[i] - base;
            kernelFrames.handOver(offset);
            tx.addDescriptor(offset, batch.length[i]);
        }
        if (taken > 0) {
            sender.submit(taken);
        }
        for (int i = taken; i < count; i++) {
            cache.give(batch.address[i]);
        }
        batch.count = 0;
        return count - taken;
    }

    @Override
    public void flush() {
        sender.kick();
        for (XskSocket socket : sockets) {
            QueueRings queue = socket.queue;
            queue.reap(cache);
            queue.refill(cache);
            if (busyPoll || queue.needsWakeup()) {
                socket.callForPackets();
            }
        }
    }

    @Override
    public int descriptor() {
        return descriptor;
    }

    @Override
    public boolean hasQueued() {
        return sender.tx.filled() > 0;
    }

    /** Completions are the queue's, not a worker's: with other workers still sending there, this stays true. */
    @Override
    public boolean hasUnsent() {
        if (sender.tx.filled() > 0) {
            return true;
        }
        // What was completed first: it never passes what was submitted when that is read later.
        long completed = sender.queue.completed();
        long submitted = 0;
        for (XskSocket socket : sharingSenderQueue) {
            submitted += socket.submitted();
        }
        return submitted != completed;
    }

    @Override
    public PortStatistics statistics() {
        synchronized (lifecycle) {
            if (!isClosed) {
                last = now();
            }
            return last;
        }
    }

    private PortStatistics now() {
        long overruns = leftBehind;
        long fillEmpty = 0;
        long invalid = 0;
        for (XskSocket socket : sockets) {
            XskSocket.Counts counts = socket.counts();
            // Without a frame to receive into, a packet is as lost as with a full ring.
            overruns += counts.ringFull() + counts.dropped();
            invalid += counts.invalidTx();
            if (countsQueue) {
                fillEmpty += counts.fillEmpty();
                invalid += counts.invalidRx();
            }
        }
        long sent = sender.submitted() - sender.tx.filled();
        return new PortStatistics(
                received.getAcquire(),
                Math.max(0, sent),
                overruns,
                fillEmpty,
                invalid,
                checksumsCompleted.getAcquire(),
                0,
                0,
                0);
    }

    /** Keeps the last figures: the sockets and rings are gone afterwards, and what nobody took from them is lost. */
    void close() {
        synchronized (lifecycle) {
            for (XskSocket socket : sockets) {
                leftBehind += socket.rx.filled();
            }
            last = now();
            isClosed = true;
        }
    }
}
