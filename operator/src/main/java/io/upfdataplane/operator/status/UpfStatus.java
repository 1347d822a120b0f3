package io.upfdataplane.operator.status;

import io.upfdataplane.operator.api.ConditionType;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplaneStatus;
import io.upfdataplane.operator.api.UpfDataplaneStatus.CheckResult;
import io.upfdataplane.operator.api.UpfDataplaneStatus.Method;
import io.upfdataplane.operator.api.UpfDataplaneStatus.PlanState;
import io.upfdataplane.operator.model.Fault;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.preflight.Finding;
import io.upfdataplane.operator.preflight.Verdict;
import io.upfdataplane.operator.render.StatefulSetObject;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The status of a UpfDataplane, worked out from what is seen now. Pure: the same inputs give the same status. */
public final class UpfStatus {
    private final Judgement judgement;
    private final Observed observed;
    private final @Nullable UpfDataplaneStatus previous;
    private final Conditions conditions;

    private UpfStatus(Judgement judgement, Observed observed, @Nullable UpfDataplaneStatus previous) {
        this.judgement = judgement;
        this.observed = observed;
        this.previous = previous;
        this.conditions =
                new Conditions(previous == null ? null : previous.conditions(), observed.generation(), observed.now());
    }

    public static UpfDataplaneStatus of(Judgement judgement, Observed observed, @Nullable UpfDataplaneStatus previous) {
        return new UpfStatus(judgement, observed, previous).status();
    }

    private UpfDataplaneStatus status() {
        acceptedToProgrammed();
        DatapathConditions.judge(conditions, observed.report(), observed.silence());
        progressing();
        ready();
        Problems.judge(conditions, observed.report());
        Optional<Plan> plan = plan();
        return new UpfDataplaneStatus(
                observed.generation(),
                conditions.all(),
                mode(),
                preflight(),
                plan.map(this::planStatus).orElse(previous == null ? null : previous.plan()),
                Reported.lastTransition(observed.report(), previous),
                plan.map(Plan::tuning).orElse(previous == null ? null : previous.tuning()),
                plan.map(p -> new UpfDataplaneStatus.ResourcesStatus(
                                p.cpus().toPlainString(), StatefulSetObject.memory(p.memoryBytes())))
                        .orElse(previous == null ? null : previous.resources()),
                verdict().map(Verdict::recommendation).orElse(previous == null ? null : previous.recommendation()),
                facts().map(NodeFacts::node).orElse(previous == null ? null : previous.node()),
                observed.pod(),
                Reported.interfaces(observed.report(), facts()),
                Reported.peers(observed.report()),
                Reported.sessions(observed.report(), previous),
                Reported.workers(observed.report()));
    }

    // ---- conditions, in the order of the way from spec to traffic ----

    private void acceptedToProgrammed() {
        switch (judgement) {
            case Judgement.NotAccepted(var malformed) -> {
                String faults = malformed.faults().stream().map(Fault::toString).collect(Collectors.joining("; "));
                conditions.isFalse(ConditionType.Accepted, "Malformed", faults);
                unjudged("NotAccepted", "the spec must be well-formed first");
            }
            case Judgement.NotJudged(String reason, String message) -> {
                conditions.isTrue(ConditionType.Accepted, "Valid", "the spec is well-formed");
                unjudged(reason, message);
            }
            case Judgement.NotCleared(var refused) -> {
                conditions.isTrue(ConditionType.Accepted, "Valid", "the spec is well-formed");
                resolvedRefs(refused);
                Finding first = refused.findings().stream()
                        .filter(Finding::failed)
                        .findFirst()
                        .orElseThrow();
                conditions.isFalse(ConditionType.PreflightPassed, first.check(), refused.why());
                conditions.isFalse(
                        ConditionType.Programmed, "PreflightFailed", "nothing was changed: preflight refused the spec");
            }
            case Judgement.Planned(var plan) -> {
                conditions.isTrue(ConditionType.Accepted, "Valid", "the spec is well-formed");
                resolvedRefs(plan.cleared());
                passed(plan.cleared());
                if (observed.handedOver() == null) {
                    conditions.isTrue(ConditionType.Programmed, "Applied", "plan " + plan.hash() + " was handed over");
                } else {
                    conditions.isFalse(ConditionType.Programmed, "ApplyFailed", observed.handedOver());
                }
            }
        }
    }

    private void unjudged(String reason, String message) {
        conditions.isUnknown(ConditionType.ResolvedRefs, reason, message);
        conditions.isUnknown(ConditionType.PreflightPassed, reason, message);
        conditions.isFalse(ConditionType.Programmed, reason, "nothing was changed: " + message);
    }

    private void resolvedRefs(Verdict verdict) {
        Finding devices = verdict.findings().stream()
                .filter(f -> f.check().equals("InterfaceExists"))
                .findFirst()
                .orElseThrow();
        switch (devices.result()) {
            case Pass -> conditions.isTrue(ConditionType.ResolvedRefs, "Resolved", devices.observed());
            case Unknown -> conditions.isUnknown(ConditionType.ResolvedRefs, "NotReported", devices.observed());
            default ->
                conditions.isFalse(
                        ConditionType.ResolvedRefs, "DeviceMissing", devices.observed() + "; " + devices.hint());
        }
    }

    private void passed(Verdict verdict) {
        String warnings = verdict.findings().stream()
                .filter(f -> f.result() == CheckResult.Warn)
                .map(Finding::check)
                .collect(Collectors.joining(", "));
        if (warnings.isEmpty()) {
            conditions.isTrue(ConditionType.PreflightPassed, "Passed", "every check passed");
        } else {
            conditions.isTrue(ConditionType.PreflightPassed, "PassedWithWarnings", "warnings: " + warnings);
        }
    }

    private void progressing() {
        Optional<Plan> plan = plan();
        if (observed.paused()) {
            conditions.isFalse(ConditionType.Progressing, "Paused", "spec.paused is true: nothing is changed");
        } else if (plan.isEmpty()) {
            conditions.isFalse(ConditionType.Progressing, "Refused", "nothing is on its way");
        } else if (observed.handedOver() != null) {
            conditions.isTrue(ConditionType.Progressing, "Retrying", observed.handedOver());
        } else if (refusal(plan.get()) != null) {
            conditions.isFalse(ConditionType.Progressing, "RolledBack", "the dataplane refused the plan");
        } else if (runs(plan.get())) {
            conditions.isFalse(
                    ConditionType.Progressing, "Settled", "plan " + plan.get().hash() + " runs");
        } else {
            Method method = method(plan.get());
            conditions.isTrue(
                    ConditionType.Progressing,
                    switch (method) {
                        case Start -> "Starting";
                        case InPlace -> "ChangingInPlace";
                        case Replace -> "Replacing";
                    },
                    "waiting for the dataplane to run plan " + plan.get().hash());
        }
    }

    private void ready() {
        for (ConditionType needed : List.of(
                ConditionType.Accepted,
                ConditionType.ResolvedRefs,
                ConditionType.PreflightPassed,
                ConditionType.Programmed,
                ConditionType.DatapathReady)) {
            if (!conditions.holds(needed)) {
                conditions.isFalse(
                        ConditionType.Ready,
                        conditions.get(needed).getReason(),
                        conditions.get(needed).getMessage());
                return;
            }
        }
        Mode active = observed.report() == null ? null : observed.report().activeMode();
        // What Auto has become is in the plan.
        Mode wanted = plan().map(plan -> plan.model().mode()).orElse(observed.desired());
        DataplaneReport.Refusal refusal = plan().map(this::refusal).orElse(null);
        if (refusal != null) {
            conditions.isFalse(ConditionType.Ready, "RolledBack", Problems.sentence(refusal));
        } else if (active != wanted) {
            conditions.isFalse(ConditionType.Ready, "ModeNotActive", active + " is active, " + wanted + " is desired");
        } else if (!plan().map(this::runs).orElse(false)) {
            conditions.isFalse(ConditionType.Ready, "Progressing", "the dataplane does not run the new plan yet");
        } else {
            conditions.isTrue(ConditionType.Ready, "Running", active + " is active and forwards");
        }
    }

    // ---- the rest ----

    private Optional<Plan> plan() {
        return judgement instanceof Judgement.Planned(Plan plan) ? Optional.of(plan) : Optional.empty();
    }

    private Optional<Verdict> verdict() {
        return switch (judgement) {
            case Judgement.NotCleared(var refused) -> Optional.of(refused);
            case Judgement.Planned(var plan) -> Optional.of(plan.cleared());
            case Judgement.NotAccepted a -> Optional.empty();
            case Judgement.NotJudged j -> Optional.empty();
        };
    }

    private Optional<NodeFacts> facts() {
        return verdict().map(Verdict::facts);
    }

    private boolean runs(Plan plan) {
        return observed.report() != null && plan.hash().equals(observed.report().runningHash());
    }

    private DataplaneReport.@Nullable Refusal refusal(Plan plan) {
        DataplaneReport report = observed.report();
        DataplaneReport.Refusal refused = report == null ? null : report.refused();
        return refused != null && plan.hash().equals(refused.planHash()) ? refused : null;
    }

    private UpfDataplaneStatus.PlanStatus planStatus(Plan plan) {
        UpfDataplaneStatus.PlanStatus before = before(plan);
        if (before != null && plan.changes().isEmpty()) {
            // The way to a plan is worth keeping when it has been gone.
            return new UpfDataplaneStatus.PlanStatus(
                    before.hash(),
                    before.from(),
                    before.to(),
                    before.method(),
                    before.changes(),
                    before.expectedInterruption(),
                    stateOf(plan));
        }
        List<String> changes = Stream.concat(
                        plan.changes().stream().map(Objects::toString),
                        asksForReplacement(plan).map(field -> field + ": the dataplane cannot take it while it runs"))
                .limit(64)
                .toList();
        return new UpfDataplaneStatus.PlanStatus(
                plan.hash(),
                plan.from(),
                plan.model().mode(),
                method(plan),
                before != null && before.method() == method(plan) && before.changes() != null
                        ? before.changes()
                        : changes,
                plan.expectedInterruption(method(plan)),
                stateOf(plan));
    }

    private UpfDataplaneStatus.@Nullable PlanStatus before(Plan plan) {
        UpfDataplaneStatus.PlanStatus before = previous == null ? null : previous.plan();
        return before != null && plan.hash().equals(before.hash()) ? before : null;
    }

    /** The plan's own, unless the dataplane knows better: it has the last word on what it can take while it runs. */
    private Method method(Plan plan) {
        UpfDataplaneStatus.PlanStatus before = before(plan);
        boolean replaced = before != null
                && before.method() == Method.Replace
                && !plan.changes().isEmpty();
        return replaced || asksForReplacement(plan).findAny().isPresent() ? Method.Replace : plan.method();
    }

    private Stream<String> asksForReplacement(Plan plan) {
        DataplaneReport report = observed.report();
        return report != null && report.needsRestartFor(plan.hash()) ? report.restartNeeded().stream() : Stream.empty();
    }

    private PlanState stateOf(Plan plan) {
        return refusal(plan) != null ? PlanState.Refused : runs(plan) ? PlanState.Applied : PlanState.Pending;
    }

    private UpfDataplaneStatus.ModeStatus mode() {
        DataplaneReport report = observed.report();
        DataplaneReport.ActiveMode mode = report == null ? null : report.mode();
        return mode == null
                ? new UpfDataplaneStatus.ModeStatus(observed.desired(), null, null, null, null)
                : new UpfDataplaneStatus.ModeStatus(
                        observed.desired(), mode.active(), mode.since(), mode.zeroCopy(), mode.xdpAttach());
    }

    /** Keeps the time of the last judgement while its result stays. */
    private UpfDataplaneStatus.@Nullable PreflightStatus preflight() {
        UpfDataplaneStatus.PreflightStatus before = previous == null ? null : previous.preflight();
        if (verdict().isEmpty()) {
            return before;
        }
        List<UpfDataplaneStatus.CheckStatus> checks = verdict().get().findings().stream()
                .map(f ->
                        new UpfDataplaneStatus.CheckStatus(f.check(), f.result(), f.observed(), f.required(), f.hint()))
                .toList();
        String node = verdict().get().facts().node();
        boolean same = before != null && node.equals(before.node()) && checks.equals(before.checks());
        return same
                ? before
                : new UpfDataplaneStatus.PreflightStatus(
                        node,
                        observed.now()
                                .truncatedTo(java.time.temporal.ChronoUnit.SECONDS)
                                .toString(),
                        checks);
    }
}
