package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.apply.EchoResponse;
import io.upfdataplane.dataplane.apply.Forwarder;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.match.Directory;
import io.upfdataplane.dataplane.match.PdrMatch;
import io.upfdataplane.dataplane.match.RuleEntry;
import io.upfdataplane.dataplane.match.SessionSlot;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.wire.EthernetView;
import io.upfdataplane.dataplane.wire.GtpuView;
import io.upfdataplane.dataplane.wire.Ipv4View;
import io.upfdataplane.dataplane.wire.UdpView;
import org.jspecify.annotations.Nullable;

/**
 * Packets from N3, a batch at a time in stages: parse all, look all up, touch all rules, apply all. Each stage brings
 * into the cache what the next one reads. Its worker only.
 */
final class UplinkPath {
    private final Outbox outbox;
    private final Forwarder forwarder;
    private final Directory directory;
    private final NeighbourRequests neighbours;
    private final EthernetView ethernet = new EthernetView();
    private final Ipv4View outer = new Ipv4View();
    private final UdpView udp = new UdpView();
    private final GtpuView gtpu = new GtpuView();
    private final Ipv4View inner = new Ipv4View();

    private final long[] frame;
    private final int[] length;
    private final long[] packet;
    private final long[] packetEnd;
    private final int[] teid;
    private final int[] qfi;
    private final long[] slot;
    private final long[] rules;

    /** Keeps touch loads alive. */
    private long touched;

    UplinkPath(Outbox outbox, Forwarder forwarder, Directory teids, NeighbourRequests neighbours, int batchSize) {
        this.outbox = outbox;
        this.forwarder = forwarder;
        this.directory = teids;
        this.neighbours = neighbours;
        frame = new long[batchSize];
        length = new int[batchSize];
        packet = new long[batchSize];
        packetEnd = new long[batchSize];
        teid = new int[batchSize];
        qfi = new int[batchSize];
        slot = new long[batchSize];
        rules = new long[batchSize];
    }

    /** Takes all frames of the batch and empties it. */
    void run(FrameBatch batch, long nowNs) {
        forwarder.begin(nowNs);
        Directory.Table table = directory.table();
        int parsed = parse(batch);
        touchDirectory(parsed, table);
        int found = lookUp(parsed, table);
        loadRules(found);
        touchRules(found);
        apply(found, nowNs);
    }

    private int parse(FrameBatch batch) {
        int accessIpv4 = forwarder.accessIpv4();
        int kept = 0;
        for (int i = 0; i < batch.count; i++) {
            long start = batch.address[i];
            Verdict verdict = parse(start, start + batch.length[i], accessIpv4);
            if (verdict == null) {
                frame[kept] = start;
                length[kept] = batch.length[i];
                packet[kept] = gtpu.payload();
                packetEnd[kept] = gtpu.end();
                teid[kept] = gtpu.teid();
                qfi[kept] = gtpu.qfi();
                kept++;
            } else if (verdict == Verdict.ECHO_ANSWERED) {
                EchoResponse.write(start, ethernet, outer, udp, gtpu);
                outbox.answer(start, EchoResponse.LENGTH);
            } else {
                outbox.drop(Outbox.UPLINK, verdict, start);
            }
        }
        batch.count = 0;
        return kept;
    }

    /** Null for a G-PDU that is well formed. */
    private @Nullable Verdict parse(long start, long end, int accessIpv4) {
        if (!ethernet.moveTo(start, end) || ethernet.type() != EthernetView.TYPE_IPV4) {
            return Verdict.NOT_OURS;
        }
        if (!outer.moveTo(ethernet.payload(), end)) {
            return Verdict.OUTER_TRUNCATED;
        }
        if (outer.protocol() != Ipv4View.UDP || outer.destination() != accessIpv4) {
            return Verdict.NOT_OURS;
        }
        if (outer.isFragment()) {
            return Verdict.OUTER_FRAGMENT;
        }
        if (!udp.moveTo(outer.payload(), outer.end())) {
            return Verdict.OUTER_TRUNCATED;
        }
        if (udp.destinationPort() != GtpuView.PORT) {
            return Verdict.NOT_OURS;
        }
        GtpuView.Fault fault = gtpu.moveTo(udp.payload(), udp.end());
        if (fault != GtpuView.Fault.NONE) {
            return verdictOf(fault);
        }
        return gtpu.messageType() == GtpuView.G_PDU ? null : verdictOfMessage(gtpu.messageType());
    }

    private static Verdict verdictOf(GtpuView.Fault fault) {
        return switch (fault) {
            case VERSION -> Verdict.GTPU_VERSION;
            case EXTENSION -> Verdict.GTPU_EXTENSION;
            case EXTENSION_UNKNOWN -> Verdict.GTPU_EXTENSION_UNKNOWN;
            case LENGTH, NONE -> Verdict.GTPU_LENGTH;
        };
    }

    private static Verdict verdictOfMessage(int type) {
        return switch (type) {
            case GtpuView.ECHO_REQUEST -> Verdict.ECHO_ANSWERED;
            case GtpuView.ECHO_RESPONSE -> Verdict.GTPU_ECHO_RESPONSE;
            case GtpuView.ERROR_INDICATION -> Verdict.GTPU_ERROR_INDICATION;
            case GtpuView.END_MARKER -> Verdict.GTPU_END_MARKER;
            default -> Verdict.GTPU_MESSAGE_TYPE;
        };
    }

    /** A loop of its own and short, so that the processor has many of these loads under way at a time. */
    private void touchDirectory(int parsed, Directory.Table table) {
        long touch = 0;
        for (int i = 0; i < parsed; i++) {
            touch ^= table.touch(teid[i]);
        }
        touched ^= touch;
    }

    private int lookUp(int parsed, Directory.Table table) {
        int kept = 0;
        for (int i = 0; i < parsed; i++) {
            long value = table.find(teid[i]);
            if (value == Directory.NONE) {
                outbox.drop(Outbox.UPLINK, Verdict.UNKNOWN_TEID, frame[i]);
            } else if (Directory.workerOf(value) != outbox.worker()) {
                outbox.rehome(Outbox.UPLINK, Directory.workerOf(value), frame[i], length[i]);
            } else {
                if (kept != i) {
                    move(i, kept);
                }
                slot[kept] = Directory.slotOf(value);
                kept++;
            }
        }
        return kept;
    }

    private void move(int from, int to) {
        frame[to] = frame[from];
        packet[to] = packet[from];
        packetEnd[to] = packetEnd[from];
        teid[to] = teid[from];
        qfi[to] = qfi[from];
    }

    /** A short loop, as above. */
    private void loadRules(int found) {
        for (int i = 0; i < found; i++) {
            rules[i] = SessionSlot.tunnelRules(slot[i]);
        }
    }

    private void touchRules(int found) {
        long touch = 0;
        for (int i = 0; i < found; i++) {
            long first = SessionSlot.firstOf(rules[i]);
            touch ^= first == 0 ? 0 : RuleEntry.flags(first);
        }
        touched ^= touch;
    }

    private void apply(int found, long nowNs) {
        for (int i = 0; i < found; i++) {
            long at = frame[i];
            if (!inner.moveTo(packet[i], packetEnd[i])) {
                outbox.drop(
                        Outbox.UPLINK,
                        inner.isOtherVersion(packetEnd[i]) ? Verdict.INNER_NOT_IPV4 : Verdict.INNER_TRUNCATED,
                        at);
                continue;
            }
            long entry = PdrMatch.tunnel(rules[i], teid[i], qfi[i], inner);
            if (entry == PdrMatch.NONE || entry == PdrMatch.UE_SOURCE_MISMATCH) {
                SessionSlot.countDropped(slot[i], 0);
                outbox.drop(Outbox.UPLINK, entry == PdrMatch.NONE ? Verdict.NO_PDR : Verdict.UE_SOURCE_MISMATCH, at);
                continue;
            }
            Verdict verdict = forwarder.forward(slot[i], entry, packet[i], inner.totalLength(), inner.destination());
            if (verdict == Verdict.FORWARDED) {
                outbox.forward(Outbox.UPLINK, forwarder.isTowardsAccess(), forwarder.frame(), forwarder.frameLength());
            } else {
                if (verdict == Verdict.NEIGHBOUR_UNRESOLVED) {
                    neighbours.want(forwarder.isTowardsAccess(), forwarder.wanted(), nowNs, outbox);
                }
                outbox.drop(Outbox.UPLINK, verdict, at);
            }
        }
    }

    long touched() {
        return touched;
    }
}
