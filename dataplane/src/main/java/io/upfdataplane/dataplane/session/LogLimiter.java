package io.upfdataplane.dataplane.session;

/** Lets a bounded number of log lines through each second, so that a flood of bad messages is not a flood of lines. */
final class LogLimiter {
    private static final long SECOND_NS = 1_000_000_000L;
    private final int linesPerSecond;
    private long windowStartNs;
    private int used;
    private long suppressed;

    LogLimiter(int linesPerSecond) {
        this.linesPerSecond = linesPerSecond;
    }

    boolean admits(long nowNs) {
        if (used == 0 || nowNs - windowStartNs >= SECOND_NS) {
            windowStartNs = nowNs;
            used = 0;
        }
        if (used < linesPerSecond) {
            used++;
            return true;
        }
        suppressed++;
        return false;
    }

    /** How many lines were held back since the last call. */
    long takeSuppressed() {
        long count = suppressed;
        suppressed = 0;
        return count;
    }
}
