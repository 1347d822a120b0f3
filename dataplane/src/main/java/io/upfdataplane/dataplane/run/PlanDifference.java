package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What separates a new plan from the one that runs. The mode, the data networks and most of N4 change in place; the rest
 * sizes or names what is made once at the start, so it needs a restart.
 *
 * @param inPlace fields that change under traffic, beside the mode
 * @param restartNeeded when it names a field, nothing is changed
 */
public record PlanDifference(boolean mode, List<String> inPlace, List<String> restartNeeded) {
    public PlanDifference {
        inPlace = List.copyOf(inPlace);
        restartNeeded = List.copyOf(restartNeeded);
    }

    public static PlanDifference between(Plan running, Plan wanted) {
        List<String> inPlace = new ArrayList<>();
        differs(inPlace, "dataNetworks", running.dataNetworks(), wanted.dataNetworks());
        Plan.Pfcp n4 = running.pfcp();
        Plan.Pfcp wantedN4 = wanted.pfcp();
        differs(inPlace, "pfcp.role", n4.role(), wantedN4.role());
        differs(inPlace, "pfcp.peers", n4.peers(), wantedN4.peers());
        differs(inPlace, "pfcp.heartbeat.interval", n4.heartbeatInterval(), wantedN4.heartbeatInterval());
        differs(inPlace, "pfcp.heartbeat.timeout", n4.heartbeatTimeout(), wantedN4.heartbeatTimeout());
        differs(inPlace, "pfcp.heartbeat.retries", n4.heartbeatRetries(), wantedN4.heartbeatRetries());
        differs(inPlace, "pfcp.retransmission.timeout", n4.retransmissionTimeout(), wantedN4.retransmissionTimeout());
        differs(inPlace, "pfcp.retransmission.retries", n4.retransmissionRetries(), wantedN4.retransmissionRetries());
        List<String> fields = new ArrayList<>();
        differs(fields, "workers", running.workers(), wanted.workers());
        differs(fields, "interfaces.n3", running.n3(), wanted.n3());
        differs(fields, "interfaces.n6", running.n6(), wanted.n6());
        differs(fields, "pfcp.nodeId", n4.nodeId(), wantedN4.nodeId());
        differs(fields, "pfcp.bindAddress", n4.bindAddress(), wantedN4.bindAddress());
        differs(fields, "pfcp.bindPort", n4.bindPort(), wantedN4.bindPort());
        differs(fields, "capacity.maxSessions", running.maxSessions(), wanted.maxSessions());
        differs(fields, "tuning", running.tuning(), wanted.tuning());
        differs(fields, "observability", running.observability(), wanted.observability());
        differs(fields, "state.directory", running.stateDirectory(), wanted.stateDirectory());
        return new PlanDifference(running.mode() != wanted.mode(), inPlace, fields);
    }

    private static void differs(List<String> fields, String name, Object running, Object wanted) {
        if (!Objects.equals(running, wanted)) {
            fields.add(name);
        }
    }
}
