package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.apply.Route;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.config.Ipv4Address;
import io.upfdataplane.dataplane.config.Ipv4Prefix;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.ffi.HugeBlocks;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.nexthop.LegPlan;
import io.upfdataplane.dataplane.nexthop.NextHops;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.port.afpacket.MadeUpAfPacketPorts;
import io.upfdataplane.dataplane.port.afxdp.MadeUpAfXdpPorts;
import io.upfdataplane.dataplane.port.kernel.DeviceCounters;
import io.upfdataplane.dataplane.port.kernel.DeviceOffloads;
import io.upfdataplane.dataplane.port.kernel.KernelGuard;
import io.upfdataplane.dataplane.preflight.Facts;
import io.upfdataplane.dataplane.worker.PollMode;
import io.upfdataplane.dataplane.worker.WarmUp;
import io.upfdataplane.dataplane.worker.WorkerSettings;
import io.upfdataplane.dataplane.worker.Workers;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that moves packets, for one plan: frame pool, next hops, session table, workers and, with {@link #start},
 * ports. Opened whole or not at all; closing gives everything back. Control thread.
 */
final class Engine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    /** Peers of tunnels, gateways and hosts on the link; an entry takes 40 bytes. */
    private static final int NEXT_HOPS = 1 << 16;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Plan plan;
    private final Plan.Poll poll;
    private PortPlan portPlan;
    private final KernelGuard guard;
    private final PortTotals totals;
    private final SharedFramePool pool;
    private final NextHops hops;
    private final SharedUserPlane plane;
    private final Workers workers;
    private final List<String> offloadsLeftOn;
    private final boolean dropsAtIngress;
    private final Deque<PortSet> portSets = new ArrayDeque<>();
    private @Nullable Thread preload;
    private @Nullable Opening opening;

    private Engine(Plan plan, CpuPlan cpus, Clock clock) throws PortRefused, IOException {
        this.plan = plan;
        poll = cpus.poll();
        portPlan = Ports.plan(plan, poll);
        try {
            DeviceOffloads offloads = keep(DeviceOffloads.switchOff(portPlan));
            offloadsLeftOn = offloads.leftOn();
            guard = keep(KernelGuard.raise(portPlan));
            dropsAtIngress = guard.dropsAtIngress();
            pool = keep(SharedFramePool.open(
                    plan.tuning().umemFrames(), plan.tuning().umemFrameSizeBytes(), true));
            NextHopTable table = keep(new NextHopTable(NEXT_HOPS));
            hops = keep(NextHops.open(List.of(leg(Side.ACCESS, plan.n3()), leg(Side.CORE, plan.n6())), table, clock));
            totals = new PortTotals(
                    keep(DeviceCounters.open()),
                    Map.of(Leg.N3, plan.n3().device(), Leg.N6, plan.n6().device()));
            plane = keep(new SharedUserPlane(plan.workers(), plan.maxSessions(), table, hops, new HugeBlocks()));
            WorkerSettings settings =
                    new WorkerSettings(plan.tuning().batchSize(), pollMode(cpus.poll()), cpus.workers());
            warmUp(settings);
            if (!cpus.shared()) {
                // Not before: until workers run, their CPUs compile faster.
                JvmThreads.pinTo(cpus.control());
            }
            workers = keep(new Workers(plane, pool, settings));
        } catch (PortRefused | IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * @throws PortRefused when the plan cannot run here
     */
    static Engine start(Plan plan, CpuPlan cpus, Clock clock) throws PortRefused, IOException, InterruptedException {
        Engine engine = new Engine(plan, cpus, clock);
        try {
            PortSet ports = engine.openPorts(plan.mode());
            engine.portSets.push(ports);
            engine.workers.start();
            engine.workers.use(ports, null);
            ports.engage();
            engine.preload = Thread.ofPlatform().name("port-preload").daemon().start(Ports::preload);
            return engine;
        } catch (PortRefused | InterruptedException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    private void warmUp(WorkerSettings settings) {
        try (MadeUpAfPacketPorts afPacket = new MadeUpAfPacketPorts(pool);
                MadeUpAfXdpPorts afXdp = new MadeUpAfXdpPorts(pool, WarmUp.N3)) {
            WarmUp.Result warm = WarmUp.run(pool, settings, List.of(afPacket, afXdp));
            LOG.info(
                    "warmed up with {} turns in {} ms: {} ns a turn at first, {} at last",
                    warm.turns(),
                    warm.durationNs() / 1_000_000,
                    Math.round(warm.firstNsPerTurn()),
                    Math.round(warm.lastNsPerTurn()));
        }
    }

    private <T extends AutoCloseable> T keep(T resource) {
        open.push(resource);
        return resource;
    }

    private PortSet openPorts(Plan.Mode mode) throws PortRefused {
        return Ports.open(mode, portPlan, pool);
    }

    /** Begins to open the ports of a plan beside those that run. */
    Opening beginOpening(Plan wanted) {
        PortPlan wantedPorts = Ports.plan(wanted, poll);
        Thread loading = preload;
        Opening begun = new Opening(() -> {
            if (loading != null) {
                join(loading);
            }
            // N4's port is our own.
            Ports.judge(wanted, Facts.here(wanted), Set.of("PfcpPort"));
            return Ports.open(wanted.mode(), wantedPorts, pool);
        });
        opening = begun;
        return begun;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Takes other UE pools, under traffic.
     *
     * @throws PortRefused when the kernel does not take them; the old ones stand then
     */
    void usePools(Plan wanted) throws PortRefused {
        PortPlan next = Ports.plan(wanted, poll);
        PortPlan before = portPlan;
        guard.change(next);
        try {
            ports().usePools(next.uePools());
            portPlan = next;
        } catch (PortRefused e) {
            guard.change(before);
            ports().usePools(before.uePools());
            throw e;
        }
    }

    /** A mode change has opened this set: it is closed at the end, if not before. */
    void opened(PortSet next) {
        opening = null;
        portSets.addLast(next);
    }

    /** A mode change has closed this set. */
    void closed(PortSet old) {
        portSets.remove(old);
    }

    private static LegPlan leg(Side side, Plan.Interface leg) {
        Ipv4Address gateway = leg.gateway();
        return new LegPlan(
                side,
                leg.device(),
                leg.address().bits(),
                leg.addresses().stream().map(Engine::connected).toList(),
                gateway == null ? null : (Integer) gateway.bits(),
                leg.routes().stream()
                        .map(r -> new Route(
                                r.to().address().bits(),
                                r.to().length(),
                                r.via().bits()))
                        .toList());
    }

    private static Route connected(Ipv4Prefix prefix) {
        return new Route(prefix.network().address().bits(), prefix.length(), null);
    }

    private static PollMode pollMode(Plan.Poll poll) {
        return switch (poll) {
            case INTERRUPT -> PollMode.INTERRUPT;
            case ADAPTIVE -> PollMode.ADAPTIVE;
            case BUSY -> PollMode.BUSY;
        };
    }

    /** What it was started with. */
    Plan plan() {
        return plan;
    }

    /** The set that workers send through, or the older one in the middle of a mode change. */
    PortSet ports() {
        return portSets.getFirst();
    }

    PortTotals portTotals() {
        return totals;
    }

    SharedFramePool pool() {
        return pool;
    }

    NextHops hops() {
        return hops;
    }

    SharedUserPlane plane() {
        return plane;
    }

    Workers workers() {
        return workers;
    }

    List<String> offloadsLeftOn() {
        return offloadsLeftOn;
    }

    boolean dropsAtIngress() {
        return dropsAtIngress;
    }

    /** Workers first, then their ports, then what they stood on. A part that does not close does not keep the rest. */
    @Override
    public void close() {
        if (opening != null) {
            closing("ports that are being opened", opening);
        }
        if (preload != null) {
            join(preload);
        }
        portSets.forEach(set -> closing("redirect", set::disengage));
        if (!portSets.isEmpty()) {
            // The workers lie on top of what is open.
            closing("Workers", open.pop());
            portSets.forEach(set -> closing(set.getClass().getSimpleName(), set));
            portSets.clear();
        }
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            closing(part.getClass().getSimpleName(), part);
        }
    }

    private static void closing(String name, AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            LOG.warn("{} did not close: {}", name, e.toString());
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
