package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.MessageType;
import io.upfdataplane.dataplane.pfcp.NodeId;
import io.upfdataplane.dataplane.pfcp.Outcome;
import io.upfdataplane.dataplane.pfcp.PfcpEncoder;
import io.upfdataplane.dataplane.pfcp.PfcpMessage;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.NodeAnswer;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionAnswer;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What we answer: encoded, counted, sent, and kept for repeats. Control thread. */
final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);
    private static final long CACHE_BYTES = 16L << 20;
    private static final long CACHE_AGE_NS = 30_000_000_000L;
    private static final int LOG_LINES_PER_SECOND = 20;

    private final NodeId ownNodeId;
    private final long recoveryTimeStamp;
    private final N4Transmitter transmitter;
    private final N4Counters counters;
    private final ResponseCache cache = new ResponseCache(CACHE_BYTES, CACHE_AGE_NS);
    private final LogLimiter logLimiter = new LogLimiter(LOG_LINES_PER_SECOND);

    Answers(NodeId ownNodeId, long recoveryTimeStamp, N4Transmitter transmitter, N4Counters counters) {
        this.ownNodeId = ownNodeId;
        this.recoveryTimeStamp = recoveryTimeStamp;
        this.transmitter = transmitter;
        this.counters = counters;
    }

    /** Answers a repeated request as it was answered before; false when it has not been. */
    boolean repeat(Request request) {
        byte[] earlier = cache.find(request.from(), request.header().sequence(), request.digest(), request.nowNs());
        if (earlier == null) {
            return false;
        }
        counters.repeated++;
        transmitter.send(request.from(), earlier);
        return true;
    }

    /** The sequence numbers of an address begin anew. */
    void forget(InetSocketAddress from) {
        cache.forget(from);
    }

    /** Answers what could not be done, and says so in the log; what is no request is only counted. */
    void refuse(Request request, Outcome outcome, @Nullable String why, long cpSeid) {
        if (logLimiter.admits(request.nowNs())) {
            LOG.warn(
                    "N4 refused {} from {}, cause {}{}: {}",
                    MessageType.name(request.type()),
                    request.from().getAddress().getHostAddress() + ":"
                            + request.from().getPort(),
                    outcome.cause().value(),
                    outcome.offendingIe() == 0 ? "" : ", offending IE " + outcome.offendingIe(),
                    why);
        }
        switch (request.type()) {
            case MessageType.HEARTBEAT_RESPONSE, MessageType.ASSOCIATION_SETUP_RESPONSE -> counters.discarded++;
            case MessageType.HEARTBEAT_REQUEST -> giveHeartbeat(request);
            case MessageType.ASSOCIATION_SETUP_REQUEST -> giveSetUp(request, outcome);
            case MessageType.SESSION_ESTABLISHMENT_REQUEST,
                    MessageType.SESSION_MODIFICATION_REQUEST,
                    MessageType.SESSION_DELETION_REQUEST -> giveOfSession(request, outcome, cpSeid);
            case MessageType.PFD_MANAGEMENT_REQUEST,
                    MessageType.ASSOCIATION_UPDATE_REQUEST,
                    MessageType.ASSOCIATION_RELEASE_REQUEST,
                    MessageType.SESSION_SET_DELETION_REQUEST,
                    MessageType.SESSION_SET_MODIFICATION_REQUEST ->
                give(request, new NodeAnswer(request.type() + 1, ownNodeId, outcome), outcome.cause(), 0);
            default -> counters.discarded++;
        }
    }

    void giveSetUp(Request request, Outcome outcome) {
        give(
                request,
                new AssociationSetupResponse(
                        ownNodeId,
                        outcome.cause().value(),
                        outcome.offendingIe(),
                        recoveryTimeStamp,
                        Associations.UP_FUNCTION_FEATURES),
                outcome.cause(),
                0);
    }

    void give(Request request, PfcpMessage message, Cause cause, long seid) {
        byte[] bytes = PfcpEncoder.encode(message, request.header().sequence(), seid);
        counters.answered(request.type(), cause.value());
        counters.sent(bytes[1] & 0xff);
        // A heartbeat may be carried out twice, so it needs no place in the cache.
        if (request.type() != MessageType.HEARTBEAT_REQUEST) {
            cache.put(request.from(), request.header().sequence(), request.digest(), bytes, request.nowNs());
        }
        transmitter.send(request.from(), bytes);
    }

    void giveHeartbeat(Request request) {
        give(request, new HeartbeatResponse(recoveryTimeStamp), Cause.REQUEST_ACCEPTED, 0);
    }

    /** The answer to a session message that tells its outcome and nothing more. */
    void giveOfSession(Request request, Outcome outcome, long cpSeid) {
        NodeId nodeId = request.type() == MessageType.SESSION_ESTABLISHMENT_REQUEST ? ownNodeId : null;
        give(request, new SessionAnswer(request.type() + 1, nodeId, outcome, null, List.of()), outcome.cause(), cpSeid);
    }

    void tick(long nowNs) {
        cache.expire(nowNs);
    }

    /** Tells how many refusals were not logged since the last call. */
    void logSuppressed() {
        long suppressed = logLimiter.takeSuppressed();
        if (suppressed > 0) {
            LOG.warn("N4 refusals not logged one by one: {}", suppressed);
        }
    }
}
