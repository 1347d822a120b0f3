package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** limits.cpu, the quota and the CPU set leave a CPU for every worker and one for control. */
final class CpuLimit implements Check {
    @Override
    public String about() {
        return "limits.cpu, the quota and the CPU set leave a CPU for every worker and one for control.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        int needed = model.workers() + 1;
        BigDecimal limit = model.cpuLimit();
        if (limit != null && limit.compareTo(BigDecimal.valueOf(needed)) < 0) {
            return Finding.fail(
                    this,
                    "limits.cpu " + limit.toPlainString() + " is below " + model.workers() + " workers + 1 control",
                    needed + " CPUs",
                    throttled(limit, model.workers()) + "; set limits.cpu to " + needed);
        }
        if (place == Place.HOST
                && facts.cpuQuota().filter(quota -> quota < needed).isPresent()) {
            return Finding.warn(
                    this,
                    "the CFS quota here is " + facts.cpuQuota().get() + " CPUs",
                    needed + " CPUs",
                    "workers wait instead of spinning (poll Adaptive); raise the quota of this cgroup");
        }
        if (facts.allowedCpus().isEmpty()) {
            return Finding.unknown(this, "the CPUs");
        }
        int allowed = facts.allowedCpus().get();
        if (allowed < needed) {
            return Finding.warn(
                    this,
                    allowed + " CPUs may be used",
                    model.workers() + " for workers + 1 for control",
                    "workers share CPUs and wait instead of spinning (poll Adaptive); lower spec.workers or give more CPUs");
        }
        return Finding.pass(this, allowed + " CPUs for " + model.workers() + " workers + 1 control");
    }

    private static String throttled(BigDecimal limit, int workers) {
        if (limit.compareTo(BigDecimal.valueOf(workers)) >= 0) {
            return "the CFS quota would stop all workers whenever control is busy";
        }
        int percent = limit.multiply(BigDecimal.valueOf(100))
                .divide(BigDecimal.valueOf(workers), RoundingMode.DOWN)
                .intValue();
        return "the CFS quota would hold each worker at " + percent + " %";
    }
}
