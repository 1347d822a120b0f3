package io.upfdataplane.operator.status;

import io.upfdataplane.operator.api.UpfDataplaneStatus;
import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The figures of a dataplane as status shows them. */
final class Reported {
    /** A figure is written anew when it has moved by more than this part of itself. */
    private static final double NOTEWORTHY = 0.10;

    private static final int MAX_PEERS = 32;

    private Reported() {}

    static UpfDataplaneStatus.@Nullable Transition lastTransition(
            @Nullable DataplaneReport report, @Nullable UpfDataplaneStatus previous) {
        UpfDataplaneStatus.Transition before = previous == null ? null : previous.lastTransition();
        DataplaneReport.Transition last = report == null ? null : report.lastTransition();
        if (last == null) {
            return before;
        }
        Long micros = last.interruptionMicros();
        return new UpfDataplaneStatus.Transition(
                last.from(),
                last.to(),
                UpfDataplaneStatus.Method.InPlace,
                last.startedAt(),
                last.finishedAt(),
                micros == null ? null : micros + "us",
                last.sessionsKept(),
                last.sessionsLost(),
                last.packetsLost(),
                last.outcome());
    }

    static @Nullable List<UpfDataplaneStatus.InterfaceStatus> interfaces(
            @Nullable DataplaneReport report, Optional<NodeFacts> facts) {
        if (report == null || report.interfaces() == null) {
            return null;
        }
        return report.interfaces().stream()
                .map(leg -> new UpfDataplaneStatus.InterfaceStatus(
                        Objects.requireNonNullElse(leg.leg(), "?"),
                        leg.device(),
                        facts.flatMap(f -> f.device(leg.device()))
                                .map(UpfNodeReportSpec.Device::driver)
                                .orElse(null),
                        leg.mtu(),
                        leg.queues(),
                        gateway(leg)))
                .toList();
    }

    private static UpfDataplaneStatus.@Nullable GatewayStatus gateway(DataplaneReport.Interface leg) {
        List<DataplaneReport.NextHop> hops = leg.nextHops() == null ? List.of() : leg.nextHops();
        return hops.stream()
                .filter(DataplaneReport.NextHop::gateway)
                .findFirst()
                .map(hop -> new UpfDataplaneStatus.GatewayStatus(hop.ip(), hop.mac(), state(hop)))
                .orElse(null);
    }

    /** The kernel moves an answering neighbour between these by itself; writing each move would be noise. */
    private static @Nullable String state(DataplaneReport.NextHop hop) {
        String state = hop.state();
        return "Stale".equals(state) || "Delay".equals(state) || "Probe".equals(state) ? "Reachable" : state;
    }

    static @Nullable List<UpfDataplaneStatus.PeerStatus> peers(@Nullable DataplaneReport report) {
        if (report == null || report.peers() == null) {
            return null;
        }
        return report.peers().stream()
                .limit(MAX_PEERS)
                .map(peer -> new UpfDataplaneStatus.PeerStatus(
                        Objects.requireNonNullElse(peer.nodeId(), "?"),
                        peer.address(),
                        peer.state(),
                        peer.associatedAt(),
                        null))
                .toList();
    }

    static UpfDataplaneStatus.@Nullable SessionsStatus sessions(
            @Nullable DataplaneReport report, @Nullable UpfDataplaneStatus previous) {
        DataplaneReport.Sessions now = report == null ? null : report.sessions();
        if (now == null) {
            return null;
        }
        UpfDataplaneStatus.SessionsStatus before = previous == null ? null : previous.sessions();
        return new UpfDataplaneStatus.SessionsStatus(
                steady(now.active(), before == null ? null : before.active()), now.max());
    }

    private static @Nullable Long steady(@Nullable Long now, @Nullable Long before) {
        if (now == null || before == null) {
            return now;
        }
        boolean leavesZero = (now == 0) != (before == 0);
        return leavesZero || Math.abs(now - before) > NOTEWORTHY * before ? now : before;
    }

    static @Nullable List<UpfDataplaneStatus.WorkerStatus> workers(@Nullable DataplaneReport report) {
        if (report == null || report.workers() == null) {
            return null;
        }
        return report.workers().stream()
                .map(worker -> new UpfDataplaneStatus.WorkerStatus(worker.id(), worker.cpu()))
                .toList();
    }
}
