package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.Outcome;
import io.upfdataplane.dataplane.pfcp.Outcome.FailedRule;
import io.upfdataplane.dataplane.pfcp.Outcome.Kind;

/** A request is refused whole; carries what the answer says and a sentence for the log. Control thread. */
final class Rejection extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Outcome outcome;

    Rejection(Outcome outcome, String message) {
        super(message, null, false, false);
        this.outcome = outcome;
    }

    static Rejection of(Cause cause, int offendingIe, String message) {
        return new Rejection(new Outcome(cause, offendingIe, null), message);
    }

    /** A rule that cannot be made or changed as asked. */
    static Rejection ofRule(Kind kind, long id, int offendingIe, String message) {
        return ofRule(Cause.RULE_CREATION_OR_MODIFICATION_FAILURE, kind, id, offendingIe, message);
    }

    static Rejection ofRule(Cause cause, Kind kind, long id, int offendingIe, String message) {
        return new Rejection(
                new Outcome(cause, offendingIe, new FailedRule(kind, id)),
                kind + " " + Long.toUnsignedString(id) + ": " + message);
    }

    Outcome outcome() {
        return outcome;
    }
}
