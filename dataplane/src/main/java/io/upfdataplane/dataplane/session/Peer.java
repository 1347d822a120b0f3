package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.NodeId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A control plane function with which we are, or were, associated: one for each Node ID. Control thread. */
final class Peer {
    private static final int MOST_ADDRESSES = 16;
    final int index;
    final NodeId nodeId;
    /** Where its requests came from; ours go there. */
    InetSocketAddress address;

    final RecoveryWatch recovery = new RecoveryWatch();
    final Set<InetAddress> seen = new LinkedHashSet<>();
    Instant associatedAt;
    State state = State.ASSOCIATED;
    int sessions;
    boolean everAnswered;
    boolean isHeartbeatOutstanding;
    long nextHeartbeatNs;

    @Nullable
    Instant lastHeartbeat;

    enum State {
        ASSOCIATED,
        /** Answered our heartbeats once, does so no more; its sessions stay. */
        SILENT,
        /** Its former sessions are being taken down; it has its answer when they are gone. */
        CLEARING
    }

    Peer(int index, NodeId nodeId, InetSocketAddress address, Instant associatedAt) {
        this.index = index;
        this.nodeId = nodeId;
        this.address = address;
        this.associatedAt = associatedAt;
        seen.add(address.getAddress());
    }

    boolean isAssociated() {
        return state != State.CLEARING;
    }

    /** Its session messages may come from here, too; the address seen longest ago gives way. */
    void sawAt(InetAddress from) {
        if (seen.add(from) && seen.size() > MOST_ADDRESSES) {
            seen.remove(seen.iterator().next());
        }
    }
}
