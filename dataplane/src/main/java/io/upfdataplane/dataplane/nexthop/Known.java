package io.upfdataplane.dataplane.nexthop;

import io.upfdataplane.dataplane.apply.Side;
import java.time.Instant;

/** A next hop that is watched: what the kernel said of it last. Control thread. */
final class Known {
    // Bits of ndm_state.
    private static final int NUD_INCOMPLETE = 0x01;
    private static final int NUD_REACHABLE = 0x02;
    private static final int NUD_STALE = 0x04;
    private static final int NUD_DELAY = 0x08;
    private static final int NUD_PROBE = 0x10;
    private static final int NUD_FAILED = 0x20;
    private static final int NUD_NOARP = 0x40;
    private static final int NUD_PERMANENT = 0x80;

    final Side side;
    final int ipv4;
    final Hop.Role role;
    Hop.State state = Hop.State.Resolving;
    long mac;
    Instant since;
    long askedNs;

    Known(Side side, int ipv4, Hop.Role role, Instant now, long nowNs) {
        this.side = side;
        this.ipv4 = ipv4;
        this.role = role;
        this.since = now;
        // Due at once.
        this.askedNs = nowNs - Long.MAX_VALUE / 4;
    }

    /** True when packets now go elsewhere, or go where they did not. */
    boolean take(long newMac, int nud, Instant now) {
        Hop.State next = stateOf(nud);
        if (next.isResolved() && newMac == 0) {
            next = Hop.State.Resolving;
        }
        boolean moved = next.isResolved() != state.isResolved() || (next.isResolved() && newMac != mac);
        if (next != state) {
            state = next;
            since = now;
        }
        mac = next.isResolved() ? newMac : 0;
        return moved;
    }

    private static Hop.State stateOf(int nud) {
        return switch (nud) {
            case NUD_REACHABLE -> Hop.State.Reachable;
            case NUD_STALE -> Hop.State.Stale;
            case NUD_DELAY, NUD_PROBE -> Hop.State.Probe;
            case NUD_PERMANENT, NUD_NOARP -> Hop.State.Permanent;
            case NUD_FAILED -> Hop.State.Failed;
            case 0, NUD_INCOMPLETE -> Hop.State.Resolving;
            default -> Hop.State.Resolving;
        };
    }
}
