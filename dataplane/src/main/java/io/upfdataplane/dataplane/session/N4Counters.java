package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.MessageType;
import io.upfdataplane.dataplane.session.N4Snapshot.AnswerCount;
import io.upfdataplane.dataplane.session.N4Snapshot.MessageCount;
import java.util.ArrayList;
import java.util.List;

/** What N4 has seen and said, counted. Control thread. */
final class N4Counters {
    private final long[] received = new long[256];
    private final long[] sent = new long[256];
    private final long[][] answers = new long[256][];
    long malformed;
    long discarded;
    long repeated;
    long unexpectedAnswers;
    long faults;

    void received(int type) {
        received[type]++;
    }

    void sent(int type) {
        sent[type]++;
    }

    /** A request of this type was answered with this cause. */
    void answered(int requestType, int cause) {
        if (answers[requestType] == null) {
            answers[requestType] = new long[256];
        }
        answers[requestType][cause]++;
    }

    List<MessageCount> messages() {
        List<MessageCount> counts = new ArrayList<>();
        for (int type = 0; type < received.length; type++) {
            if (received[type] != 0 || sent[type] != 0) {
                counts.add(new MessageCount(MessageType.name(type), received[type], sent[type]));
            }
        }
        return counts;
    }

    List<AnswerCount> answers() {
        List<AnswerCount> counts = new ArrayList<>();
        for (int type = 0; type < answers.length; type++) {
            for (int cause = 0; answers[type] != null && cause < 256; cause++) {
                if (answers[type][cause] != 0) {
                    counts.add(new AnswerCount(MessageType.name(type), cause, answers[type][cause]));
                }
            }
        }
        return counts;
    }
}
