package io.upfdataplane.operator.status;

import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.preflight.Refused;

/** How far a resource came on its way from spec to plan. */
public sealed interface Judgement {
    /** No API server would take it. */
    record NotAccepted(Malformed faults) implements Judgement {}

    /** It is well-formed, but nothing is known of a node yet, or it asks for what this operator must not do. */
    record NotJudged(String reason, String message) implements Judgement {}

    record NotCleared(Refused refused) implements Judgement {}

    record Planned(Plan plan) implements Judgement {}
}
