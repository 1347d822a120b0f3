package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;

/** One question about a plan and the facts of a place. Pure: the same facts give the same finding. */
interface Check {
    boolean appliesTo(Plan plan);

    Finding judge(Plan plan, Facts facts);

    /** The name of a check is that of its class; the names are API. */
    default Finding finding(Result result, String observed, String required, String hint) {
        return new Finding(getClass().getSimpleName(), result, observed, required, hint);
    }

    default Finding pass(String observed, String required) {
        return finding(Result.Pass, observed, required, "");
    }

    static boolean isXdp(Plan plan) {
        return plan.mode() == Plan.Mode.AF_XDP;
    }
}
