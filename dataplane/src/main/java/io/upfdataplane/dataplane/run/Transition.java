package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.Plan;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A mode change that is over.
 *
 * @param uplinkInterruptionNs longest time in which a worker with uplink traffic sent nothing; null without traffic
 * @param packetsLost overruns of rings and of the pool during the change
 */
record Transition(
        Plan.Mode from,
        Plan.Mode to,
        Instant startedAt,
        Instant finishedAt,
        @Nullable Long uplinkInterruptionNs,
        @Nullable Long downlinkInterruptionNs,
        long packetsLost,
        int sessionsKept,
        int sessionsLost,
        Outcome outcome) {

    enum Outcome {
        Succeeded,
        Refused
    }

    /** The longer of the two; null when there was no traffic. */
    @Nullable
    Long interruptionNs() {
        if (uplinkInterruptionNs == null || downlinkInterruptionNs == null) {
            return uplinkInterruptionNs == null ? downlinkInterruptionNs : uplinkInterruptionNs;
        }
        return Math.max(uplinkInterruptionNs, downlinkInterruptionNs);
    }
}
