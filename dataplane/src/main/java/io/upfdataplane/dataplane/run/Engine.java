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
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.port.kernel.DeviceOffloads;
import io.upfdataplane.dataplane.port.kernel.KernelGuard;
import io.upfdataplane.dataplane.worker.PollMode;
import io.upfdataplane.dataplane.worker.WarmUp;
import io.upfdataplane.dataplane.worker.WorkerSettings;
import io.upfdataplane.dataplane.worker.Workers;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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
    private final PortPlan portPlan;
    private final SharedFramePool pool;
    private final NextHops hops;
    private final SharedUserPlane plane;
    private final Workers workers;
    private final List<String> offloadsLeftOn;
    private final boolean dropsAtIngress;
    private final Deque<PortSet> portSets = new ArrayDeque<>();

    private Engine(Plan plan, CpuPlan cpus, Clock clock) throws PortRefused, IOException {
        this.plan = plan;
        portPlan = Ports.plan(plan, cpus.poll());
        try {
            DeviceOffloads offloads = keep(DeviceOffloads.switchOff(portPlan));
            offloadsLeftOn = offloads.leftOn();
            KernelGuard guard = keep(KernelGuard.raise(portPlan));
            dropsAtIngress = guard.dropsAtIngress();
            pool = keep(SharedFramePool.open(
                    plan.tuning().umemFrames(), plan.tuning().umemFrameSizeBytes(), true));
            NextHopTable table = keep(new NextHopTable(NEXT_HOPS));
            hops = keep(NextHops.open(List.of(leg(Side.ACCESS, plan.n3()), leg(Side.CORE, plan.n6())), table, clock));
            plane = keep(new SharedUserPlane(plan.workers(), plan.maxSessions(), table, hops, new HugeBlocks()));
            WorkerSettings settings =
                    new WorkerSettings(plan.tuning().batchSize(), pollMode(cpus.poll()), cpus.workers());
            WarmUp.Result warm = WarmUp.run(pool, settings);
            LOG.info(
                    "warmed up with {} packets in {} ms: {} ns a packet at first, {} at last",
                    warm.packets(),
                    warm.durationNs() / 1_000_000,
                    Math.round(warm.firstNsPerPacket()),
                    Math.round(warm.lastNsPerPacket()));
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
            return engine;
        } catch (PortRefused | InterruptedException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    private <T extends AutoCloseable> T keep(T resource) {
        open.push(resource);
        return resource;
    }

    PortSet openPorts(Plan.Mode mode) throws PortRefused {
        return Ports.open(mode, portPlan, pool);
    }

    /** A mode change has opened this set: it is closed at the end, if not before. */
    void opened(PortSet next) {
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

    Plan plan() {
        return plan;
    }

    /** The set that workers send through, or the older one in the middle of a mode change. */
    PortSet ports() {
        return portSets.getFirst();
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
