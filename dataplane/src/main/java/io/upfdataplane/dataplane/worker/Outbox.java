package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.handover.CounterPage;
import io.upfdataplane.dataplane.handover.LongRing;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PacketPort;
import org.jspecify.annotations.Nullable;

/**
 * Where a worker's packets end: in a batch to be sent, in the pool, or in the ring to another worker; and the only place
 * that counts it. Its worker only.
 */
final class Outbox {
    static final int UPLINK = 0;
    static final int DOWNLINK = 1;

    private static final int LENGTH_SHIFT = 48;
    private static final int DOWNLINK_SHIFT = 63;
    private static final int LENGTH_BITS = 0x7fff;

    private final int worker;
    private final SharedUserPlane plane;
    private final CounterPage counters;
    private final FramePool.Cache cache;

    /** By direction, then leg: N3 first. */
    private final FrameBatch[] forwarded = new FrameBatch[4];

    private final FrameBatch answered;
    private final LongRing[] rings;
    private long rung;
    private int sentDirections;

    Outbox(int worker, SharedUserPlane plane, FramePool.Cache cache, int batchSize) {
        this.worker = worker;
        this.plane = plane;
        this.cache = cache;
        counters = plane.counterPage(worker);
        for (int i = 0; i < forwarded.length; i++) {
            forwarded[i] = new FrameBatch(batchSize);
        }
        answered = new FrameBatch(batchSize);
        rings = new LongRing[plane.workers()];
        for (int to = 0; to < rings.length; to++) {
            rings[to] = plane.rehomed(worker, to);
        }
    }

    int worker() {
        return worker;
    }

    /** Where frames that can be sent are put. */
    FrameBatch forwarded(int direction, boolean towardsAccess) {
        return forwarded[direction * 2 + (towardsAccess ? 0 : 1)];
    }

    /** An answer to its sender on N3. */
    void answer(long frame, int length) {
        answered.add(frame, length);
    }

    void drop(int direction, Verdict verdict, long frame) {
        counters.verdict(direction, verdict, 1);
        cache.give(frame);
    }

    /** Gives an untouched frame to the worker of its session. */
    void rehome(int direction, int owner, long frame, int length) {
        if (rings[owner].offer((long) direction << DOWNLINK_SHIFT | (long) length << LENGTH_SHIFT | frame)) {
            counters.rehomedOut(direction, 1);
            rung |= 1L << owner;
        } else {
            drop(direction, Verdict.REHOME_FULL, frame);
        }
    }

    static int directionOf(long rehomed) {
        return (int) (rehomed >>> DOWNLINK_SHIFT);
    }

    static int lengthOf(long rehomed) {
        return (int) (rehomed >>> LENGTH_SHIFT) & LENGTH_BITS;
    }

    static long frameOf(long rehomed) {
        return rehomed & (1L << LENGTH_SHIFT) - 1;
    }

    /** Workers that were given frames since the last call, as bits. */
    long takeRung() {
        long taken = rung;
        rung = 0;
        return taken;
    }

    /** Directions in which packets were sent and have not left yet, as bits. */
    int sentDirections() {
        return sentDirections;
    }

    /** All of them have left. */
    void left(long nowNs) {
        for (int sent = sentDirections; sent != 0; sent &= sent - 1) {
            counters.left(Integer.numberOfTrailingZeros(sent), nowNs);
        }
        sentDirections = 0;
    }

    /** Sends all that is ready. */
    void send(@Nullable PacketPort n3, @Nullable PacketPort n6) {
        send(UPLINK, forwarded[0], n3, Verdict.FORWARDED);
        send(UPLINK, forwarded[1], n6, Verdict.FORWARDED);
        send(DOWNLINK, forwarded[2], n3, Verdict.FORWARDED);
        send(DOWNLINK, forwarded[3], n6, Verdict.FORWARDED);
        send(UPLINK, answered, n3, Verdict.ECHO_ANSWERED);
    }

    private void send(int direction, FrameBatch batch, @Nullable PacketPort port, Verdict verdict) {
        int count = batch.count;
        if (count == 0) {
            return;
        }
        int refused = port == null ? giveBack(batch) : port.send(batch);
        int sent = count - refused;
        if (sent > 0) {
            long bytes = 0;
            for (int i = 0; i < sent; i++) {
                bytes += batch.length[i];
            }
            counters.verdict(direction, verdict, sent);
            counters.sent(direction, sent, bytes);
            sentDirections |= 1 << direction;
        }
        if (refused > 0) {
            counters.verdict(direction, Verdict.TX_FULL, refused);
        }
    }

    /** Between two sets of ports there is nothing to send through. */
    private int giveBack(FrameBatch batch) {
        int refused = batch.count;
        for (int i = 0; i < refused; i++) {
            cache.give(batch.address[i]);
        }
        batch.count = 0;
        return refused;
    }

    /** Tells the control thread that packets wait for a neighbour. */
    void wantNeighbour(long event) {
        if (!plane.events(worker).offer(event)) {
            counters.eventLost();
        }
    }
}
