package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.ConfigError;
import io.upfdataplane.dataplane.config.ConfigFile;
import io.upfdataplane.dataplane.config.DataplaneConfig;
import io.upfdataplane.dataplane.config.Judgement;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.handover.CounterPage;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.session.N4Agent;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the control thread does besides N4: follows the configuration, changes the mode, follows next hops, and looks at
 * everything for status. Called every few milliseconds, by the control thread only; {@link #view} any thread.
 */
final class ControlLoop implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlLoop.class);
    private static final long CONFIG_INTERVAL_NS = 200_000_000;
    private static final long VIEW_INTERVAL_NS = 200_000_000;
    private static final long UTILISATION_INTERVAL_NS = 1_000_000_000;

    private final Engine engine;
    private final ConfigFile file;
    private final StateDirectory state;
    private final Clock clock;
    private final N4Agent agent;
    private final List<View.Problem> notes;
    private final PortTotals totals;
    private final Map<Transition.Outcome, Long> transitions = new EnumMap<>(Transition.Outcome.class);
    private final long[] busySeenNs;
    private final long[] elapsedSeenNs;
    private List<Double> utilisation;
    private long generation;
    private List<ConfigError> configErrors = List.of();
    private Plan candidate;
    private Plan running;
    private Instant modeSince;
    private @Nullable Refusal refused;
    private List<String> restartNeeded = List.of();
    private @Nullable ModeChange change;
    private @Nullable Plan changingTo;
    private @Nullable Transition lastTransition;
    private boolean ready;
    private long configDueNs;
    private volatile long viewDueNs;
    private long utilisationDueNs;
    private volatile View view;

    ControlLoop(
            Engine engine,
            ConfigFile file,
            StateDirectory state,
            Clock clock,
            N4Agent agent,
            DataplaneConfig config,
            @Nullable Refusal refused,
            List<View.Problem> notes) {
        this.engine = engine;
        this.file = file;
        this.state = state;
        this.clock = clock;
        this.agent = agent;
        this.notes = notes;
        totals = engine.portTotals();
        this.refused = refused;
        generation = config.generation();
        candidate = config.candidate();
        running = engine.plan();
        modeSince = clock.instant();
        busySeenNs = new long[running.workers()];
        elapsedSeenNs = new long[running.workers()];
        utilisation = Collections.nCopies(running.workers(), 0.0);
        long now = System.nanoTime();
        configDueNs = now;
        viewDueNs = now;
        utilisationDueNs = now;
        view = look();
    }

    @Override
    public void run() {
        long nowNs = System.nanoTime();
        ready = true;
        Throwable died = engine.workers().failure();
        if (died != null) {
            throw new IllegalStateException("a worker died", died);
        }
        engine.hops().poll(nowNs);
        engine.plane().table().countForwarding();
        ModeChange current = change;
        if (current != null) {
            step(current, nowNs);
        }
        if (nowNs - configDueNs >= 0) {
            configDueNs = nowNs + CONFIG_INTERVAL_NS;
            if (change == null) {
                file.readIfChanged().ifPresent(this::take);
            }
        }
        if (nowNs - utilisationDueNs >= 0) {
            utilisationDueNs = nowNs + UTILISATION_INTERVAL_NS;
            measureUtilisation();
        }
        if (nowNs - viewDueNs >= 0) {
            viewDueNs = nowNs + VIEW_INTERVAL_NS;
            view = look();
        }
    }

    private void take(Judgement judgement) {
        switch (judgement) {
            case Judgement.Refused wrong -> {
                configErrors = wrong.errors();
                wrong.errors().forEach(e -> LOG.warn("configuration refused, the running one goes on: {}", e));
            }
            case Judgement.Accepted accepted -> {
                configErrors = List.of();
                generation = accepted.config().generation();
                take(accepted.config().candidate());
            }
        }
        view = look();
    }

    private void take(Plan wanted) {
        candidate = wanted;
        restartNeeded = List.of();
        Refusal earlier = refused;
        if (earlier != null && earlier.planHash().equals(wanted.planHash())) {
            LOG.info("plan {} was refused before and is not tried again", wanted.planHash());
            return;
        }
        forgetRefused();
        PlanDifference difference = PlanDifference.between(running, wanted);
        if (!difference.restartNeeded().isEmpty()) {
            restartNeeded = difference.restartNeeded();
            LOG.warn("plan {} needs a restart: {} cannot change in place", wanted.planHash(), restartNeeded);
        } else if (difference.mode()) {
            begin(wanted);
        } else {
            changeInPlace(wanted, difference);
        }
    }

    private void changeInPlace(Plan wanted, PlanDifference difference) {
        try {
            use(wanted, difference);
            rememberGood();
        } catch (PortRefused e) {
            refuse(Refusal.of(wanted.planHash(), wanted.mode().name(), e));
        }
    }

    /** Takes everything of a plan but its mode. */
    private void use(Plan wanted, PlanDifference difference) throws PortRefused {
        if (difference.inPlace().contains("dataNetworks")) {
            engine.usePools(wanted);
        }
        if (!difference.inPlace().isEmpty()) {
            agent.reconfigure(N4Plan.settings(wanted), System.nanoTime());
            LOG.info("plan {} taken in place: {}", wanted.planHash(), String.join(", ", difference.inPlace()));
        }
        running = wanted;
    }

    private void begin(Plan wanted) {
        LOG.info("mode change from {} to {} begins", running.mode(), wanted.mode());
        change = new ModeChange(
                running.mode(),
                wanted.mode(),
                engine.ports(),
                engine.beginOpening(wanted),
                engine.workers(),
                engine.plane(),
                totals,
                clock);
        changingTo = wanted;
    }

    private void refuse(Refusal refusal) {
        refused = refusal;
        transitions.merge(Transition.Outcome.Refused, 1L, Long::sum);
        LOG.warn("mode {} refused, {} goes on: {}", refusal.mode(), running.mode(), refusal);
        keeping(() -> state.remember(refusal));
    }

    private void step(ModeChange current, long nowNs) {
        try {
            boolean wasOpen = current.isNextOpen();
            boolean over = current.step(nowNs, agent.sessions());
            if (!wasOpen && current.isNextOpen()) {
                engine.opened(current.next());
            }
            if (current.isOldClosed()) {
                engine.closed(current.old());
            }
            if (over) {
                finish(current);
            }
        } catch (PortRefused e) {
            Plan wanted = java.util.Objects.requireNonNull(changingTo);
            change = null;
            changingTo = null;
            refuse(Refusal.of(wanted.planHash(), wanted.mode().name(), e));
            view = look();
        } catch (InterruptedException e) {
            // Nobody interrupts the control thread, and what is done already is not waited for.
            throw new IllegalStateException(e);
        }
    }

    private void finish(ModeChange done) {
        Transition transition = done.result();
        Plan wanted = java.util.Objects.requireNonNull(changingTo);
        lastTransition = transition;
        transitions.merge(transition.outcome(), 1L, Long::sum);
        PlanDifference difference = PlanDifference.between(running, wanted);
        modeSince = transition.finishedAt();
        change = null;
        changingTo = null;
        try {
            // The new ports have the new pools already; the guard and N4 follow.
            use(wanted, difference);
        } catch (PortRefused e) {
            LOG.error(
                    "mode {} runs, but {} could not be taken: {}", wanted.mode(), difference.inPlace(), e.getMessage());
            restartNeeded = difference.inPlace();
            running = wanted;
        }
        rememberGood();
        LOG.info(
                "mode is {}: uplink stood for {} us, downlink for {} us, {} packets and {} sessions lost",
                running.mode(),
                micros(transition.uplinkInterruptionNs()),
                micros(transition.downlinkInterruptionNs()),
                transition.packetsLost(),
                transition.sessionsLost());
        view = look();
    }

    private static String micros(@Nullable Long ns) {
        return ns == null ? "no" : Long.toString(ns / 1000);
    }

    private void forgetRefused() {
        if (refused != null) {
            refused = null;
            keeping(state::forgetRefused);
        }
    }

    private void rememberGood() {
        keeping(() -> state.rememberGood(file.judged()));
    }

    private interface Keeping {
        void run() throws IOException;
    }

    /** A state directory that fails must not stop the packets: only a restart would miss what it should hold. */
    private void keeping(Keeping action) {
        try {
            action.run();
        } catch (IOException e) {
            LOG.error("state directory {}: {}", state.path(), e.toString());
        }
    }

    private void measureUtilisation() {
        List<Double> now = new ArrayList<>();
        for (int worker = 0; worker < busySeenNs.length; worker++) {
            CounterPage page = engine.plane().counterPage(worker);
            long busyNs = page.busyNs();
            long elapsedNs = page.elapsedNs();
            long over = elapsedNs - elapsedSeenNs[worker];
            now.add(over <= 0 ? 0.0 : Math.clamp((double) (busyNs - busySeenNs[worker]) / over, 0.0, 1.0));
            busySeenNs[worker] = busyNs;
            elapsedSeenNs[worker] = elapsedNs;
        }
        utilisation = List.copyOf(now);
    }

    private View look() {
        ModeChange current = change;
        PortSet[] open = current == null ? new PortSet[] {engine.ports()} : current.open();
        for (PortSet set : open) {
            set.followDevices();
        }
        Map<Leg, PortStatistics> ports = totals.withOpen(running.workers(), open);
        return new View(
                generation,
                configErrors,
                candidate,
                running,
                engine.ports().facts(),
                modeSince,
                refused,
                restartNeeded,
                lastTransition,
                Map.copyOf(transitions),
                ready,
                ports,
                totals.ofDevices(),
                engine.plane().sessions(),
                engine.plane().table().forwarding(),
                utilisation,
                engine.pool().frames(),
                engine.pool().free(),
                notes);
    }

    /** The process stops: it is no longer ready. */
    void stopping() {
        ready = false;
        view = look();
    }

    View view() {
        return view;
    }

    /** True while the control thread comes round: what liveness means. */
    boolean isLive() {
        return System.nanoTime() - viewDueNs < 10_000_000_000L;
    }
}
