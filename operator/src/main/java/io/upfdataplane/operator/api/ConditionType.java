package io.upfdataplane.operator.api;

/** The conditions of a UpfDataplane; the names are API. */
public enum ConditionType {
    /** The spec is well-formed. */
    Accepted,
    /** What the spec names is there. */
    ResolvedRefs,
    /** The spec may run on the node. */
    PreflightPassed,
    /** What the spec asks for has been handed to the dataplane. */
    Programmed,
    /** Packets can be forwarded, by whatever is active. */
    DatapathReady,
    /** An SMF has an association with us. */
    AssociationEstablished,
    /** A change is on its way. */
    Progressing,
    /** What is asked for runs and forwards. */
    Ready,

    // Problems: present only while true.
    /** A gateway does not answer for its MAC address. */
    NeighborUnresolved,
    /** An SMF that had an association no longer answers. */
    AssociationLost,
    /** The dataplane could not run what was asked for, and runs what ran before. */
    RolledBack;

    /** Whether it is only there while it is true. */
    public boolean isProblem() {
        return ordinal() > Ready.ordinal();
    }
}
