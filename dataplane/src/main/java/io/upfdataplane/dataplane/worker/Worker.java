package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.apply.Forwarder;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.handover.CounterPage;
import io.upfdataplane.dataplane.handover.LongRing;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.wire.EthernetView;
import io.upfdataplane.dataplane.wire.Ipv4View;
import org.jspecify.annotations.Nullable;

/**
 * One thread that runs packets to completion: receive, parse, match, apply, send. Nothing in a turn allocates, locks,
 * throws, logs or blocks; a worker without work waits in poll as its {@link PollMode} says. Methods without another word
 * belong to that thread.
 */
final class Worker {
    /** How long {@code ADAPTIVE} spins without work before it waits: longer than a burst's inner gaps. */
    private static final long SPIN_NS = 50_000;

    /** A wait ends after this time at the latest, so that ports are flushed and nothing is stuck for long. */
    private static final long LONGEST_WAIT_NS = 10_000_000;

    /** The same while frames are still on their way out. */
    private static final long LONGEST_WAIT_UNSENT_NS = 200_000;

    private final int index;
    private final SharedUserPlane plane;
    private final PollMode poll;
    private final CounterPage counters;
    private final Doorbell doorbell;
    private final Doorbell[] doorbells;
    private final LongRing[] rehomed;
    private final FramePool.Cache cache;
    private final Outbox outbox;
    private final UplinkPath uplink;
    private final DownlinkPath downlink;
    private final FrameBatch received;
    private final FrameBatch fromN3;
    private final FrameBatch fromN6;
    private final EthernetView ethernet = new EthernetView();
    private final Ipv4View ip = new Ipv4View();
    private PortUse use = PortUse.NOTHING;
    private long gapsResetSeen;
    private long lastWorkNs;
    private long turnEndNs;
    private boolean closed;

    private volatile PortUse wanted = PortUse.NOTHING;
    private volatile long gapsReset;
    private volatile long generation;
    private volatile long besideQuietSinceNs;
    private volatile boolean stopping;

    Worker(int index, SharedUserPlane plane, FramePool pool, WorkerSettings settings, Doorbell[] doorbells) {
        this.index = index;
        this.plane = plane;
        this.poll = settings.poll();
        this.doorbells = doorbells;
        doorbell = doorbells[index];
        counters = plane.counterPage(index);
        cache = pool.newCache();
        rehomed = new LongRing[plane.workers()];
        for (int from = 0; from < rehomed.length; from++) {
            rehomed[from] = plane.rehomed(from, index);
        }
        int batch = settings.batchSize();
        outbox = new Outbox(index, plane, cache, batch);
        Forwarder forwarder = new Forwarder(plane.nextHops(), index << 10);
        NeighbourRequests neighbours = new NeighbourRequests();
        uplink = new UplinkPath(outbox, forwarder, plane.table().teids(), neighbours, batch);
        downlink = new DownlinkPath(outbox, forwarder, plane.table().ueAddresses(), neighbours, batch);
        received = new FrameBatch(batch);
        fromN3 = new FrameBatch(batch);
        fromN6 = new FrameBatch(batch);
    }

    /** Runs until {@link #stop}. */
    void run() {
        turnEndNs = System.nanoTime();
        lastWorkNs = turnEndNs;
        while (!stopping) {
            boolean worked = turn();
            if (!worked && poll != PollMode.BUSY) {
                idle();
            } else if (!worked) {
                Thread.onSpinWait();
            }
        }
        plane.grace().sleep(index);
    }

    /** One turn of the loop; false when there was nothing to do. */
    boolean turn() {
        plane.grace().turn(index);
        if (wanted != use) {
            changePorts();
        }
        if (gapsReset != gapsResetSeen) {
            gapsResetSeen = gapsReset;
            counters.resetGaps();
        }
        long nowNs = System.nanoTime();
        PortUse current = use;
        // What came later waits until what came earlier is through: a paused worker may find more than one batch of it.
        int packets = current.besideHoldsOlder ? receiveBeside(current, nowNs) : receive(current.n3, current.n6, nowNs);
        if (packets == 0) {
            packets = current.besideHoldsOlder ? receive(current.n3, current.n6, nowNs) : receiveBeside(current, nowNs);
        }
        packets += takeOver(nowNs);
        for (PacketPort port : current.all) {
            port.flush();
        }
        ringOthers();
        long endNs = System.nanoTime();
        if (outbox.sentDirections() != 0 && !current.hasQueued()) {
            // Sent is what has gone to the kernel: taken by a port it may still wait here, and a gap go on.
            outbox.left(endNs);
        }
        counters.turn(packets > 0, endNs - turnEndNs);
        turnEndNs = endNs;
        if (packets > 0) {
            lastWorkNs = endNs;
        }
        return packets > 0;
    }

    private void changePorts() {
        use = wanted;
        doorbell.watch(use.all);
        besideQuietSinceNs = 0;
        generation = use.generation;
    }

    private void noteBeside(PortUse current, int packets, long nowNs) {
        if (packets > 0 || current.isBesideUnsent()) {
            besideQuietSinceNs = 0;
        } else if (besideQuietSinceNs == 0) {
            besideQuietSinceNs = nowNs;
        }
    }

    private int receive(@Nullable PacketPort n3, @Nullable PacketPort n6, long nowNs) {
        if (n3 == null || n6 == null) {
            return 0;
        }
        if (n3 == n6) {
            return receiveBoth(n3, nowNs);
        }
        int count = n3.receive(received);
        if (count > 0) {
            runUplink(received, nowNs);
        }
        int more = n6.receive(received);
        if (more > 0) {
            runDownlink(received, nowNs);
        }
        return count + more;
    }

    /** Both legs are one device: what is addressed to N3 came from N3. */
    private int receiveBoth(PacketPort port, long nowNs) {
        int count = port.receive(received);
        int n3Ipv4 = plane.nextHops().link(Side.ACCESS).ipv4();
        for (int i = 0; i < count; i++) {
            long start = received.address[i];
            long end = start + received.length[i];
            boolean toN3 = ethernet.moveTo(start, end)
                    && ethernet.type() == EthernetView.TYPE_IPV4
                    && ip.moveTo(ethernet.payload(), end)
                    && ip.destination() == n3Ipv4;
            (toN3 ? fromN3 : fromN6).add(start, received.length[i]);
        }
        received.count = 0;
        if (fromN3.count > 0) {
            runUplink(fromN3, nowNs);
        }
        if (fromN6.count > 0) {
            runDownlink(fromN6, nowNs);
        }
        return count;
    }

    private void runUplink(FrameBatch batch, long nowNs) {
        counters.received(Outbox.UPLINK, batch.count, bytesOf(batch), nowNs);
        uplink.run(batch, nowNs);
        outbox.send(use.n3, use.n6);
    }

    private void runDownlink(FrameBatch batch, long nowNs) {
        counters.received(Outbox.DOWNLINK, batch.count, bytesOf(batch), nowNs);
        downlink.run(batch, nowNs);
        outbox.send(use.n3, use.n6);
    }

    private static long bytesOf(FrameBatch batch) {
        long bytes = 0;
        for (int i = 0; i < batch.count; i++) {
            bytes += batch.length[i];
        }
        return bytes;
    }

    /** Packets that another worker received and whose session is here. */
    private int takeOver(long nowNs) {
        if (use.n3 == null) {
            // They can wait for this worker's ports, but not be sent without.
            return 0;
        }
        int taken = 0;
        for (int from = 0; from < rehomed.length; from++) {
            while (!fromN3.isFull() && !fromN6.isFull()) {
                long word = rehomed[from].poll();
                if (word == 0) {
                    break;
                }
                (Outbox.directionOf(word) == Outbox.UPLINK ? fromN3 : fromN6)
                        .add(Outbox.frameOf(word), Outbox.lengthOf(word));
            }
        }
        if (fromN3.count > 0) {
            taken += fromN3.count;
            counters.rehomedIn(Outbox.UPLINK, fromN3.count);
            uplink.run(fromN3, nowNs);
        }
        if (fromN6.count > 0) {
            taken += fromN6.count;
            counters.rehomedIn(Outbox.DOWNLINK, fromN6.count);
            downlink.run(fromN6, nowNs);
        }
        if (taken > 0) {
            outbox.send(use.n3, use.n6);
        }
        return taken;
    }

    private int receiveBeside(PortUse current, long nowNs) {
        if (current.besideN3 == null) {
            return 0;
        }
        int beside = receive(current.besideN3, current.besideN6, nowNs);
        noteBeside(current, beside, nowNs);
        return beside;
    }

    private void ringOthers() {
        for (long rung = outbox.takeRung(); rung != 0; rung &= rung - 1) {
            doorbells[Long.numberOfTrailingZeros(rung)].ring();
        }
    }

    /** Spins or waits, after a turn without work. */
    private void idle() {
        if (poll == PollMode.ADAPTIVE && turnEndNs - lastWorkNs < SPIN_NS) {
            Thread.onSpinWait();
            return;
        }
        doorbell.arm();
        plane.grace().sleep(index);
        if (wanted == use && !stopping && !isAnythingRehomed()) {
            doorbell.await(use.hasUnsent() ? LONGEST_WAIT_UNSENT_NS : LONGEST_WAIT_NS);
        }
        doorbell.disarm();
        long endNs = System.nanoTime();
        counters.slept(endNs - turnEndNs);
        turnEndNs = endNs;
    }

    private boolean isAnythingRehomed() {
        if (use.n3 == null) {
            return false;
        }
        for (LongRing ring : rehomed) {
            if (!ring.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** After the thread has ended: counts what still waits for it, so that the books close. */
    void countLeftovers() {
        for (LongRing ring : rehomed) {
            for (long word = ring.poll(); word != 0; word = ring.poll()) {
                counters.rehomedIn(Outbox.directionOf(word), 1);
                outbox.drop(Outbox.directionOf(word), Verdict.STOPPED, Outbox.frameOf(word));
            }
        }
    }

    /** After the thread has ended. A second call does nothing. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        uplink.close();
        downlink.close();
        cache.close();
    }

    /** Control thread. */
    void use(PortUse next) {
        wanted = next;
        doorbell.ring();
    }

    /** Control thread. */
    void resetGaps() {
        gapsReset++;
        doorbell.ring();
    }

    /** Control thread. */
    void stop() {
        stopping = true;
        doorbell.ring();
    }

    /** Any thread: the last change of ports that this worker has made. */
    long generation() {
        return generation;
    }

    /** Any thread: since when nothing has come from the ports beside, nor waits to be sent by them; 0 when it does. */
    long besideQuietSinceNs() {
        return besideQuietSinceNs;
    }
}
