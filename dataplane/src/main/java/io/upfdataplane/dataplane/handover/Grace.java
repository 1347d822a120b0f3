package io.upfdataplane.dataplane.handover;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;

/**
 * Tells the control thread when no worker can still hold what it has taken out of sight. A worker announces each turn of
 * its loop, at a point where it holds nothing, and announces sleep. Freed is what was retired before every worker has
 * announced a new turn or sleeps: workers are never asked and never answer, so an update costs them nothing.
 */
public final class Grace {
    private static final VarHandle TURN = MethodHandles.arrayElementVarHandle(long[].class);

    /** Words between two workers' turns: two cache lines. */
    private static final int STRIDE = 16;

    private final int workers;

    /** Of each worker: odd while it runs a turn, even while it sleeps or does not run; changes with every turn. */
    private final long[] turns;

    private ArrayDeque<Runnable> retired = new ArrayDeque<>();
    private ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final long[] seen;

    Grace(int workers) {
        this.workers = workers;
        turns = new long[(workers + 2) * STRIDE];
        seen = new long[workers];
    }

    /** Worker: it holds nothing and begins a turn. What it reads from now on was written before or after, never freed. */
    public void turn(int worker) {
        int i = place(worker);
        TURN.setRelease(turns, i, (turns[i] | 1) + 2);
        // The reads of this turn must not come before the announcement is seen.
        VarHandle.fullFence();
    }

    /** Worker: it holds nothing until it calls {@link #turn} again. */
    public void sleep(int worker) {
        int i = place(worker);
        TURN.setRelease(turns, i, (turns[i] | 1) + 1);
        VarHandle.fullFence();
    }

    /** Control thread: runs {@code task} in some later {@link #reclaim} when no worker holds what it held until now. */
    void retire(Runnable task) {
        retired.add(task);
    }

    /** Control thread: runs the tasks that are due. Never waits. */
    void reclaim() {
        if (!waiting.isEmpty() && haveAllPassed()) {
            waiting.forEach(Runnable::run);
            waiting.clear();
        }
        if (waiting.isEmpty() && !retired.isEmpty()) {
            ArrayDeque<Runnable> empty = waiting;
            waiting = retired;
            retired = empty;
            VarHandle.fullFence();
            for (int worker = 0; worker < workers; worker++) {
                seen[worker] = (long) TURN.getAcquire(turns, place(worker));
            }
        }
    }

    /** Tasks that are not due yet. */
    int pending() {
        return retired.size() + waiting.size();
    }

    private boolean haveAllPassed() {
        for (int worker = 0; worker < workers; worker++) {
            boolean wasAsleep = (seen[worker] & 1) == 0;
            if (!wasAsleep && (long) TURN.getAcquire(turns, place(worker)) == seen[worker]) {
                return false;
            }
        }
        return true;
    }

    private static int place(int worker) {
        return (worker + 1) * STRIDE;
    }
}
