package io.upfdataplane.dataplane.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.preflight.Finding;

/** Why a plan does not run here: what was found, what is needed, what to do. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Refusal(String planHash, String mode, String check, String found, String needed, String hint) {

    static Refusal of(String planHash, String mode, PortRefused refused) {
        return new Refusal(planHash, mode, refused.check(), refused.found(), refused.needed(), refused.hint());
    }

    static Refusal of(String planHash, String mode, Finding finding) {
        return new Refusal(planHash, mode, finding.name(), finding.observed(), finding.required(), finding.hint());
    }

    @Override
    public String toString() {
        return check + ": found " + found + "; needed " + needed + (hint.isEmpty() ? "" : "; " + hint);
    }
}
