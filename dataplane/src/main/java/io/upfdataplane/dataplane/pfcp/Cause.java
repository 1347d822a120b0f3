package io.upfdataplane.dataplane.pfcp;

/** Causes that an answer of ours carries (TS 29.244 §8.2.1). */
public enum Cause {
    REQUEST_ACCEPTED(1),
    REQUEST_REJECTED(64),
    SESSION_CONTEXT_NOT_FOUND(65),
    MANDATORY_IE_MISSING(66),
    CONDITIONAL_IE_MISSING(67),
    INVALID_LENGTH(68),
    MANDATORY_IE_INCORRECT(69),
    INVALID_FORWARDING_POLICY(70),
    INVALID_F_TEID_ALLOCATION_OPTION(71),
    NO_ESTABLISHED_ASSOCIATION(72),
    RULE_CREATION_OR_MODIFICATION_FAILURE(73),
    NO_RESOURCES_AVAILABLE(75),
    SERVICE_NOT_SUPPORTED(76),
    SYSTEM_FAILURE(77),
    UNKNOWN_PREDEFINED_RULE(80),
    UNKNOWN_APPLICATION_ID(81);

    private final int value;

    Cause(int value) {
        this.value = value;
    }

    public int value() {
        return value;
    }
}
