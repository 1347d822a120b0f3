package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;

/** A worker that never sleeps does not share its CPU with the control thread. */
final class BusyPollIsolation implements Check {
    @Override
    public boolean appliesTo(Plan plan) {
        return Check.isXdp(plan);
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        int cpus = facts.node().cpus().allowed().size();
        String required = "no busy poll, or a CPU for the control thread beside " + plan.workers() + " for workers";
        if (plan.tuning().poll() != Plan.Poll.BUSY) {
            return pass("poll " + (plan.tuning().poll() == Plan.Poll.ADAPTIVE ? "Adaptive" : "Interrupt"), required);
        }
        if (cpus > plan.workers()) {
            return pass("poll Busy on " + cpus + " CPUs", required);
        }
        return finding(
                Result.Warn,
                "poll Busy, " + cpus + " CPUs for " + plan.workers() + " workers and the control thread",
                required,
                "busy poll on the control thread's CPU starves PFCP heartbeats, so poll is taken as Adaptive; give"
                        + " more CPUs or set tuning.poll to Adaptive");
    }
}
