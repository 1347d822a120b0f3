package io.upfdataplane.dataplane.worker;

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

/**
 * Packets from N6, staged as in {@link UplinkPath}. Its worker only.
 */
final class DownlinkPath {
    private final Outbox outbox;
    private final Forwarder forwarder;
    private final PathStages stages;
    private final PacketLanes lanes;
    private final EthernetView ethernet = new EthernetView();
    private final Ipv4View ip = new Ipv4View();

    DownlinkPath(
            Outbox outbox, Forwarder forwarder, Directory ueAddresses, NeighbourRequests neighbours, int batchSize) {
        this.outbox = outbox;
        this.forwarder = forwarder;
        stages = new PathStages(outbox, forwarder, ueAddresses, neighbours, Outbox.DOWNLINK, batchSize);
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
        int count = batch.count;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            long start = batch.address[i];
            long end = start + batch.length[i];
            if (!ethernet.moveTo(start, end) || ethernet.type() != EthernetView.TYPE_IPV4) {
                outbox.drop(Outbox.DOWNLINK, Verdict.NOT_OURS, start);
            } else if (!ip.moveTo(ethernet.payload(), end)) {
                outbox.drop(Outbox.DOWNLINK, Verdict.INNER_TRUNCATED, start);
            } else {
                long lane = lanes.lane(kept++);
                PacketLanes.setFrame(lane, start, batch.length[i]);
                PacketLanes.setPacket(lane, ethernet.payload(), end, ip.destination(), GtpuView.NO_QFI);
            }
        }
        batch.count = 0;
        return kept;
    }

    private void match(int found) {
        PacketLanes lanes = this.lanes;
        for (int i = 0; i < found; i++) {
            long lane = lanes.lane(i);
            // Seen to be well formed by parse.
            boolean wellFormed = ip.moveTo(PacketLanes.packet(lane), PacketLanes.packetEnd(lane));
            long entry = wellFormed ? PdrMatch.address(PacketLanes.rules(lane), ip) : PdrMatch.NONE;
            PacketLanes.setMatch(lane, entry, ip.totalLength());
            if (entry == PdrMatch.NONE) {
                SessionSlot.countDropped(PacketLanes.slot(lane), RuleEntry.DOWNLINK);
                outbox.drop(Outbox.DOWNLINK, Verdict.NO_PDR, PacketLanes.frame(lane));
            }
        }
    }

    /** Once its worker has ended. */
    void close() {
        stages.close();
    }
}
