package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.handover.CounterPage;
import io.upfdataplane.dataplane.metrics.Metric;
import io.upfdataplane.dataplane.metrics.Reading;
import io.upfdataplane.dataplane.metrics.StallMeter;
import io.upfdataplane.dataplane.nexthop.Hop;
import io.upfdataplane.dataplane.nexthop.NextHops;
import io.upfdataplane.dataplane.session.N4Snapshot;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the values of all metrics. Any thread. */
final class Readings {
    private static final double SECONDS = 1e-9;

    private final Supplier<View> view;
    private final Supplier<N4Snapshot> n4;
    private final NextHops hops;
    private final IntFunction<CounterPage> pages;
    private final StallMeter stalls;

    Readings(
            Supplier<View> view,
            Supplier<N4Snapshot> n4,
            NextHops hops,
            IntFunction<CounterPage> pages,
            StallMeter stalls) {
        this.view = view;
        this.n4 = n4;
        this.hops = hops;
        this.pages = pages;
        this.stalls = stalls;
    }

    Reading read() {
        View v = view.get();
        Reading reading = new Reading();
        traffic(reading, v.running().workers());
        workers(reading, v);
        ports(reading, v);
        n4(reading, n4.get(), v);
        Map<String, Integer> states = new TreeMap<>();
        hops.hops().forEach(h -> states.merge(h.state().name(), 1, Integer::sum));
        for (Hop.State state : Hop.State.values()) {
            reading.put(Metric.NEXT_HOPS, states.getOrDefault(state.name(), 0), state.name());
        }
        mode(reading, v);
        reading.put(Metric.CONTROL_LONGEST_STALL_SECONDS, stalls.longestNs() * SECONDS);
        reading.put(Metric.CONFIG_GENERATION, v.generation());
        reading.put(Metric.CONFIG_ERRORS, v.configErrors().size());
        reading.put(Metric.READY, v.ready() ? 1 : 0);
        return reading;
    }

    private void traffic(Reading reading, int workers) {
        for (Direction direction : Direction.values()) {
            String label = direction.name().toLowerCase(Locale.ROOT);
            long received = 0;
            long receivedBytes = 0;
            long sentBytes = 0;
            long[] verdicts = new long[Verdict.values().length];
            for (int worker = 0; worker < workers; worker++) {
                CounterPage page = pages.apply(worker);
                received += page.receivedPackets(direction);
                receivedBytes += page.receivedBytes(direction);
                sentBytes += page.sentBytes(direction);
                for (Verdict verdict : Verdict.values()) {
                    verdicts[verdict.ordinal()] += page.verdict(direction, verdict);
                }
            }
            reading.put(Metric.RX_PACKETS, received, label);
            reading.put(Metric.RX_BYTES, receivedBytes, label);
            reading.put(Metric.TX_PACKETS, verdicts[Verdict.FORWARDED.ordinal()], label);
            reading.put(Metric.TX_BYTES, sentBytes, label);
            reading.put(Metric.ANSWERED_PACKETS, verdicts[Verdict.ECHO_ANSWERED.ordinal()], label);
            for (Verdict verdict : Verdict.values()) {
                if (verdict.isDrop()) {
                    reading.put(Metric.DROPS_PACKETS, verdicts[verdict.ordinal()], label, verdict.name());
                }
            }
        }
    }

    private void workers(Reading reading, View v) {
        for (int worker = 0; worker < v.running().workers(); worker++) {
            CounterPage page = pages.apply(worker);
            String id = Integer.toString(worker);
            reading.put(
                    Metric.REHOMED_PACKETS, page.rehomedIn(Direction.UPLINK) + page.rehomedIn(Direction.DOWNLINK), id);
            reading.put(Metric.WORKER_BUSY_SECONDS, page.busyNs() * SECONDS, id);
            reading.put(Metric.WORKER_ELAPSED_SECONDS, page.elapsedNs() * SECONDS, id);
            reading.put(Metric.WORKER_UTILISATION_RATIO, v.utilisation().get(worker), id);
        }
    }

    private static void ports(Reading reading, View v) {
        v.ports().forEach((leg, s) -> {
            String label = leg.name().toLowerCase(Locale.ROOT);
            reading.put(Metric.PORT_RECEIVED_FRAMES, s.received(), label);
            reading.put(Metric.PORT_SENT_FRAMES, s.sent(), label);
            reading.put(Metric.PORT_RECEIVE_OVERRUNS_FRAMES, s.receiveOverruns(), label);
            reading.put(Metric.PORT_FILL_STARVED, s.fillStarved(), label);
            reading.put(Metric.PORT_INVALID_DESCRIPTORS, s.invalidDescriptors(), label);
            reading.put(Metric.PORT_CHECKSUMS_COMPLETED, s.checksumsCompleted(), label);
            reading.put(Metric.PORT_SEGMENTED_FRAMES, s.segmented(), label);
            reading.put(Metric.PORT_POOL_EMPTY_FRAMES, s.poolEmpty(), label);
            reading.put(Metric.PORT_OVERSIZED_FRAMES, s.oversized(), label);
        });
        v.devices().forEach((leg, lost) -> {
            String label = leg.name().toLowerCase(Locale.ROOT);
            reading.put(Metric.DEVICE_LOST_FRAMES, lost.rxDropped(), label, "DEVICE_RX_DROPPED");
            reading.put(Metric.DEVICE_LOST_FRAMES, lost.rxMissed(), label, "DEVICE_RX_MISSED");
            reading.put(Metric.DEVICE_LOST_FRAMES, lost.rxErrors(), label, "DEVICE_RX_ERRORS");
            reading.put(Metric.DEVICE_LOST_FRAMES, lost.txDropped(), label, "DEVICE_TX_DROPPED");
            reading.put(Metric.DEVICE_LOST_FRAMES, lost.txErrors(), label, "DEVICE_TX_ERRORS");
        });
        reading.put(Metric.FRAME_POOL_FRAMES, v.poolFrames());
        reading.put(Metric.FRAME_POOL_FREE_FRAMES, v.poolFree());
    }

    private static void n4(Reading reading, N4Snapshot n4, View v) {
        reading.put(Metric.SESSIONS, v.sessions());
        reading.put(Metric.SESSIONS_MAX, n4.maxSessions());
        reading.put(Metric.SESSIONS_FORWARDING, v.forwarding());
        for (N4Snapshot.MessageCount m : n4.messages()) {
            reading.put(Metric.N4_MESSAGES, m.received(), m.message(), "received");
            reading.put(Metric.N4_MESSAGES, m.sent(), m.message(), "sent");
        }
        for (N4Snapshot.AnswerCount a : n4.answers()) {
            reading.put(Metric.N4_ANSWERS, a.count(), a.request(), Integer.toString(a.cause()));
        }
        reading.put(Metric.N4_DATAGRAMS_REFUSED, n4.malformed(), "malformed");
        reading.put(Metric.N4_DATAGRAMS_REFUSED, n4.discarded(), "discarded");
        reading.put(Metric.N4_DATAGRAMS_REFUSED, n4.unexpectedAnswers(), "unexpected");
        reading.put(Metric.N4_DATAGRAMS_REFUSED, n4.faults(), "fault");
        reading.put(Metric.N4_REPEATED, n4.repeated());
        Map<String, Integer> states = new TreeMap<>();
        n4.peers().forEach(p -> states.merge(p.state(), 1, Integer::sum));
        states.forEach((state, count) -> reading.put(Metric.N4_PEERS, count, state));
        peers(reading, n4);
    }

    /** One series for each Node ID; a peer that asks and is asked may be there twice. */
    private static void peers(Reading reading, N4Snapshot n4) {
        Map<String, Integer> sessions = new TreeMap<>();
        Map<String, Instant> heartbeats = new TreeMap<>();
        for (N4Snapshot.PeerView peer : n4.peers()) {
            sessions.merge(peer.nodeId(), peer.sessions(), Integer::sum);
            if (peer.lastHeartbeat() != null) {
                heartbeats.merge(peer.nodeId(), peer.lastHeartbeat(), (a, b) -> a.isAfter(b) ? a : b);
            }
        }
        sessions.forEach((peer, count) -> reading.put(Metric.N4_PEER_SESSIONS, count, peer));
        heartbeats.forEach(
                (peer, last) -> reading.put(Metric.N4_PEER_LAST_HEARTBEAT_SECONDS, last.toEpochMilli() / 1000.0, peer));
    }

    private static void mode(Reading reading, View v) {
        reading.put(
                Metric.MODE_INFO,
                1,
                v.facts().mode(),
                Boolean.toString(v.facts().zeroCopy()),
                v.facts().xdpAttach());
        for (Transition.Outcome outcome : Transition.Outcome.values()) {
            reading.put(Metric.MODE_TRANSITIONS, v.transitions().getOrDefault(outcome, 0L), outcome.name());
        }
        Transition last = v.lastTransition();
        if (last != null) {
            interruption(reading, "uplink", last.uplinkInterruptionNs());
            interruption(reading, "downlink", last.downlinkInterruptionNs());
            reading.put(Metric.MODE_LOST_PACKETS, last.packetsLost());
        }
    }

    private static void interruption(Reading reading, String direction, @Nullable Long ns) {
        if (ns != null) {
            reading.put(Metric.MODE_INTERRUPTION_SECONDS, ns * SECONDS, direction);
        }
    }
}
