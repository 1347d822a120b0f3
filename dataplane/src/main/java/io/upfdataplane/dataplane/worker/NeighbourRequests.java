package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.handover.Event;

/**
 * Tells the control thread of next hops that packets wait for: each at most once in a while, and not more in all than
 * the control thread can bear. Its worker only.
 */
final class NeighbourRequests {
    private static final long AGAIN_NS = 100_000_000;
    private static final int MOST_AT_A_TIME = 16;

    private final long[] asked = new long[MOST_AT_A_TIME];
    private int count;
    private long sinceNs;

    void want(boolean towardsAccess, int ipv4, long nowNs, Outbox outbox) {
        if (nowNs - sinceNs > AGAIN_NS) {
            count = 0;
            sinceNs = nowNs;
        }
        long event = Event.neighbourWanted(towardsAccess, ipv4);
        for (int i = 0; i < count; i++) {
            if (asked[i] == event) {
                return;
            }
        }
        if (count < MOST_AT_A_TIME) {
            asked[count++] = event;
            outbox.wantNeighbour(event);
        }
    }
}
