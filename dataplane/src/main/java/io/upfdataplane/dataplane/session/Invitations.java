package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.MessageType;
import io.upfdataplane.dataplane.pfcp.NodeId;
import io.upfdataplane.dataplane.pfcp.PfcpEncoder;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupResponse;
import io.upfdataplane.dataplane.session.N4Settings.ConfiguredPeer;
import io.upfdataplane.dataplane.session.N4Settings.Role;
import io.upfdataplane.dataplane.session.N4Snapshot.PeerView;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The configured peers, which are asked for an association until they have one, ever more rarely. Control thread. */
final class Invitations {
    private static final Logger LOG = LoggerFactory.getLogger(Invitations.class);
    private static final long FIRST_BACK_OFF_NS = 1_000_000_000L;
    private static final long LONGEST_BACK_OFF_NS = 60_000_000_000L;
    private final OwnRequests requests;
    private final N4Counters counters;
    private final long recoveryTimeStamp;
    private final List<Invitation> invitations = new ArrayList<>();
    private N4Settings settings;

    private static final class Invitation {
        final ConfiguredPeer peer;
        long dueNs;
        long backOffNs = FIRST_BACK_OFF_NS;
        boolean isOutstanding;
        /** As whom it is, or was, associated. */
        @Nullable
        NodeId nodeId;

        Invitation(ConfiguredPeer peer, long dueNs, @Nullable NodeId nodeId) {
            this.peer = peer;
            this.dueNs = dueNs;
            this.nodeId = nodeId;
        }

        boolean isAssociated(Predicate<NodeId> associated) {
            return nodeId != null && associated.test(nodeId);
        }
    }

    Invitations(N4Settings settings, OwnRequests requests, N4Counters counters, long recoveryTimeStamp) {
        this.settings = settings;
        this.requests = requests;
        this.counters = counters;
        this.recoveryTimeStamp = recoveryTimeStamp;
    }

    /**
     * Invites whom the configuration names now, and nobody else.
     *
     * @param nodeAt who is associated from an address already
     */
    void use(N4Settings changed, Function<InetAddress, @Nullable NodeId> nodeAt, long nowNs) {
        settings = changed;
        List<ConfiguredPeer> wanted = changed.role() == Role.PASSIVE ? List.of() : changed.peers();
        invitations.removeIf(invitation -> {
            boolean isOver = !wanted.contains(invitation.peer);
            if (isOver) {
                requests.forget(invitation.peer);
            }
            return isOver;
        });
        for (ConfiguredPeer peer : wanted) {
            if (find(peer) == null) {
                invitations.add(
                        new Invitation(peer, nowNs, nodeAt.apply(peer.address().getAddress())));
            }
        }
    }

    /** A peer at this address has an association now, whoever asked for it. */
    void associated(NodeId nodeId, InetAddress at) {
        for (Invitation invitation : invitations) {
            if (invitation.peer.address().getAddress().equals(at)) {
                invitation.nodeId = nodeId;
                invitation.backOffNs = FIRST_BACK_OFF_NS;
            }
        }
    }

    /** True when the answer to an invitation accepts it. */
    boolean isAccepted(ConfiguredPeer asked, AssociationSetupResponse answer, InetSocketAddress from, long nowNs) {
        Invitation invitation = find(asked);
        if (invitation == null) {
            return false;
        }
        invitation.isOutstanding = false;
        if (answer.cause() != Cause.REQUEST_ACCEPTED.value() || answer.nodeId().isUnspecified()) {
            LOG.warn("N4 peer {} at {} refuses an association: cause {}", asked.name(), from, answer.cause());
            backOff(invitation, nowNs);
            return false;
        }
        invitation.nodeId = answer.nodeId();
        return true;
    }

    void tick(Predicate<NodeId> associated, long nowNs) {
        for (Invitation invitation : invitations) {
            if (!invitation.isAssociated(associated) && !invitation.isOutstanding && nowNs - invitation.dueNs >= 0) {
                invite(invitation, nowNs);
            }
        }
    }

    private void invite(Invitation invitation, long nowNs) {
        invitation.isOutstanding = true;
        int sequence = requests.nextSequence();
        byte[] bytes = PfcpEncoder.encode(
                new AssociationSetupRequest(
                        new NodeId(settings.nodeId()), recoveryTimeStamp, Associations.UP_FUNCTION_FEATURES),
                sequence,
                0);
        counters.sent(MessageType.ASSOCIATION_SETUP_REQUEST);
        requests.send(
                invitation.peer.address(),
                sequence,
                MessageType.ASSOCIATION_SETUP_RESPONSE,
                bytes,
                settings.retransmission(),
                invitation.peer,
                now -> unanswered(invitation, now),
                nowNs);
    }

    private static void unanswered(Invitation invitation, long nowNs) {
        invitation.isOutstanding = false;
        LOG.warn(
                "N4 peer {} at {} does not answer an association setup; asked again in {} s",
                invitation.peer.name(),
                invitation.peer.address(),
                invitation.backOffNs / 1_000_000_000L);
        backOff(invitation, nowNs);
    }

    private static void backOff(Invitation invitation, long nowNs) {
        invitation.dueNs = nowNs + invitation.backOffNs;
        invitation.backOffNs = Math.min(invitation.backOffNs * 2, LONGEST_BACK_OFF_NS);
    }

    private @Nullable Invitation find(ConfiguredPeer asked) {
        return invitations.stream()
                .filter(invitation -> invitation.peer.equals(asked))
                .findFirst()
                .orElse(null);
    }

    /** The configured peers that are not associated. */
    List<PeerView> views(Predicate<NodeId> associated) {
        List<PeerView> views = new ArrayList<>();
        for (Invitation invitation : invitations) {
            if (!invitation.isAssociated(associated)) {
                String address = invitation.peer.address().getAddress().getHostAddress();
                views.add(new PeerView(invitation.peer.name(), address, "Connecting", null, 0, null, false));
            }
        }
        return views;
    }
}
