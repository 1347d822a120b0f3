package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PortSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * All workers of the process. Control thread only.
 *
 * <p>A change of ports: {@code use(old, next)}, and when {@link #haveChanged} workers receive from both and send through
 * the old one; {@code use(next, old)}, and they send through the next; when {@link #besideQuietForNs} is long enough,
 * {@code use(next, null)}, and once that has been made the old set may be closed.
 */
public final class Workers implements AutoCloseable {
    private static final int AFFINITY_BYTES = 128;

    private final SharedUserPlane plane;
    private final WorkerSettings settings;
    private final Doorbell[] doorbells;
    private final Worker[] workers;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private long generation;
    private @Nullable PortSet lastSending;

    public Workers(SharedUserPlane plane, FramePool pool, WorkerSettings settings) {
        int count = plane.workers();
        if (!settings.cpus().isEmpty() && settings.cpus().size() != count) {
            throw new IllegalArgumentException(settings.cpus().size() + " CPUs for " + count + " workers");
        }
        this.plane = plane;
        this.settings = settings;
        doorbells = new Doorbell[count];
        workers = new Worker[count];
        for (int i = 0; i < count; i++) {
            doorbells[i] = new Doorbell();
        }
        for (int i = 0; i < count; i++) {
            workers[i] = new Worker(i, plane, pool, settings, doorbells);
        }
    }

    /**
     * Starts the threads and returns when all are pinned and run.
     *
     * @throws IllegalStateException when one cannot be pinned; all are stopped then
     */
    public void start() throws InterruptedException {
        CountDownLatch running = new CountDownLatch(workers.length);
        for (int i = 0; i < workers.length; i++) {
            int worker = i;
            threads.add(Thread.ofPlatform().name("worker-" + i).daemon().start(() -> runWorker(worker, running)));
        }
        running.await();
        Throwable failed = failure.get();
        if (failed != null) {
            stop();
            throw new IllegalStateException(failed.getMessage(), failed);
        }
    }

    private void runWorker(int index, CountDownLatch running) {
        try {
            if (!settings.cpus().isEmpty()) {
                pinThisThread(settings.cpus().get(index));
            }
            running.countDown();
            workers[index].run();
        } catch (Throwable thrown) {
            // A worker that dies must be seen: the control thread asks for it and ends the process.
            failure.compareAndSet(null, thrown);
            plane.grace().sleep(index);
            running.countDown();
        }
    }

    private static void pinThisThread(int cpu) {
        if (cpu < 0 || cpu >= AFFINITY_BYTES * 8) {
            throw new IllegalStateException("sched_setaffinity(cpu " + cpu + "): no such CPU");
        }
        try (Block mask = new Block(AFFINITY_BYTES, 8)) {
            Native.MEMORY.set(Native.LONG, (mask.address() & Native.MASK) + cpu / 64 * 8L, 1L << cpu % 64);
            int result = Libc.schedSetaffinity(0, AFFINITY_BYTES, mask.address());
            if (result < 0) {
                throw new IllegalStateException("sched_setaffinity(cpu " + cpu + "): " + Errno.name(-result)
                        + "; name a CPU of this process's cpuset");
            }
        }
    }

    /**
     * Workers send through {@code sending} and receive from it and from {@code beside}, from their next turn on.
     *
     * @return a number for {@link #haveChanged}
     */
    public long use(@Nullable PortSet sending, @Nullable PortSet beside) {
        generation++;
        // Around the flip the set that was sent through holds the older frames: they go first, or flows are reordered.
        boolean besideHoldsOlder = beside != null && beside == lastSending;
        lastSending = sending;
        for (int i = 0; i < workers.length; i++) {
            workers[i].use(new PortUse(generation, sending, beside, besideHoldsOlder, i));
        }
        return generation;
    }

    /** True when every worker has made this change, and so no longer touches what only an earlier one named. */
    public boolean haveChanged(long change) {
        for (Worker worker : workers) {
            if (worker.generation() < change) {
                return false;
            }
        }
        return true;
    }

    /** For how long nothing has come from the set beside, nor waited in it to be sent, at any worker. */
    public long besideQuietForNs() {
        long now = System.nanoTime();
        long shortest = Long.MAX_VALUE;
        for (Worker worker : workers) {
            long since = worker.besideQuietSinceNs();
            shortest = Math.min(shortest, since == 0 ? 0 : Math.max(0, now - since));
        }
        return shortest;
    }

    /** Measures the longest gaps between packets anew: at the beginning of a mode change. */
    public void resetGaps() {
        for (Worker worker : workers) {
            worker.resetGaps();
        }
    }

    /** What ended a worker that nobody asked to end; the process cannot go on without it. */
    public @Nullable Throwable failure() {
        return failure.get();
    }

    private void stop() {
        for (Worker worker : workers) {
            worker.stop();
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            // Memory is freed next, so there is no going on before the thread has ended; it does within a turn.
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        threads.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops all workers and waits for them; frames that were between two of them count as {@code STOPPED}. */
    @Override
    public void close() {
        stop();
        for (Worker worker : workers) {
            worker.countLeftovers();
            worker.close();
        }
        for (Doorbell doorbell : doorbells) {
            doorbell.close();
        }
    }
}
