package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.config.ConfigFile;
import io.upfdataplane.dataplane.config.DataplaneConfig;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.metrics.Exporter;
import io.upfdataplane.dataplane.metrics.ReportServer;
import io.upfdataplane.dataplane.metrics.StallMeter;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.preflight.Facts;
import io.upfdataplane.dataplane.probe.NodeReport;
import io.upfdataplane.dataplane.probe.Probe;
import io.upfdataplane.dataplane.session.N4Agent;
import io.upfdataplane.dataplane.session.N4Socket;
import io.upfdataplane.dataplane.session.RecoveryTimeStamp;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of the dataplane, from the start to SIGTERM. The thread that calls {@link #run} is the control thread; {@link
 * #stop} may come from any.
 */
final class DataplaneProcess {
    private static final Logger LOG = LoggerFactory.getLogger(DataplaneProcess.class);
    private static final long STOP_TIMEOUT_S = 10;

    private final ConfigFile file;
    private final DataplaneConfig config;
    private final Clock clock = Clock.systemUTC();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private @Nullable CpuPlan cpuPlan;
    private @Nullable Refusal refused;
    private volatile boolean stopAsked;
    private volatile @Nullable N4Socket socket;

    DataplaneProcess(ConfigFile file, DataplaneConfig config) {
        this.file = file;
        this.config = config;
    }

    /**
     * Runs until {@link #stop}.
     *
     * @throws PlanRefused when neither the candidate nor a last good plan can run here
     */
    void run() throws IOException, InterruptedException, PlanRefused {
        try (StateDirectory state =
                StateDirectory.open(Path.of(config.candidate().stateDirectory()))) {
            try (Engine engine = start(state)) {
                serve(engine, state);
            }
            LOG.info("stopped: devices, filters and memory are given back");
        } finally {
            stopped.countDown();
        }
    }

    /** Neither this plan nor another could be started. */
    static final class PlanRefused extends Exception {
        private static final long serialVersionUID = 1L;

        PlanRefused(Refusal refusal) {
            super("plan " + refusal.planHash() + " (" + refusal.mode() + ") is refused: " + refusal);
        }
    }

    private Engine start(StateDirectory state) throws IOException, InterruptedException, PlanRefused {
        Plan candidate = config.candidate();
        Optional<Refusal> earlier = state.refused().filter(r -> r.planHash().equals(candidate.planHash()));
        if (earlier.isPresent()) {
            refused = earlier.get();
            LOG.warn("plan {} was refused before; it is tried again when it changes", candidate.planHash());
        } else {
            try {
                Engine engine = startPlan(candidate);
                state.forgetRefused();
                state.rememberGood(file.judged());
                return engine;
            } catch (PortRefused e) {
                Refusal refusal =
                        Refusal.of(candidate.planHash(), candidate.mode().name(), e);
                refused = refusal;
                state.remember(refusal);
                LOG.warn("plan {} is refused: {}", candidate.planHash(), refusal);
            }
        }
        Refusal why = java.util.Objects.requireNonNull(refused);
        Plan lastGood = state.lastGood().orElse(config.lastGood());
        if (lastGood == null || lastGood.planHash().equals(candidate.planHash())) {
            // There is nothing else to run: the next start tries the candidate again.
            state.forgetRefused();
            throw new PlanRefused(why);
        }
        LOG.info("starting the last good plan {} ({})", lastGood.planHash(), lastGood.mode());
        try {
            return startPlan(lastGood);
        } catch (PortRefused e) {
            throw new PlanRefused(
                    Refusal.of(lastGood.planHash(), lastGood.mode().name(), e));
        }
    }

    private Engine startPlan(Plan plan) throws PortRefused, IOException, InterruptedException {
        Facts facts = Facts.here(plan);
        Ports.judge(plan, facts, Set.of());
        CpuPlan cpus = CpuPlan.of(
                facts.node().cpus().allowed(), plan.workers(), plan.tuning().poll());
        this.cpuPlan = cpus;
        return Engine.start(plan, cpus, clock);
    }

    private void serve(Engine engine, StateDirectory state) throws IOException {
        Plan plan = engine.plan();
        CpuPlan cpus = java.util.Objects.requireNonNull(cpuPlan);
        Instant startedAt = clock.instant();
        long recoveryTimeStamp = RecoveryTimeStamp.takeNewer(state.path(), clock);
        N4Socket n4 = N4Socket.bind(new InetSocketAddress(
                plan.pfcp().bindAddress().toString(), plan.pfcp().bindPort()));
        socket = n4;
        N4Agent agent = new N4Agent(
                N4Plan.settings(plan), engine.plane(), n4.transmitter(), recoveryTimeStamp, clock, System.nanoTime());
        ControlLoop loop = new ControlLoop(engine, file, state, clock, agent, config, refused, notes(engine, cpus));
        try (StallMeter stalls = new StallMeter()) {
            Readings readings =
                    new Readings(loop::view, agent::snapshot, engine.hops(), engine.plane()::counterPage, stalls);
            StatusDocument status = new StatusDocument(
                    startedAt,
                    cpus,
                    devices(plan),
                    loop::view,
                    agent::snapshot,
                    engine.hops(),
                    engine.plane()::counterPage);
            InetSocketAddress address = new InetSocketAddress(
                    plan.observability().bindAddress().toString(),
                    plan.observability().port());
            try (ReportServer reports = ReportServer.start(
                    address,
                    new Exporter(readings::read),
                    status::write,
                    loop::isLive,
                    () -> loop.view().ready())) {
                LOG.info(
                        "{} runs with {} workers on CPUs {}, control on {}, poll {}; N4 on {}; reports on port {}",
                        plan.mode(),
                        plan.workers(),
                        cpus.workers(),
                        cpus.control(),
                        cpus.poll(),
                        n4.address(),
                        reports.port());
                if (!stopAsked) {
                    n4.run(agent, loop);
                }
                LOG.info("stopping");
            }
            loop.stopping();
        }
    }

    private List<View.Problem> notes(Engine engine, CpuPlan cpus) {
        List<View.Problem> notes = new ArrayList<>();
        Plan.Poll wished = engine.plan().tuning().poll();
        if (cpus.shared()) {
            notes.add(new View.Problem(
                    "CpusShared",
                    "workers share CPUs " + cpus.control() + " with the control thread"
                            + (wished == cpus.poll() ? "" : ", so poll " + wished + " is taken as " + cpus.poll())
                            + "; give " + (engine.plan().workers() + 1) + " CPUs"));
        }
        if (!engine.offloadsLeftOn().isEmpty()) {
            notes.add(new View.Problem(
                    "OffloadsOn", "could not be switched off: " + String.join(", ", engine.offloadsLeftOn())));
        }
        if (!engine.dropsAtIngress()) {
            notes.add(new View.Problem(
                    "KernelUnguarded",
                    "packets of UEs are not dropped at ingress (nft needs NET_ADMIN); forwarding is off instead"));
        }
        return notes;
    }

    private static Map<Side, NodeReport.Device> devices(Plan plan) throws IOException {
        NodeReport.Spec node = new Probe().report("here").spec();
        Map<Side, NodeReport.Device> devices = new HashMap<>();
        node.device(plan.n3().device()).ifPresent(d -> devices.put(Side.ACCESS, d));
        node.device(plan.n6().device()).ifPresent(d -> devices.put(Side.CORE, d));
        return devices;
    }

    /** Asks for the end and waits for it; false when it does not come in time. */
    boolean stop() {
        stopAsked = true;
        N4Socket n4 = socket;
        if (n4 != null) {
            n4.close();
        }
        try {
            return stopped.await(STOP_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
