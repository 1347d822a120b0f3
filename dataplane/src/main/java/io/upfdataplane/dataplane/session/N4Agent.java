package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.handover.UserPlane;
import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.MessageType;
import io.upfdataplane.dataplane.pfcp.NodeId;
import io.upfdataplane.dataplane.pfcp.Outcome;
import io.upfdataplane.dataplane.pfcp.PfcpDecoder;
import io.upfdataplane.dataplane.pfcp.PfcpEncoder;
import io.upfdataplane.dataplane.pfcp.PfcpFault;
import io.upfdataplane.dataplane.pfcp.PfcpHeader;
import io.upfdataplane.dataplane.pfcp.PfcpMessage;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationReleaseRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.NodeAnswer;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionAnswer;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionDeletionRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionEstablishmentRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionModificationRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.UnservedRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.VersionNotSupported;
import io.upfdataplane.dataplane.session.N4Settings.ConfiguredPeer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The PFCP agent: datagrams in, datagrams out, and the user plane told in between. It owns no socket and no thread, so a
 * test drives it as the control thread does. The work for one datagram is bounded. Control thread, but for
 * {@link #snapshot}.
 */
public final class N4Agent {
    private static final long SNAPSHOT_INTERVAL_NS = 200_000_000L;

    private N4Settings settings;
    private final UserPlane userPlane;
    private final N4Transmitter transmitter;
    private final long recoveryTimeStamp;
    private final NodeId ownNodeId;
    private final N4Counters counters = new N4Counters();
    private final Answers answers;
    private final OwnRequests requests;
    private final Sessions sessions;
    private final Associations associations;
    private volatile N4Snapshot snapshot;
    private long snapshotDueNs;

    /**
     * @param recoveryTimeStamp from {@link RecoveryTimeStamp#takeNewer}
     */
    public N4Agent(
            N4Settings settings,
            UserPlane userPlane,
            N4Transmitter transmitter,
            long recoveryTimeStamp,
            InstantSource clock,
            long nowNs) {
        this.settings = settings;
        this.userPlane = userPlane;
        this.transmitter = transmitter;
        this.recoveryTimeStamp = recoveryTimeStamp;
        this.ownNodeId = new NodeId(settings.nodeId());
        this.answers = new Answers(ownNodeId, recoveryTimeStamp, transmitter, counters);
        this.requests = new OwnRequests(transmitter);
        this.sessions = new Sessions(settings, userPlane, recoveryTimeStamp);
        this.associations = new Associations(settings, sessions, requests, counters, recoveryTimeStamp, clock, nowNs);
        this.snapshotDueNs = nowNs;
        this.snapshot = look();
    }

    /** Takes one datagram; its answer, if it has one, leaves through the transmitter now or from a later {@link #tick}. */
    public void handle(byte[] datagram, int length, InetSocketAddress from, long nowNs) {
        Optional<PfcpHeader> read = PfcpHeader.read(datagram, length);
        if (read.isEmpty()) {
            counters.malformed++;
            return;
        }
        PfcpHeader header = read.get();
        if (header.version() != PfcpHeader.VERSION) {
            versionNotSupported(header, from);
            return;
        }
        counters.received(header.type());
        Request request = new Request(header, datagram, from, ResponseCache.digest(datagram, header.bodyEnd()), nowNs);
        if (!isOver(header, from) && answers.repeat(request)) {
            return;
        }
        try {
            if (header.bodyEnd() > settings.limits().messageBytes()) {
                throw Rejection.of(
                        Cause.NO_RESOURCES_AVAILABLE,
                        0,
                        "message of " + header.bodyEnd() + " bytes, at most "
                                + settings.limits().messageBytes() + " taken");
            }
            Optional<PfcpMessage> message = PfcpDecoder.decode(header, datagram);
            if (message.isEmpty()) {
                counters.discarded++;
                return;
            }
            dispatch(message.get(), request);
        } catch (PfcpFault fault) {
            refuse(request, Outcome.of(fault), fault.getMessage());
        } catch (Rejection rejection) {
            refuse(request, rejection.outcome(), rejection.getMessage());
        }
    }

    /**
     * An association that was accepted may have been released since: then the same bytes, from a client whose sequence begins
     * anew, ask for a new one.
     */
    private boolean isOver(PfcpHeader header, InetSocketAddress from) {
        return header.type() == MessageType.ASSOCIATION_SETUP_REQUEST && associations.at(from.getAddress()) == null;
    }

    private void dispatch(PfcpMessage message, Request request) throws Rejection {
        switch (message) {
            case HeartbeatRequest m -> {
                associations.heartbeatCame(m, request.from());
                answers.giveHeartbeat(request);
            }
            case HeartbeatResponse m -> {
                if (answered(request) instanceof Peer peer) {
                    associations.heartbeatAnswered(
                            peer, m.recoveryTimeStamp(), request.from().getAddress());
                }
            }
            case AssociationSetupRequest m ->
                associations.setUp(m, request.from(), request.nowNs(), () -> {
                    answers.forget(request.from());
                    answers.giveSetUp(request, Outcome.ACCEPTED);
                });
            case AssociationSetupResponse m -> {
                if (answered(request) instanceof ConfiguredPeer peer) {
                    associations.setupAnswered(peer, m, request.from(), request.nowNs());
                }
            }
            case AssociationReleaseRequest m -> release(m, request);
            case SessionEstablishmentRequest m -> establish(m, request);
            case SessionModificationRequest m -> {
                SessionRecord session = ownSession(request);
                SessionAnswer answer;
                try {
                    answer = sessions.modify(m, session);
                } catch (Rejection rejection) {
                    answers.refuse(request, rejection.outcome(), rejection.getMessage(), session.cpSeid());
                    return;
                }
                long cpSeid =
                        m.cpFSeid() == null ? session.cpSeid() : m.cpFSeid().seid();
                answers.give(request, answer, Cause.REQUEST_ACCEPTED, cpSeid);
            }
            case SessionDeletionRequest ignored -> {
                SessionRecord session = ownSession(request);
                sessions.delete(session, ownerOf(session));
                answers.giveOfSession(request, Outcome.ACCEPTED, session.cpSeid());
            }
            case UnservedRequest m ->
                throw Rejection.of(Cause.SERVICE_NOT_SUPPORTED, 0, MessageType.name(m.type()) + ": not built");
            case NodeAnswer ignored -> counters.discarded++;
            case SessionAnswer ignored -> counters.discarded++;
            case VersionNotSupported ignored -> counters.discarded++;
        }
    }

    private @Nullable Object answered(Request request) {
        Object about = requests.answered(request.header().sequence(), request.type());
        if (about == null) {
            counters.unexpectedAnswers++;
        }
        return about;
    }

    private void release(AssociationReleaseRequest message, Request request) throws Rejection {
        InetAddress from = request.from().getAddress();
        Peer peer =
                message.nodeId().isUnspecified() ? associations.at(from) : associations.find(message.nodeId(), from);
        if (peer == null) {
            throw Rejection.of(
                    Cause.NO_ESTABLISHED_ASSOCIATION,
                    0,
                    "no association with " + message.nodeId().text());
        }
        if (!peer.isAssociated()) {
            return; // a repeat; the answer comes when its sessions are gone
        }
        associations.release(
                peer,
                () -> answers.give(
                        request,
                        new NodeAnswer(MessageType.ASSOCIATION_RELEASE_RESPONSE, ownNodeId, Outcome.ACCEPTED),
                        Cause.REQUEST_ACCEPTED,
                        0));
    }

    private void establish(SessionEstablishmentRequest message, Request request) throws Rejection {
        Peer peer = associations.find(message.nodeId(), request.from().getAddress());
        if (peer == null || !peer.isAssociated()) {
            throw Rejection.of(
                    Cause.NO_ESTABLISHED_ASSOCIATION,
                    0,
                    "no association with " + message.nodeId().text());
        }
        SessionAnswer answer = sessions.establish(message, peer);
        peer.sawAt(request.from().getAddress());
        InetAddress cpAddress = Ipv4.address(message.cpFSeid().ipv4());
        if (cpAddress != null) {
            peer.sawAt(cpAddress);
        }
        answers.give(request, answer, Cause.REQUEST_ACCEPTED, message.cpFSeid().seid());
    }

    /** The session a message is about, when its sender owns it. SMFs branch on these two causes. */
    private SessionRecord ownSession(Request request) throws Rejection {
        InetAddress from = request.from().getAddress();
        SessionRecord session = sessions.find(request.header().seid());
        Peer owner = session == null ? null : associations.byIndex(session.peer());
        if (session != null && owner != null && owner.isAssociated() && owner.seen.contains(from)) {
            return session;
        }
        Peer sender = associations.at(from);
        if (session == null && (sender == null || !sender.isAssociated())) {
            throw Rejection.of(Cause.NO_ESTABLISHED_ASSOCIATION, 0, "no association with " + from.getHostAddress());
        }
        throw Rejection.of(
                Cause.SESSION_CONTEXT_NOT_FOUND,
                0,
                "SEID 0x" + Long.toHexString(request.header().seid()) + " is no session of " + from.getHostAddress());
    }

    private Peer ownerOf(SessionRecord session) {
        Peer owner = associations.byIndex(session.peer());
        if (owner == null) {
            throw new IllegalStateException("session without an owner");
        }
        return owner;
    }

    private void refuse(Request request, Outcome outcome, @Nullable String why) {
        long cpSeid = 0;
        if (request.type() == MessageType.SESSION_ESTABLISHMENT_REQUEST) {
            cpSeid = PfcpDecoder.cpSeidOf(request.header(), request.datagram());
        } else if (MessageType.isSessionMessage(request.type())) {
            SessionRecord session = sessions.find(request.header().seid());
            boolean isNotTheirs = outcome.cause() == Cause.SESSION_CONTEXT_NOT_FOUND;
            cpSeid = session == null || isNotTheirs ? 0 : session.cpSeid();
        }
        answers.refuse(request, outcome, why, cpSeid);
    }

    private void versionNotSupported(PfcpHeader header, InetSocketAddress from) {
        counters.discarded++;
        // Never answer this answer: two agents would talk for ever.
        if (header.type() != MessageType.VERSION_NOT_SUPPORTED_RESPONSE) {
            counters.sent(MessageType.VERSION_NOT_SUPPORTED_RESPONSE);
            transmitter.send(from, PfcpEncoder.encode(new VersionNotSupported(), header.sequence(), 0));
        }
    }

    /**
     * Takes a changed configuration: UE pools, limits, role, peers, timers. Sessions stay as they are. Control thread.
     *
     * @throws IllegalArgumentException when it differs in what a running agent cannot change: Node ID, addresses, maxSessions
     */
    public void reconfigure(N4Settings changed, long nowNs) {
        if (!changed.nodeId().equals(settings.nodeId())
                || changed.n4Address() != settings.n4Address()
                || !changed.n3Addresses().equals(settings.n3Addresses())
                || changed.maxSessions() != settings.maxSessions()) {
            throw new IllegalArgumentException(
                    "Node ID, N4 and N3 addresses and maxSessions are fixed while the agent runs; restart it");
        }
        settings = changed;
        sessions.use(changed);
        associations.use(changed, nowNs);
    }

    /** Timers: retransmissions, heartbeats, invitations, deletions in slices. To be called every few milliseconds. */
    public void tick(long nowNs) {
        requests.tick(nowNs);
        associations.tick(nowNs);
        answers.tick(nowNs);
        userPlane.reclaim();
        if (nowNs - snapshotDueNs >= 0) {
            snapshotDueNs = nowNs + SNAPSHOT_INTERVAL_NS;
            snapshot = look();
            answers.logSuppressed();
        }
    }

    /** True while {@link #tick} has work that should not wait. */
    public boolean isBusy() {
        return associations.isClearing();
    }

    /** Counts a datagram whose handling failed inside us; the socket loop logs it. */
    void failed() {
        counters.faults++;
    }

    /** N4 as it stood at most a fifth of a second before the last tick. Any thread. */
    public N4Snapshot snapshot() {
        return snapshot;
    }

    /** Sessions held now. Control thread. */
    public int sessions() {
        return sessions.size();
    }

    private N4Snapshot look() {
        return new N4Snapshot(
                settings.nodeId(),
                recoveryTimeStamp,
                associations.views(),
                sessions.size(),
                settings.maxSessions(),
                counters.messages(),
                counters.answers(),
                counters.malformed,
                counters.discarded,
                counters.repeated,
                counters.unexpectedAnswers,
                counters.faults);
    }
}
