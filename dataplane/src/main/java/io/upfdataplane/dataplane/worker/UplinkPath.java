package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.apply.EchoResponse;
import io.upfdataplane.dataplane.apply.Forwarder;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.match.Directory;
import io.upfdataplane.dataplane.match.PdrMatch;
import io.upfdataplane.dataplane.match.SessionSlot;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.wire.EthernetView;
import io.upfdataplane.dataplane.wire.GtpuView;
import io.upfdataplane.dataplane.wire.Ipv4View;
import io.upfdataplane.dataplane.wire.UdpView;
import io.upfdataplane.dataplane.wire.UsualGpdu;
import org.jspecify.annotations.Nullable;

/**
 * Packets from N3, a batch at a time in stages: parse all, find all sessions, match all, forward all. Each stage brings
 * into the cache what the next one reads. Its worker only.
 */
final class UplinkPath {
    private final Outbox outbox;
    private final Forwarder forwarder;
    private final PathStages stages;
    private final PacketLanes lanes;
    private final EthernetView ethernet = new EthernetView();
    private final Ipv4View outer = new Ipv4View();
    private final UdpView udp = new UdpView();
    private final GtpuView gtpu = new GtpuView();
    private final Ipv4View inner = new Ipv4View();

    UplinkPath(Outbox outbox, Forwarder forwarder, Directory teids, NeighbourRequests neighbours, int batchSize) {
        this.outbox = outbox;
        this.forwarder = forwarder;
        stages = new PathStages(outbox, forwarder, teids, neighbours, Outbox.UPLINK, batchSize);
        lanes = stages.lanes();
    }

    /** Takes all frames of the batch and empties it. */
    void run(FrameBatch batch, long nowNs) {
        forwarder.begin(nowNs);
        int parsed = parse(batch);
        int found = stages.find(parsed);
        match(found);
        stages.forward(found, nowNs);
    }

    private int parse(FrameBatch batch) {
        PacketLanes lanes = this.lanes;
        int accessIpv4 = forwarder.accessIpv4();
        int count = batch.count;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            long start = batch.address[i];
            int lengthBytes = batch.length[i];
            if (UsualGpdu.is(start, lengthBytes, accessIpv4)) {
                long lane = lanes.lane(kept);
                PacketLanes.setFrame(lane, start, lengthBytes);
                PacketLanes.setPacket(
                        lane,
                        start + UsualGpdu.HEADERS,
                        UsualGpdu.end(start),
                        UsualGpdu.teid(start),
                        UsualGpdu.qfi(start));
                kept++;
            } else {
                kept = parseWithViews(start, lengthBytes, accessIpv4, kept);
            }
        }
        batch.count = 0;
        return kept;
    }

    /** Returns how many are kept with this one. */
    private int parseWithViews(long start, int lengthBytes, int accessIpv4, int kept) {
        Verdict verdict = parse(start, start + lengthBytes, accessIpv4);
        if (verdict == null) {
            PacketLanes.setFrame(lanes.lane(kept), start, lengthBytes);
            PacketLanes.setPacket(lanes.lane(kept), gtpu.payload(), gtpu.end(), gtpu.teid(), gtpu.qfi());
            return kept + 1;
        }
        if (verdict == Verdict.ECHO_ANSWERED) {
            EchoResponse.write(start, ethernet, outer, udp, gtpu);
            outbox.answer(start, EchoResponse.LENGTH);
        } else {
            outbox.drop(Outbox.UPLINK, verdict, start);
        }
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

    private void match(int found) {
        PacketLanes lanes = this.lanes;
        for (int i = 0; i < found; i++) {
            long lane = lanes.lane(i);
            if (!inner.moveTo(PacketLanes.packet(lane), PacketLanes.packetEnd(lane))) {
                boolean other = inner.isOtherVersion(PacketLanes.packetEnd(lane));
                drop(lane, other ? Verdict.INNER_NOT_IPV4 : Verdict.INNER_TRUNCATED);
                continue;
            }
            long entry = PdrMatch.tunnel(PacketLanes.rules(lane), PacketLanes.key(lane), PacketLanes.qfi(lane), inner);
            if (entry == PdrMatch.NONE || entry == PdrMatch.UE_SOURCE_MISMATCH) {
                SessionSlot.countDropped(PacketLanes.slot(lane), 0);
                drop(lane, entry == PdrMatch.NONE ? Verdict.NO_PDR : Verdict.UE_SOURCE_MISMATCH);
                continue;
            }
            PacketLanes.setMatch(lane, entry, inner.totalLength());
        }
    }

    private void drop(long lane, Verdict verdict) {
        PacketLanes.setMatch(lane, 0, 0);
        outbox.drop(Outbox.UPLINK, verdict, PacketLanes.frame(lane));
    }

    /** Once its worker has ended. */
    void close() {
        stages.close();
    }
}
