package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.apply.Forwarder;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.match.Directory;
import io.upfdataplane.dataplane.match.PdrMatch;
import io.upfdataplane.dataplane.match.RuleEntry;
import io.upfdataplane.dataplane.match.SessionSlot;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.wire.EthernetView;
import io.upfdataplane.dataplane.wire.Ipv4View;

/**
 * Packets from N6, staged as in {@link UplinkPath}. Its worker only.
 */
final class DownlinkPath {
    private final Outbox outbox;
    private final Forwarder forwarder;
    private final Directory directory;
    private final NeighbourRequests neighbours;
    private final EthernetView ethernet = new EthernetView();
    private final Ipv4View ip = new Ipv4View();

    private final long[] frame;
    private final int[] length;
    private final int[] ue;
    private final long[] slot;
    private final long[] rules;

    /** Keeps touch loads alive. */
    private long touched;

    DownlinkPath(
            Outbox outbox, Forwarder forwarder, Directory ueAddresses, NeighbourRequests neighbours, int batchSize) {
        this.outbox = outbox;
        this.forwarder = forwarder;
        this.directory = ueAddresses;
        this.neighbours = neighbours;
        frame = new long[batchSize];
        length = new int[batchSize];
        ue = new int[batchSize];
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
        int kept = 0;
        for (int i = 0; i < batch.count; i++) {
            long start = batch.address[i];
            long end = start + batch.length[i];
            if (!ethernet.moveTo(start, end) || ethernet.type() != EthernetView.TYPE_IPV4) {
                outbox.drop(Outbox.DOWNLINK, Verdict.NOT_OURS, start);
            } else if (!ip.moveTo(ethernet.payload(), end)) {
                outbox.drop(Outbox.DOWNLINK, Verdict.INNER_TRUNCATED, start);
            } else {
                int destination = ip.destination();
                frame[kept] = start;
                length[kept] = batch.length[i];
                ue[kept] = destination;
                kept++;
            }
        }
        batch.count = 0;
        return kept;
    }

    /** A loop of its own and short, so that the processor has many of these loads under way at a time. */
    private void touchDirectory(int parsed, Directory.Table table) {
        long touch = 0;
        for (int i = 0; i < parsed; i++) {
            touch ^= table.touch(ue[i]);
        }
        touched ^= touch;
    }

    private int lookUp(int parsed, Directory.Table table) {
        int kept = 0;
        for (int i = 0; i < parsed; i++) {
            long value = table.find(ue[i]);
            if (value == Directory.NONE) {
                outbox.drop(Outbox.DOWNLINK, Verdict.UNKNOWN_UE, frame[i]);
            } else if (Directory.workerOf(value) != outbox.worker()) {
                outbox.rehome(Outbox.DOWNLINK, Directory.workerOf(value), frame[i], length[i]);
            } else {
                frame[kept] = frame[i];
                length[kept] = length[i];
                slot[kept] = Directory.slotOf(value);
                kept++;
            }
        }
        return kept;
    }

    /** A short loop, as above. */
    private void loadRules(int found) {
        for (int i = 0; i < found; i++) {
            rules[i] = SessionSlot.addressRules(slot[i]);
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
            long packet = at + EthernetView.LENGTH;
            // Seen to be well formed by parse.
            boolean wellFormed = ip.moveTo(packet, at + length[i]);
            long entry = wellFormed ? PdrMatch.address(rules[i], ip) : PdrMatch.NONE;
            if (entry == PdrMatch.NONE) {
                SessionSlot.countDropped(slot[i], RuleEntry.DOWNLINK);
                outbox.drop(Outbox.DOWNLINK, Verdict.NO_PDR, at);
                continue;
            }
            Verdict verdict = forwarder.forward(slot[i], entry, packet, ip.totalLength(), ip.destination());
            if (verdict == Verdict.FORWARDED) {
                outbox.forward(
                        Outbox.DOWNLINK, forwarder.isTowardsAccess(), forwarder.frame(), forwarder.frameLength());
            } else {
                if (verdict == Verdict.NEIGHBOUR_UNRESOLVED) {
                    neighbours.want(forwarder.isTowardsAccess(), forwarder.wanted(), nowNs, outbox);
                }
                outbox.drop(Outbox.DOWNLINK, verdict, at);
            }
        }
    }

    long touched() {
        return touched;
    }
}
