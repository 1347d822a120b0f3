package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.MessageType;
import io.upfdataplane.dataplane.pfcp.NodeId;
import io.upfdataplane.dataplane.pfcp.PfcpEncoder;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatRequest;
import io.upfdataplane.dataplane.pfcp.UpFunctionFeatures;
import io.upfdataplane.dataplane.session.N4Settings.ConfiguredPeer;
import io.upfdataplane.dataplane.session.N4Settings.Role;
import io.upfdataplane.dataplane.session.N4Snapshot.PeerView;
import io.upfdataplane.dataplane.session.Peer.State;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peers, their heartbeats and their restarts. Silence never deletes a session; a restart, a release and a new
 * association do, in slices, so that no datagram waits for long. Control thread.
 */
final class Associations {
    static final int UP_FUNCTION_FEATURES = UpFunctionFeatures.FTUP;
    private static final Logger LOG = LoggerFactory.getLogger(Associations.class);
    private static final int PFCP_PORT = 8805;
    private static final int MOST_PEERS = 256;
    private static final int SLICE_SLOTS = 16 * 1024;
    private static final int SLICE_DELETIONS = 256;

    private N4Settings settings;
    private final Sessions sessions;
    private final InstantSource clock;
    private final long recoveryTimeStamp;
    private final NodeId ownNodeId;
    private final OwnRequests requests;
    private final N4Counters counters;
    private final Map<NodeId, Peer> byNodeId = new LinkedHashMap<>();
    private final Invitations invitations;
    private final ArrayDeque<Clearing> clearings = new ArrayDeque<>();
    private int nextIndex;

    /** A peer's sessions are being deleted; afterwards something is to be done. */
    private static final class Clearing {
        final Peer peer;
        final Runnable afterwards;
        int slot;

        Clearing(Peer peer, Runnable afterwards) {
            this.peer = peer;
            this.afterwards = afterwards;
        }
    }

    Associations(
            N4Settings settings,
            Sessions sessions,
            OwnRequests requests,
            N4Counters counters,
            long recoveryTimeStamp,
            InstantSource clock,
            long nowNs) {
        this.settings = settings;
        this.sessions = sessions;
        this.requests = requests;
        this.counters = counters;
        this.recoveryTimeStamp = recoveryTimeStamp;
        this.clock = clock;
        this.ownNodeId = new NodeId(settings.nodeId());
        this.invitations = new Invitations(settings, requests, counters, recoveryTimeStamp);
        invitations.use(settings, this::nodeAt, nowNs);
    }

    /** Peers, role and timers as configured anew; what is associated stays so. */
    void use(N4Settings changed, long nowNs) {
        settings = changed;
        invitations.use(changed, this::nodeAt, nowNs);
    }

    private @Nullable NodeId nodeAt(InetAddress address) {
        Peer peer = at(address);
        return peer == null ? null : peer.nodeId;
    }

    /** By Node ID first, by source address second (some clients name themselves differently from message to message). */
    @Nullable
    Peer find(NodeId nodeId, InetAddress from) {
        Peer peer = byNodeId.get(nodeId);
        return peer != null ? peer : at(from);
    }

    /** The peer seen at an address; the last one when several were. */
    @Nullable
    Peer at(InetAddress from) {
        Peer found = null;
        for (Peer peer : byNodeId.values()) {
            if (peer.seen.contains(from)) {
                found = peer;
            }
        }
        return found;
    }

    @Nullable
    Peer byIndex(int index) {
        for (Peer peer : byNodeId.values()) {
            if (peer.index == index) {
                return peer;
            }
        }
        return null;
    }

    /**
     * A peer asks for an association. When it had one, its former sessions go first; {@code whenReady} then sends the answer.
     */
    void setUp(AssociationSetupRequest request, InetSocketAddress from, long nowNs, Runnable whenReady)
            throws Rejection {
        NodeId nodeId = request.nodeId();
        if (nodeId.isUnspecified()) {
            throw Rejection.of(
                    Cause.MANDATORY_IE_INCORRECT, IeType.NODE_ID, "Node ID " + nodeId.text() + " is nobody's");
        }
        boolean isConfigured = settings.peers().stream()
                .anyMatch(peer -> peer.address().getAddress().equals(from.getAddress()));
        if (settings.role() == Role.ACTIVE && !isConfigured) {
            throw Rejection.of(
                    Cause.REQUEST_REJECTED,
                    0,
                    "role Active takes associations from configured peers only, not from " + from);
        }
        Peer known = byNodeId.get(nodeId);
        if (known != null && known.state == State.CLEARING) {
            return; // a repeat; the answer comes when the former sessions are gone
        }
        if (known == null && byNodeId.size() >= MOST_PEERS) {
            throw Rejection.of(
                    Cause.NO_RESOURCES_AVAILABLE, 0, byNodeId.size() + " peers are associated, no more are taken");
        }
        if (known == null) {
            associate(nodeId, from, request.recoveryTimeStamp(), nowNs);
            whenReady.run();
            return;
        }
        LOG.info("N4 peer {} associates again from {}: its {} sessions go", nodeId.text(), from, known.sessions);
        clear(known, () -> {
            associate(nodeId, from, request.recoveryTimeStamp(), nowNs);
            whenReady.run();
        });
    }

    private void associate(NodeId nodeId, InetSocketAddress from, @Nullable Long stamp, long nowNs) {
        Peer former = byNodeId.get(nodeId);
        if (former != null) {
            requests.forget(former);
        }
        Peer peer = new Peer(
                former == null ? nextIndex++ : former.index,
                nodeId,
                new InetSocketAddress(from.getAddress(), requestPort(from)),
                clock.instant());
        peer.recovery.associated(stamp);
        peer.nextHeartbeatNs = nowNs + settings.heartbeatInterval().toNanos();
        byNodeId.put(nodeId, peer);
        invitations.associated(nodeId, from.getAddress());
        LOG.info("N4 peer {} at {} is associated", nodeId.text(), from);
    }

    /** Requests go to the registered port (TS 29.244 §6.3.2), unless the configuration names another for this peer. */
    private int requestPort(InetSocketAddress from) {
        for (ConfiguredPeer peer : settings.peers()) {
            if (peer.address().getAddress().equals(from.getAddress())) {
                return peer.address().getPort();
            }
        }
        return PFCP_PORT;
    }

    void release(Peer peer, Runnable whenGone) {
        LOG.info("N4 peer {} releases its association: its {} sessions go", peer.nodeId.text(), peer.sessions);
        end(peer, whenGone);
    }

    private void end(Peer peer, Runnable afterwards) {
        clear(peer, () -> {
            byNodeId.remove(peer.nodeId);
            requests.forget(peer);
            afterwards.run();
        });
    }

    /** Answers go out elsewhere; here only what a heartbeat tells about its sender. */
    void heartbeatCame(HeartbeatRequest request, InetSocketAddress from) {
        Peer peer = at(from.getAddress());
        if (peer == null || !peer.isAssociated()) {
            return;
        }
        peer.lastHeartbeat = clock.instant();
        Long stamp = request.recoveryTimeStamp();
        if (stamp != null && peer.recovery.isRestartInRequest(stamp)) {
            restarted(peer);
        }
    }

    /**
     * The answer is matched by its sequence, wherever it comes from; only from an address known for this peer does its stamp
     * count, or anybody could end an association by guessing a number.
     */
    void heartbeatAnswered(Peer peer, long stamp, InetAddress from) {
        if (byNodeId.get(peer.nodeId) != peer || !peer.isAssociated()) {
            return;
        }
        peer.isHeartbeatOutstanding = false;
        peer.everAnswered = true;
        peer.lastHeartbeat = clock.instant();
        if (peer.state == State.SILENT) {
            LOG.info("N4 peer {} answers heartbeats again", peer.nodeId.text());
            peer.state = State.ASSOCIATED;
        }
        if (peer.seen.contains(from) && peer.recovery.isRestartInResponse(stamp)) {
            restarted(peer);
        }
    }

    private void restarted(Peer peer) {
        LOG.warn("N4 peer {} has restarted: its association and its {} sessions go", peer.nodeId.text(), peer.sessions);
        end(peer, () -> {});
    }

    void setupAnswered(ConfiguredPeer asked, AssociationSetupResponse answer, InetSocketAddress from, long nowNs) {
        if (!invitations.isAccepted(asked, answer, from, nowNs) || byNodeId.containsKey(answer.nodeId())) {
            return; // when both asked at once there is one association, made already
        }
        associate(answer.nodeId(), asked.address(), answer.recoveryTimeStamp(), nowNs);
        Peer peer = byNodeId.get(answer.nodeId());
        if (peer != null) {
            peer.sawAt(from.getAddress());
        }
    }

    private void clear(Peer peer, Runnable afterwards) {
        peer.state = State.CLEARING;
        clearings.add(new Clearing(peer, afterwards));
        clearSome();
    }

    boolean isClearing() {
        return !clearings.isEmpty();
    }

    /** One bounded slice of the deletions that are due. */
    void clearSome() {
        Clearing clearing = clearings.peek();
        if (clearing == null) {
            return;
        }
        if (clearing.peer.sessions > 0 && clearing.slot < sessions.slots()) {
            clearing.slot = sessions.deleteSome(clearing.peer, clearing.slot, SLICE_SLOTS, SLICE_DELETIONS);
        }
        if (clearing.peer.sessions == 0 || clearing.slot >= sessions.slots()) {
            clearings.remove();
            clearing.afterwards.run();
        }
    }

    void tick(long nowNs) {
        clearSome();
        invitations.tick(byNodeId::containsKey, nowNs);
        for (Peer peer : byNodeId.values()) {
            if (peer.isAssociated() && !peer.isHeartbeatOutstanding && nowNs - peer.nextHeartbeatNs >= 0) {
                beat(peer, nowNs);
            }
        }
    }

    private void beat(Peer peer, long nowNs) {
        peer.isHeartbeatOutstanding = true;
        peer.nextHeartbeatNs = nowNs + settings.heartbeatInterval().toNanos();
        int sequence = requests.nextSequence();
        counters.sent(MessageType.HEARTBEAT_REQUEST);
        requests.send(
                peer.address,
                sequence,
                MessageType.HEARTBEAT_RESPONSE,
                PfcpEncoder.encode(new HeartbeatRequest(recoveryTimeStamp), sequence, 0),
                settings.heartbeat(),
                peer,
                now -> silent(peer),
                nowNs);
    }

    private void silent(Peer peer) {
        peer.isHeartbeatOutstanding = false;
        // A peer that never answered one (pfcpsim) says nothing by not answering.
        if (peer.everAnswered && peer.state == State.ASSOCIATED) {
            LOG.warn(
                    "N4 peer {} at {} answers no heartbeats; its {} sessions stay",
                    peer.nodeId.text(),
                    peer.address,
                    peer.sessions);
            peer.state = State.SILENT;
        }
    }

    List<PeerView> views() {
        List<PeerView> views = new ArrayList<>();
        for (Peer peer : byNodeId.values()) {
            views.add(new PeerView(
                    peer.nodeId.text(),
                    peer.address.getAddress().getHostAddress(),
                    switch (peer.state) {
                        case ASSOCIATED -> "Associated";
                        case SILENT -> "Silent";
                        case CLEARING -> "Clearing";
                    },
                    peer.associatedAt,
                    peer.sessions,
                    peer.lastHeartbeat,
                    peer.everAnswered));
        }
        views.addAll(invitations.views(byNodeId::containsKey));
        return views;
    }
}
