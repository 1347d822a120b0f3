package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.handover.CounterPage;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.worker.Workers;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One change of mode under traffic, as {@link PortSet} and {@link Workers} describe it: the new set is opened beside the
 * old one by {@link Opening}, workers receive from both, redirect is flipped, workers send through the new one, the old one runs dry and is
 * closed. It never waits: {@link #step} does what can be done now. It touches no session. Control thread.
 */
final class ModeChange {
    /** The old set has run dry when nothing came from it for this long: longer than a scheduler's time slice. */
    private static final long QUIET_NS = 20_000_000;

    /** A set that never runs dry (something floods the device beside our redirect) is closed after this time. */
    private static final long LONGEST_DRAIN_NS = 2_000_000_000;

    /** How long to wait for the first packet through the new set, to know how long there was none. */
    private static final long LONGEST_MEASURE_NS = 500_000_000;

    private enum Phase {
        OPENING,
        RECEIVING_FROM_BOTH,
        SENDING_THROUGH_NEXT,
        DRAINING,
        DROPPING,
        MEASURING,
        DONE
    }

    private final Plan.Mode from;
    private final Plan.Mode to;
    private final PortSet old;
    private final Opening opening;
    private @Nullable PortSet next;
    private final Workers workers;
    private final SharedUserPlane plane;
    private final PortTotals totals;
    private final Clock clock;
    private final Instant startedAt;
    private final long lostBefore;
    private Phase phase = Phase.OPENING;
    private long change;
    private long flippedNs;
    private @Nullable Transition result;

    /** Begins; {@code opening} has begun just now. */
    ModeChange(
            Plan.Mode from,
            Plan.Mode to,
            PortSet old,
            Opening opening,
            Workers workers,
            SharedUserPlane plane,
            PortTotals totals,
            Clock clock) {
        this.from = from;
        this.to = to;
        this.old = old;
        this.opening = opening;
        this.workers = workers;
        this.plane = plane;
        this.totals = totals;
        this.clock = clock;
        startedAt = clock.instant();
        lostBefore = totals.lost(plane.workers(), old);
        // From the opening on: attaching a program is itself an interruption.
        workers.resetGaps();
    }

    /**
     * Goes on as far as it can without waiting; true when the change is over.
     *
     * @throws PortRefused when the new set cannot be opened: nothing has changed then, and the change is over
     */
    boolean step(long nowNs, int agentSessions) throws PortRefused, InterruptedException {
        switch (phase) {
            case OPENING -> {
                if (opening.isDone()) {
                    PortSet opened = opening.take();
                    next = opened;
                    change = workers.use(old, opened);
                    phase = Phase.RECEIVING_FROM_BOTH;
                }
            }
            case RECEIVING_FROM_BOTH -> {
                if (workers.haveChanged(change)) {
                    next().engage();
                    old.disengage();
                    change = workers.use(next(), old);
                    flippedNs = nowNs;
                    phase = Phase.SENDING_THROUGH_NEXT;
                }
            }
            case SENDING_THROUGH_NEXT -> {
                if (workers.haveChanged(change)) {
                    phase = Phase.DRAINING;
                }
            }
            case DRAINING -> {
                if (workers.besideQuietForNs() >= QUIET_NS || nowNs - flippedNs > LONGEST_DRAIN_NS) {
                    change = workers.use(next(), null);
                    phase = Phase.DROPPING;
                }
            }
            case DROPPING -> {
                if (workers.haveChanged(change)) {
                    old.close();
                    // Afterwards: what was still in its rings is counted at its end.
                    totals.close(old, plane.workers());
                    phase = Phase.MEASURING;
                }
            }
            case MEASURING -> {
                if (isTrafficBack() || nowNs - flippedNs > LONGEST_MEASURE_NS) {
                    result = measured(nowNs, agentSessions);
                    phase = Phase.DONE;
                }
            }
            case DONE -> {
                // Asked once more than needed.
            }
        }
        return phase == Phase.DONE;
    }

    /** Every worker that has sent since the beginning has sent again since the flip. */
    private boolean isTrafficBack() {
        for (int worker = 0; worker < plane.workers(); worker++) {
            CounterPage page = plane.counterPage(worker);
            for (Direction direction : Direction.values()) {
                long last = page.lastSentNs(direction);
                if (last != 0 && last - flippedNs <= 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private Transition measured(long nowNs, int agentSessions) {
        int sessions = plane.sessions();
        return new Transition(
                from,
                to,
                startedAt,
                clock.instant(),
                interruptionNs(Direction.UPLINK, nowNs),
                interruptionNs(Direction.DOWNLINK, nowNs),
                totals.lost(plane.workers(), next()) - lostBefore,
                sessions,
                Math.max(0, agentSessions - sessions),
                Transition.Outcome.Succeeded);
    }

    private @Nullable Long interruptionNs(Direction direction, long nowNs) {
        Long longest = null;
        for (int worker = 0; worker < plane.workers(); worker++) {
            CounterPage page = plane.counterPage(worker);
            long last = page.lastSentNs(direction);
            if (last != 0) {
                // A gap that is still open counts as far as it goes.
                long open = last - flippedNs <= 0 ? nowNs - last : 0;
                long gap = Math.max(page.longestSendGapNs(direction), open);
                longest = longest == null ? (Long) gap : (Long) Math.max(longest, gap);
            }
        }
        return longest;
    }

    /** All sets that are open now and belong to this change: for statistics. */
    PortSet[] open() {
        PortSet opened = next;
        if (opened == null) {
            return new PortSet[] {old};
        }
        return isOldClosed() ? new PortSet[] {opened} : new PortSet[] {old, opened};
    }

    boolean isNextOpen() {
        return next != null;
    }

    /** Once it {@link #isNextOpen}. */
    PortSet next() {
        return Objects.requireNonNull(next);
    }

    PortSet old() {
        return old;
    }

    boolean isOldClosed() {
        return phase == Phase.MEASURING || phase == Phase.DONE;
    }

    Transition result() {
        if (result == null) {
            throw new IllegalStateException("the change is in phase " + phase);
        }
        return result;
    }
}
