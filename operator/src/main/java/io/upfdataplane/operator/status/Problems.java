package io.upfdataplane.operator.status;

import io.upfdataplane.operator.api.ConditionType;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Conditions that are only there while something is wrong, each with its evidence and what to do. */
final class Problems {
    /** As the dataplane writes the state of a neighbour whose MAC address it has. */
    private static final Set<String> RESOLVED =
            Set.of("Reachable", "Stale", "Delay", "Probe", "Permanent", "NoArp", "Resolved");

    private Problems() {}

    static void judge(Conditions conditions, @Nullable DataplaneReport report) {
        if (report == null) {
            return;
        }
        String unresolved = list(report.interfaces()).stream()
                .flatMap(leg -> list(leg.nextHops()).stream()
                        .filter(hop -> hop.gateway() && hop.state() != null && !RESOLVED.contains(hop.state()))
                        .map(hop -> "gateway " + hop.ip() + " of " + leg.leg() + " is " + hop.state()))
                .collect(Collectors.joining("; "));
        if (!unresolved.isEmpty()) {
            conditions.isTrue(
                    ConditionType.NeighborUnresolved,
                    "NoAnswer",
                    unresolved + "; packets to it are dropped and counted: check the link and the address");
        }
        String lost = DatapathConditions.peers(report).stream()
                .filter(peer -> "Lost".equals(peer.state()))
                .map(peer -> String.valueOf(peer.nodeId()))
                .collect(Collectors.joining(", "));
        if (!lost.isEmpty()) {
            conditions.isTrue(
                    ConditionType.AssociationLost,
                    "NoHeartbeat",
                    lost + " answers no heartbeat; its sessions stay and forward: check the SMF and the way to it");
        }
        DataplaneReport.Refusal refused = report.refused();
        if (refused != null) {
            conditions.isTrue(
                    ConditionType.RolledBack,
                    refused.check() == null || refused.check().isBlank() ? "Refused" : refused.check(),
                    sentence(refused));
        }
    }

    static String sentence(DataplaneReport.Refusal refused) {
        return "the dataplane goes on as before: found " + refused.found() + "; needed " + refused.needed() + "; "
                + refused.hint();
    }

    private static <T> List<T> list(@Nullable List<T> given) {
        return given == null ? List.of() : given;
    }
}
