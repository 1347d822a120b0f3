package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.session.N4Settings.Retries;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Our own requests on their way: sent again until answered or given up (TS 29.244 §6.4). Control thread. */
final class OwnRequests {
    private static final int LAST_SEQUENCE = 0xff_ffff;
    private final N4Transmitter transmitter;
    private final Map<Integer, Pending> pending = new HashMap<>();
    private int sequence = new SecureRandom().nextInt(LAST_SEQUENCE);

    /** What to do when a request has been given up. */
    interface GivenUp {
        void givenUp(long nowNs);
    }

    private static final class Pending {
        final InetSocketAddress to;
        final int answerType;
        final byte[] bytes;
        final long timeoutNs;
        final GivenUp givenUp;
        final Object about;
        int retriesLeft;
        long dueNs;

        Pending(InetSocketAddress to, int answerType, byte[] bytes, Retries retries, Object about, GivenUp givenUp) {
            this.to = to;
            this.answerType = answerType;
            this.bytes = bytes;
            this.timeoutNs = retries.timeout().toNanos();
            this.retriesLeft = retries.retries();
            this.about = about;
            this.givenUp = givenUp;
        }
    }

    OwnRequests(N4Transmitter transmitter) {
        this.transmitter = transmitter;
    }

    int nextSequence() {
        sequence = sequence == LAST_SEQUENCE ? 1 : sequence + 1;
        return sequence;
    }

    /**
     * @param about whom or what the request is for; {@link #answered} gives it back
     */
    void send(
            InetSocketAddress to,
            int sequence,
            int answerType,
            byte[] bytes,
            Retries retries,
            Object about,
            GivenUp givenUp,
            long nowNs) {
        Pending request = new Pending(to, answerType, bytes, retries, about, givenUp);
        request.dueNs = nowNs + request.timeoutNs;
        pending.put(sequence, request);
        transmitter.send(to, bytes);
    }

    /** The request that this answers, no longer pending; null for an answer nobody waits for. The address may be another. */
    @Nullable
    Object answered(int sequence, int answerType) {
        Pending request = pending.get(sequence);
        if (request == null || request.answerType != answerType) {
            return null;
        }
        pending.remove(sequence);
        return request.about;
    }

    void forget(Object about) {
        pending.values().removeIf(request -> request.about.equals(about));
    }

    void tick(long nowNs) {
        List<Pending> over = new ArrayList<>(0);
        pending.values().removeIf(request -> {
            if (nowNs - request.dueNs < 0) {
                return false;
            }
            if (request.retriesLeft == 0) {
                over.add(request);
                return true;
            }
            request.retriesLeft--;
            request.dueNs = nowNs + request.timeoutNs;
            transmitter.send(request.to, request.bytes);
            return false;
        });
        over.forEach(request -> request.givenUp.givenUp(nowNs));
    }
}
