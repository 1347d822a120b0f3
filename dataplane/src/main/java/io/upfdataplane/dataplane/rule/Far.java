package io.upfdataplane.dataplane.rule;

import org.jspecify.annotations.Nullable;

/**
 * A Forwarding Action Rule (TS 29.244 §7.5.2.3).
 *
 * @param destination where a forwarded packet goes; may be absent while the action is not {@code FORWARD}
 * @param outerHeaderCreation the tunnel it is put into, if any
 */
public record Far(
        long id,
        Action action,
        @Nullable DestinationInterface destination,
        String networkInstance,
        @Nullable OuterHeaderCreation outerHeaderCreation) {

    /** Apply Action (TS 29.244 §8.2.26). */
    public enum Action {
        FORWARD,
        DROP
    }
}
