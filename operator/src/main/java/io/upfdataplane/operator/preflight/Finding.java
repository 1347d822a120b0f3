package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneStatus.CheckResult;
import org.jspecify.annotations.Nullable;

/** What one check found: what is there, what is needed, and what to do. The check's name is API. */
public record Finding(
        String check,
        CheckResult result,
        String observed,
        @Nullable String required,
        @Nullable String hint) {

    static Finding pass(Check check, String observed) {
        return new Finding(check.name(), CheckResult.Pass, observed, null, null);
    }

    static Finding warn(Check check, String observed, String required, String hint) {
        return new Finding(check.name(), CheckResult.Warn, observed, required, hint);
    }

    static Finding fail(Check check, String observed, String required, String hint) {
        return new Finding(check.name(), CheckResult.Fail, observed, required, hint);
    }

    /** It could not be asked; decided where the mode will run. */
    static Finding unknown(Check check, String what) {
        return new Finding(
                check.name(),
                CheckResult.Unknown,
                "the node report does not tell " + what,
                null,
                "it is decided when the dataplane starts");
    }

    Finding skipped() {
        return new Finding(check, CheckResult.Skipped, observed, required, "left out by spec.preflight.skip");
    }

    Finding warned() {
        return new Finding(check, CheckResult.Warn, observed, required, hint);
    }

    /** Found, needed, what to do. */
    String sentence() {
        return check + ": " + observed + (required == null ? "" : "; needed: " + required) + "; " + hint;
    }

    public boolean failed() {
        return result == CheckResult.Fail;
    }
}
