package io.upfdataplane.dataplane.metrics;

/**
 * How late a thread comes back that meant to sleep a moment: the pauses of the collector, the scheduler and a full CPU
 * in one figure. Its own thread runs it; any thread reads.
 */
public final class StallMeter implements AutoCloseable {
    private static final long NAP_NS = 1_000_000;
    private static final int WINDOWS = 6;
    private static final long WINDOW_NS = 10_000_000_000L;

    private final long[] longest = new long[WINDOWS];
    private final Thread thread;
    private volatile long longestNs;
    private volatile boolean stopped;

    public StallMeter() {
        thread = Thread.ofPlatform().name("stall-meter").daemon().start(this::run);
    }

    private void run() {
        long windowEndsNs = System.nanoTime() + WINDOW_NS;
        int window = 0;
        while (!stopped) {
            long before = System.nanoTime();
            java.util.concurrent.locks.LockSupport.parkNanos(NAP_NS);
            long after = System.nanoTime();
            if (after - windowEndsNs >= 0) {
                window = (window + 1) % WINDOWS;
                longest[window] = 0;
                windowEndsNs = after + WINDOW_NS;
            }
            longest[window] = Math.max(longest[window], after - before - NAP_NS);
            long most = 0;
            for (long l : longest) {
                most = Math.max(most, l);
            }
            longestNs = most;
        }
    }

    /** Longest lateness in the last minute. */
    public long longestNs() {
        return longestNs;
    }

    @Override
    public void close() {
        stopped = true;
        java.util.concurrent.locks.LockSupport.unpark(thread);
    }
}
