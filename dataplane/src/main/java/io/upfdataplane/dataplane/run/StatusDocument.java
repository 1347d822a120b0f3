package io.upfdataplane.dataplane.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.handover.CounterPage;
import io.upfdataplane.dataplane.nexthop.Hop;
import io.upfdataplane.dataplane.nexthop.NextHops;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.port.kernel.DeviceCounters;
import io.upfdataplane.dataplane.probe.NodeReport;
import io.upfdataplane.dataplane.session.N4Snapshot;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes {@code /status}: what runs, as {@code examples/dataplane-status.json} shows it. Any thread. */
final class StatusDocument {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    /** More next hops than this say no more to a reader. */
    private static final int MOST_NEXT_HOPS = 64;

    private final Instant startedAt;
    private final CpuPlan cpus;
    private final Map<Side, NodeReport.Device> devices;
    private final Supplier<View> view;
    private final Supplier<N4Snapshot> n4;
    private final NextHops hops;
    private final IntFunction<CounterPage> pages;

    StatusDocument(
            Instant startedAt,
            CpuPlan cpus,
            Map<Side, NodeReport.Device> devices,
            Supplier<View> view,
            Supplier<N4Snapshot> n4,
            NextHops hops,
            IntFunction<CounterPage> pages) {
        this.startedAt = startedAt;
        this.cpus = cpus;
        this.devices = devices;
        this.view = view;
        this.n4 = n4;
        this.hops = hops;
        this.pages = pages;
    }

    byte[] write() {
        View v = view.get();
        N4Snapshot snapshot = n4.get();
        ObjectNode root = JSON.createObjectNode();
        root.put("apiVersion", "dataplane.upfdataplane.io/v1alpha1");
        root.put("kind", "DataplaneStatus");
        root.put("version", version());
        root.put("generation", v.generation());
        root.put("startedAt", time(startedAt));
        root.put("recoveryTimeStamp", snapshot.recoveryTimeStamp());
        root.putObject("plan")
                .put("candidate", v.candidate().planHash())
                .put("running", v.running().planHash());
        root.putObject("mode")
                .put("desired", v.candidate().mode().name())
                .put("active", v.facts().mode())
                .put("since", time(v.modeSince()))
                .put("zeroCopy", v.facts().zeroCopy())
                .put("xdpAttach", v.facts().xdpAttach());
        root.put("ready", v.ready());
        root.set("refused", v.refused() == null ? null : JSON.valueToTree(v.refused()));
        ArrayNode restart = root.putArray("restartNeeded");
        v.restartNeeded().forEach(restart::add);
        root.set("configErrors", JSON.valueToTree(v.configErrors()));
        root.set("lastTransition", transition(v.lastTransition()));
        ArrayNode problems = root.putArray("problems");
        problems(v).forEach(p -> problems.addObject().put("name", p.name()).put("message", p.message()));
        interfaces(root.putArray("interfaces"), v);
        peers(root.putArray("peers"), snapshot);
        root.putObject("sessions")
                .put("active", v.sessions())
                .put("max", snapshot.maxSessions())
                .put("forwarding", v.forwarding());
        workers(root.putArray("workers"), v);
        ObjectNode traffic = root.putObject("traffic");
        for (Direction direction : Direction.values()) {
            traffic(
                    traffic.putObject(direction.name().toLowerCase(Locale.ROOT)),
                    direction,
                    v.running().workers());
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a tree of texts and numbers can always be written", e);
        }
    }

    static String version() {
        String version = StatusDocument.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }

    private static @Nullable ObjectNode transition(@Nullable Transition t) {
        if (t == null) {
            return null;
        }
        ObjectNode node = JSON.createObjectNode()
                .put("from", t.from().name())
                .put("to", t.to().name())
                .put("method", "InPlace")
                .put("startedAt", time(t.startedAt()))
                .put("finishedAt", time(t.finishedAt()))
                .put("interruptionMicros", micros(t.interruptionNs()));
        node.putObject("interruption")
                .put("uplinkMicros", micros(t.uplinkInterruptionNs()))
                .put("downlinkMicros", micros(t.downlinkInterruptionNs()));
        return node.put("packetsLost", t.packetsLost())
                .put("sessionsKept", t.sessionsKept())
                .put("sessionsLost", t.sessionsLost())
                .put("outcome", t.outcome().name());
    }

    private static @Nullable Long micros(@Nullable Long ns) {
        return ns == null ? null : (Long) (ns / 1000);
    }

    private List<View.Problem> problems(View v) {
        List<View.Problem> problems = new ArrayList<>(v.notes());
        for (Hop hop : hops.hops()) {
            if (!hop.state().isResolved() && hop.role() != Hop.Role.Peer) {
                problems.add(new View.Problem(
                        "NeighborUnresolved",
                        hop.role() + " " + hop.address() + " on " + hop.device() + " has not answered since "
                                + time(hop.since()) + ": packets to it are dropped; is it up, and in this network?"));
            }
        }
        for (NextHops.LinkState link : hops.links()) {
            if (!link.up()) {
                problems.add(new View.Problem("LinkDown", link.device() + " is down: nothing can leave by it"));
            }
        }
        if (!v.configErrors().isEmpty()) {
            problems.add(new View.Problem(
                    "ConfigurationRefused",
                    v.configErrors().size() + " errors, the first: "
                            + v.configErrors().getFirst()));
        }
        if (v.refused() != null) {
            problems.add(new View.Problem("PlanRefused", v.refused().toString()));
        }
        if (!v.restartNeeded().isEmpty()) {
            problems.add(new View.Problem(
                    "RestartNeeded",
                    String.join(", ", v.restartNeeded()) + " cannot change in place; restart to apply"));
        }
        return problems;
    }

    private void interfaces(ArrayNode into, View v) {
        Plan plan = v.running();
        for (Side side : Side.values()) {
            Plan.Interface leg = side == Side.ACCESS ? plan.n3() : plan.n6();
            Optional<NextHops.LinkState> link =
                    hops.links().stream().filter(l -> l.side() == side).findFirst();
            NodeReport.Device device = devices.get(side);
            ObjectNode node = into.addObject()
                    .put("leg", side == Side.ACCESS ? "n3" : "n6")
                    .put("device", leg.device())
                    .put("driver", device == null ? null : device.driver())
                    .put("up", link.map(NextHops.LinkState::up).orElse(false))
                    .put("mac", link.map(NextHops.LinkState::mac).orElse(null))
                    .put("mtu", link.map(NextHops.LinkState::mtuBytes).orElse(0))
                    .put("queues", device == null ? 1 : device.queues().rx());
            lost(node.putObject("drops"), side == Side.ACCESS ? Leg.N3 : Leg.N6, v);
            ArrayNode nextHops = node.putArray("nextHops");
            hops.hops().stream()
                    .filter(h -> h.side() == side)
                    .limit(MOST_NEXT_HOPS)
                    .forEach(h -> nextHops.addObject()
                            .put("ip", h.address())
                            .put("mac", h.mac())
                            .put("state", h.state().name())
                            .put("role", h.role().name())
                            .put("gateway", h.role() == Hop.Role.Gateway)
                            .put("since", time(h.since())));
            ArrayNode routes = node.putArray("kernelRoutes");
            hops.kernelRoutes().stream()
                    .filter(r -> r.device().equals(leg.device()))
                    .forEach(r -> routes.addObject().put("to", r.to()).put("via", r.via()));
        }
    }

    /** Frames lost beside the books of a direction: before a worker saw them, or after it had sent them. */
    private static void lost(ObjectNode into, Leg leg, View v) {
        PortStatistics port = v.ports().getOrDefault(leg, PortTotals.NONE);
        DeviceCounters.Lost device = v.devices().getOrDefault(leg, DeviceCounters.Lost.NONE);
        putPositive(into, "RECEIVE_OVERRUN", port.receiveOverruns());
        putPositive(into, "POOL_EMPTY", port.poolEmpty());
        putPositive(into, "OVERSIZED", port.oversized());
        putPositive(into, "DEVICE_RX_DROPPED", device.rxDropped());
        putPositive(into, "DEVICE_RX_MISSED", device.rxMissed());
        putPositive(into, "DEVICE_RX_ERRORS", device.rxErrors());
        putPositive(into, "DEVICE_TX_DROPPED", device.txDropped());
        putPositive(into, "DEVICE_TX_ERRORS", device.txErrors());
    }

    private static void putPositive(ObjectNode into, String name, long count) {
        if (count != 0) {
            into.put(name, count);
        }
    }

    private static void peers(ArrayNode into, N4Snapshot snapshot) {
        for (N4Snapshot.PeerView peer : snapshot.peers()) {
            into.addObject()
                    .put("nodeId", peer.nodeId())
                    .put("address", peer.address())
                    .put("state", peer.state())
                    .put("associatedAt", peer.associatedAt() == null ? null : time(peer.associatedAt()))
                    .put("sessions", peer.sessions());
        }
    }

    private void workers(ArrayNode into, View v) {
        for (int worker = 0; worker < v.running().workers(); worker++) {
            CounterPage page = pages.apply(worker);
            long received = 0;
            long rehomed = 0;
            for (Direction direction : Direction.values()) {
                received += page.receivedPackets(direction);
                rehomed += page.rehomedIn(direction);
            }
            into.addObject()
                    .put("id", worker)
                    .put("cpu", cpus.workers().get(worker))
                    .put("utilisation", Math.round(v.utilisation().get(worker) * 1000) / 1000.0)
                    .put("received", received)
                    .put("rehomed", rehomed);
        }
    }

    private void traffic(ObjectNode into, Direction direction, int workers) {
        long received = 0;
        long receivedBytes = 0;
        long sent = 0;
        long sentBytes = 0;
        long[] verdicts = new long[Verdict.values().length];
        for (int worker = 0; worker < workers; worker++) {
            CounterPage page = pages.apply(worker);
            received += page.receivedPackets(direction);
            receivedBytes += page.receivedBytes(direction);
            sent += page.verdict(direction, Verdict.FORWARDED);
            sentBytes += page.sentBytes(direction);
            for (Verdict verdict : Verdict.values()) {
                verdicts[verdict.ordinal()] += page.verdict(direction, verdict);
            }
        }
        into.put("received", received);
        into.put("receivedBytes", receivedBytes);
        into.put("sent", sent);
        into.put("sentBytes", sentBytes);
        into.put("answered", verdicts[Verdict.ECHO_ANSWERED.ordinal()]);
        ObjectNode drops = into.putObject("drops");
        for (Verdict verdict : Verdict.values()) {
            if (verdict.isDrop() && verdicts[verdict.ordinal()] != 0) {
                drops.put(verdict.name(), verdicts[verdict.ordinal()]);
            }
        }
    }

    private static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
