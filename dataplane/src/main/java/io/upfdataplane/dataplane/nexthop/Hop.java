package io.upfdataplane.dataplane.nexthop;

import io.upfdataplane.dataplane.apply.Side;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A next hop as it stands, for status.
 *
 * @param device of the leg that it is reached by
 * @param role Gateway, Router (via of a route) or Peer (on the link)
 * @param mac null while it is not known
 */
public record Hop(
        Side side,
        String device,
        String address,
        Role role,
        @Nullable String mac,
        State state,
        Instant since) {
    public enum Role {
        Gateway,
        Router,
        Peer
    }

    /** The kernel's neighbour states (ndm_state of rtnetlink(7)) as far as they differ for us. */
    public enum State {
        Resolving,
        Reachable,
        /** Usable; the kernel has not heard of it lately and will ask when it is used. */
        Stale,
        Probe,
        /** Set by an administrator. */
        Permanent,
        Failed;

        public boolean isResolved() {
            return this != Resolving && this != Failed;
        }
    }
}
