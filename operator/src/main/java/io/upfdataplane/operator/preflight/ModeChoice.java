package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplaneStatus.CheckResult;
import io.upfdataplane.operator.api.UpfDataplaneStatus.Recommendation;
import io.upfdataplane.operator.api.UpfDataplaneStatus.RejectedMode;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which mode a node runs best: the recommendation of every status, and what {@code Auto} becomes.
 *
 * @param mode what {@code Auto} becomes: the mode that runs, else the recommended one, else the least demanding one, so
 *     that its findings tell what is wrong
 */
record ModeChoice(Mode mode, Recommendation recommendation) {
    /** The fastest first. The last one asks least of a device. */
    private static final List<Mode> FASTEST_FIRST = List.of(Mode.DPDK, Mode.CNDP, Mode.AF_XDP, Mode.AF_PACKET);

    static ModeChoice of(UpfModel model, NodeFacts facts, Place place, @Nullable Mode kept) {
        Mode best = null;
        List<RejectedMode> rejected = new ArrayList<>();
        for (Mode mode : FASTEST_FIRST) {
            Optional<String> objection = objection(model, mode, facts, place, kept);
            if (objection.isPresent()) {
                rejected.add(new RejectedMode(mode, objection.get()));
            } else if (best == null) {
                best = mode;
            }
        }
        int workers = workers(model, facts, place);
        Recommendation recommendation =
                new Recommendation(best, workers, basis(best, workers, model, facts), List.copyOf(rejected));
        return new ModeChoice(kept != null ? kept : best != null ? best : FASTEST_FIRST.getLast(), recommendation);
    }

    /** What speaks against a mode, whether or not the user would let it pass; nothing but what the user skips is left out. */
    private static Optional<String> objection(
            UpfModel model, Mode mode, NodeFacts facts, Place place, @Nullable Mode kept) {
        List<Finding> findings = Preflight.judged(model.withMode(mode), facts, place);
        Optional<Finding> failed = findings.stream().filter(Finding::failed).findFirst();
        // A mode that runs has proved what a report cannot tell of devices that are in use.
        Optional<Finding> unproved = mode == kept
                ? Optional.empty()
                : findings.stream()
                        .filter(finding -> finding.result() == CheckResult.Unknown
                                && Preflight.isOnlyFor(finding.check(), mode, FASTEST_FIRST.getLast()))
                        .findFirst();
        return failed.or(() -> unproved).map(Finding::sentence);
    }

    /** Each worker a CPU of its own and one for control, as far as the limit and the place have them. */
    private static int workers(UpfModel model, NodeFacts facts, Place place) {
        int cpus = facts.allowedCpus().orElse(Integer.MAX_VALUE);
        BigDecimal limit = model.cpuLimit();
        if (limit != null) {
            cpus = Math.min(cpus, limit.setScale(0, RoundingMode.DOWN).intValue());
        }
        if (place == Place.HOST) {
            cpus = Math.min(cpus, facts.cpuQuota().map(Double::intValue).orElse(cpus));
        }
        return Math.max(1, Math.min(model.workers(), cpus - 1));
    }

    private static String basis(@Nullable Mode best, int workers, UpfModel model, NodeFacts facts) {
        String mode = best == null
                ? "no mode passes preflight on " + facts.node()
                : "preflight: the fastest mode that passes on " + facts.node();
        return workers == model.workers()
                ? mode
                : mode + "; CPUs for " + workers + (workers == 1 ? " worker" : " workers") + " and control, not for "
                        + model.workers();
    }
}
