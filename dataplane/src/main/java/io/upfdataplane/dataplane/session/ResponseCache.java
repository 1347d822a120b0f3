package io.upfdataplane.dataplane.session;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers given lately, so that a repeated request is answered again and not carried out again (TS 29.244 §6.4). Bounded in
 * bytes and age. A repeat comes from the same address and port with the same sequence and the same content: a client that
 * starts again counts from 1, and must not get an answer of its former life. Control thread.
 */
final class ResponseCache {
    private static final int ENTRY_BYTES = 96;
    private final long maxBytes;
    private final long maxAgeNs;
    private final Map<Key, byte[]> answers = new HashMap<>();
    private final ArrayDeque<Entry> byAge = new ArrayDeque<>();
    private long bytes;

    private record Key(InetSocketAddress from, int sequence, long content) {}

    private record Entry(Key key, byte[] answer, long givenAtNs) {}

    ResponseCache(long maxBytes, long maxAgeNs) {
        this.maxBytes = maxBytes;
        this.maxAgeNs = maxAgeNs;
    }

    byte @Nullable [] find(InetSocketAddress from, int sequence, long content, long nowNs) {
        expire(nowNs);
        return answers.get(new Key(from, sequence, content));
    }

    void put(InetSocketAddress from, int sequence, long content, byte[] answer, long nowNs) {
        Key key = new Key(from, sequence, content);
        if (answers.putIfAbsent(key, answer) != null) {
            return;
        }
        byAge.addLast(new Entry(key, answer, nowNs));
        bytes += answer.length + ENTRY_BYTES;
        while (bytes > maxBytes) {
            dropOldest();
        }
    }

    /** Forgets what was answered to an address: its sequence numbers begin anew. */
    void forget(InetSocketAddress from) {
        byAge.removeIf(entry -> {
            if (!entry.key.from.equals(from)) {
                return false;
            }
            answers.remove(entry.key);
            bytes -= entry.answer.length + ENTRY_BYTES;
            return true;
        });
    }

    void expire(long nowNs) {
        // A few at a time: a burst that grows old together must not hold up the next datagram.
        for (int i = 0; i < 64 && !byAge.isEmpty() && nowNs - byAge.getFirst().givenAtNs > maxAgeNs; i++) {
            dropOldest();
        }
    }

    int size() {
        return byAge.size();
    }

    /** A digest of a request. */
    static long digest(byte[] datagram, int length) {
        long hash = length * 0x9E3779B97F4A7C15L;
        ByteBuffer in = ByteBuffer.wrap(datagram, 0, length);
        while (in.remaining() >= 8) {
            hash = mix(hash ^ in.getLong());
        }
        while (in.hasRemaining()) {
            hash = mix(hash ^ in.get());
        }
        return hash;
    }

    private static long mix(long value) {
        long mixed = (value ^ value >>> 32) * 0xD6E8FEB86659FD93L;
        return mixed ^ mixed >>> 29;
    }

    private void dropOldest() {
        Entry oldest = byAge.removeFirst();
        answers.remove(oldest.key);
        bytes -= oldest.answer.length + ENTRY_BYTES;
    }
}
