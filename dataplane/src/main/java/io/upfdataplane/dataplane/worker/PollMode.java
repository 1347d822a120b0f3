package io.upfdataplane.dataplane.worker;

/** What a worker does while nothing arrives. */
public enum PollMode {
    /** Waits in poll at once. */
    INTERRUPT,
    /** Spins for a while, then waits in poll. */
    ADAPTIVE,
    /** Never waits. */
    BUSY
}
