package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import java.util.List;

/** There is a CPU for each worker and one for the control thread. */
final class CpuLimit implements Check {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        int needed = plan.workers() + 1;
        Double quota = facts.node().cpus().quota();
        List<Integer> allowed = facts.node().cpus().allowed();
        String required =
                needed + " CPUs: " + plan.workers() + (plan.workers() == 1 ? " worker" : " workers") + " + 1 control";
        if (quota != null && quota < needed) {
            long percent = Math.round(100 * quota / needed);
            return finding(
                    Result.Fail,
                    "limits.cpu " + quota,
                    required,
                    "the CFS quota would hold each thread at about " + percent + " %; set limits.cpu to " + needed
                            + (quota >= 2 ? " or workers to " + ((int) Math.floor(quota) - 1) : ""));
        }
        if (allowed.size() < needed) {
            return finding(
                    Result.Warn,
                    allowed.size() + (allowed.size() == 1 ? " CPU" : " CPUs") + " in the cpuset and no quota",
                    required,
                    "workers share CPUs with the control thread, so poll Busy is taken as Adaptive");
        }
        return pass(quota == null ? allowed.size() + " CPUs, no quota" : "limits.cpu " + quota, required);
    }
}
