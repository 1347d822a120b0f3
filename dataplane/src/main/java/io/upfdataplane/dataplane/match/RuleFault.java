package io.upfdataplane.dataplane.match;

/** A rule that cannot be carried out. Nothing of its session was kept. */
public final class RuleFault extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is wrong. */
    public enum Kind {
        NO_RESOURCES,
        TEID_IN_USE,
        UE_ADDRESS_IN_USE,
        MISSING_RULE,
        UNSUPPORTED
    }

    private final Kind kind;
    private final String explanation;
    private final String rule;
    private final long ruleId;

    /**
     * @param rule PDR, FAR or QER
     */
    public RuleFault(Kind kind, String rule, long ruleId, String message) {
        super(rule + " " + ruleId + ": " + message);
        explanation = message;
        this.kind = kind;
        this.rule = rule;
        this.ruleId = ruleId;
    }

    public Kind kind() {
        return kind;
    }

    /** What is wrong with the rule. */
    public String explanation() {
        return explanation;
    }

    public String rule() {
        return rule;
    }

    public long ruleId() {
        return ruleId;
    }
}
