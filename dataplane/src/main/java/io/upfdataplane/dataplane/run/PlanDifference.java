package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What separates a new plan from the one that runs. The mode changes in place; the rest sizes what is made once at the
 * start, so it needs a restart.
 */
public record PlanDifference(boolean mode, List<String> restartNeeded) {
    public PlanDifference {
        restartNeeded = List.copyOf(restartNeeded);
    }

    public static PlanDifference between(Plan running, Plan wanted) {
        List<String> fields = new ArrayList<>();
        differs(fields, "workers", running.workers(), wanted.workers());
        differs(fields, "interfaces.n3", running.n3(), wanted.n3());
        differs(fields, "interfaces.n6", running.n6(), wanted.n6());
        differs(fields, "dataNetworks", running.dataNetworks(), wanted.dataNetworks());
        differs(fields, "pfcp", running.pfcp(), wanted.pfcp());
        differs(fields, "capacity.maxSessions", running.maxSessions(), wanted.maxSessions());
        differs(fields, "tuning", running.tuning(), wanted.tuning());
        differs(fields, "observability", running.observability(), wanted.observability());
        differs(fields, "state.directory", running.stateDirectory(), wanted.stateDirectory());
        return new PlanDifference(running.mode() != wanted.mode(), fields);
    }

    private static void differs(List<String> fields, String name, Object running, Object wanted) {
        if (!Objects.equals(running, wanted)) {
            fields.add(name);
        }
    }
}
