package io.upfdataplane.dataplane.pfcp;

import org.jspecify.annotations.Nullable;

/**
 * What an answer says became of a request: Cause, Offending IE (TS 29.244 §8.2.22), Failed Rule ID (§8.2.80).
 *
 * @param offendingIe 0 for none
 */
public record Outcome(
        Cause cause, int offendingIe, @Nullable FailedRule failedRule) {
    public static final Outcome ACCEPTED = of(Cause.REQUEST_ACCEPTED);

    public static Outcome of(Cause cause) {
        return new Outcome(cause, 0, null);
    }

    public static Outcome of(PfcpFault fault) {
        return new Outcome(fault.reason(), fault.offendingIe(), null);
    }

    public boolean isAccepted() {
        return cause == Cause.REQUEST_ACCEPTED;
    }

    /** The rule that could not be made or changed. */
    public record FailedRule(Kind kind, long id) {
        void write(IeWriter out) {
            out.begin(IeType.FAILED_RULE_ID).u8(kind.ordinal());
            switch (kind) {
                case PDR -> out.u16((int) id);
                case BAR -> out.u8((int) id);
                case FAR, QER, URR -> out.u32((int) id);
            }
            out.end();
        }
    }

    /** In the order of their Rule ID Type values. */
    public enum Kind {
        PDR,
        FAR,
        QER,
        URR,
        BAR
    }
}
