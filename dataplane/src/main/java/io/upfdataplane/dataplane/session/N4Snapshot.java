package io.upfdataplane.dataplane.session;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * N4 as it stood a moment ago, for status and metrics. Immutable; any thread.
 *
 * @param recoveryTimeStamp ours, seconds since 1900
 * @param answers our answers, by the request's type and the cause
 * @param malformed datagrams without a readable header
 * @param discarded messages of a type that nobody answers, and datagrams with nothing to answer to
 * @param repeated requests answered from the response cache
 * @param faults datagrams whose handling failed inside us
 */
public record N4Snapshot(
        String nodeId,
        long recoveryTimeStamp,
        List<PeerView> peers,
        int sessions,
        int maxSessions,
        List<MessageCount> messages,
        List<AnswerCount> answers,
        long malformed,
        long discarded,
        long repeated,
        long unexpectedAnswers,
        long faults) {

    /**
     * @param state Associated, Silent, Clearing, or Connecting for a configured peer that we ask
     * @param associatedAt null while connecting
     * @param lastHeartbeat when a heartbeat or an answer to ours last came, null for never
     * @param everAnswered it has answered a heartbeat of ours
     */
    public record PeerView(
            String nodeId,
            String address,
            String state,
            @Nullable Instant associatedAt,
            int sessions,
            @Nullable Instant lastHeartbeat,
            boolean everAnswered) {}

    public record MessageCount(String message, long received, long sent) {}

    public record AnswerCount(String request, int cause, long count) {}
}
