package io.upfdataplane.dataplane.session;

import org.jspecify.annotations.Nullable;

/**
 * Tells a peer's restart from its habits (TS 23.527 §4.2). OAI and pfcpsim put the present time into every Heartbeat
 * Request, so a change there counts only when the peer has kept its stamp over at least three requests; Association Setup
 * and Heartbeat Response are trusted. Control thread.
 */
final class RecoveryWatch {
    private static final int CONSTANT_AFTER = 3;
    private @Nullable Long trusted;
    private @Nullable Long requested;
    private int requestsAlike;

    /** An association was set up with this stamp. */
    void associated(@Nullable Long stamp) {
        trusted = stamp;
        requested = null;
        requestsAlike = 0;
    }

    /** True when this Heartbeat Response tells of a restart. */
    boolean isRestartInResponse(long stamp) {
        boolean isNewer = trusted != null && isNewer(stamp, trusted);
        if (trusted == null || isNewer) {
            trusted = stamp;
        }
        return isNewer;
    }

    /** True when this Heartbeat Request tells of a restart. */
    boolean isRestartInRequest(long stamp) {
        if (requested != null && requested == stamp) {
            requestsAlike++;
            return false;
        }
        boolean isRestart = requested != null && requestsAlike >= CONSTANT_AFTER && isNewer(stamp, requested);
        requested = stamp;
        requestsAlike = 1;
        return isRestart;
    }

    /** Stamps are 32 bits of seconds and pass zero in 2036. */
    private static boolean isNewer(long stamp, long than) {
        return (int) (stamp - than) > 0;
    }
}
