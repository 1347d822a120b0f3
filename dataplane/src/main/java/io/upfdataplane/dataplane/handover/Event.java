package io.upfdataplane.dataplane.handover;

import io.upfdataplane.dataplane.apply.Side;

/**
 * What a worker tells the control thread, in one word that is never 0. There is one kind: packets wait for a neighbour.
 * Bits 33–40 are the kind, 32 the leg, 0–31 the address.
 */
public final class Event {
    private static final long NEIGHBOUR_WANTED = 1L << 33;
    private static final long CORE = 1L << 32;

    private Event() {}

    public static long neighbourWanted(boolean towardsAccess, int ipv4) {
        return NEIGHBOUR_WANTED | (towardsAccess ? 0 : CORE) | Integer.toUnsignedLong(ipv4);
    }

    static Side side(long event) {
        return (event & CORE) == 0 ? Side.ACCESS : Side.CORE;
    }

    static int ipv4(long event) {
        return (int) event;
    }
}
