package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.apply.Forwarder;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.match.Directory;
import io.upfdataplane.dataplane.match.RuleEntry;
import io.upfdataplane.dataplane.match.SessionSlot;
import io.upfdataplane.dataplane.port.FrameBatch;

/**
 * The stages that both paths share: from the keys of parsed packets to the rules of their sessions, and from the entry
 * that matched to a frame. Each touch is a loop that does nothing else, so that the processor has many of its loads
 * under way at a time. Each stage is to be compiled on its own (see {@code hack/dataplane}): the compiler's limit of
 * nodes would otherwise leave calls inside its loop. Its worker only.
 */
final class PathStages implements AutoCloseable {
    private final Outbox outbox;
    private final Forwarder forwarder;
    private final Directory directory;
    private final NeighbourRequests neighbours;
    private final int direction;
    private final PacketLanes lanes;

    /** Keeps touch loads alive. */
    private long touched;

    PathStages(
            Outbox outbox,
            Forwarder forwarder,
            Directory directory,
            NeighbourRequests neighbours,
            int direction,
            int batchSize) {
        this.outbox = outbox;
        this.forwarder = forwarder;
        this.neighbours = neighbours;
        this.directory = directory;
        this.direction = direction;
        lanes = new PacketLanes(batchSize);
    }

    PacketLanes lanes() {
        return lanes;
    }

    /** For the first {@code parsed} lanes; returns how many are left, those whose session is this worker's. */
    int find(int parsed) {
        Directory.Table table = directory.table();
        touchDirectory(parsed, table);
        int found = lookUp(parsed, table);
        loadRules(found);
        touchRules(found);
        return found;
    }

    private void touchDirectory(int parsed, Directory.Table table) {
        PacketLanes lanes = this.lanes;
        long touch = 0;
        for (int i = 0; i < parsed; i++) {
            touch ^= table.touch(PacketLanes.key(lanes.lane(i)));
        }
        touched ^= touch;
    }

    private int lookUp(int parsed, Directory.Table table) {
        PacketLanes lanes = this.lanes;
        int self = outbox.worker();
        int kept = 0;
        for (int i = 0; i < parsed; i++) {
            long lane = lanes.lane(i);
            long value = table.find(PacketLanes.key(lane));
            if (value == Directory.NONE || Directory.workerOf(value) != self) {
                passOn(lane, value);
                continue;
            }
            if (kept != i) {
                PacketLanes.copy(lane, lanes.lane(kept));
                lane = lanes.lane(kept);
            }
            PacketLanes.setSlot(lane, Directory.slotOf(value));
            kept++;
        }
        return kept;
    }

    private void passOn(long lane, long value) {
        long frame = PacketLanes.frame(lane);
        if (value == Directory.NONE) {
            outbox.drop(direction, direction == Outbox.UPLINK ? Verdict.UNKNOWN_TEID : Verdict.UNKNOWN_UE, frame);
        } else {
            outbox.rehome(direction, Directory.workerOf(value), frame, PacketLanes.lengthBytes(lane));
        }
    }

    private void loadRules(int found) {
        PacketLanes lanes = this.lanes;
        long line = direction == Outbox.UPLINK ? 0 : SessionSlot.LINE;
        for (int i = 0; i < found; i++) {
            long lane = lanes.lane(i);
            PacketLanes.setRules(lane, SessionSlot.rules(PacketLanes.slot(lane) + line));
        }
    }

    private void touchRules(int found) {
        PacketLanes lanes = this.lanes;
        long touch = 0;
        for (int i = 0; i < found; i++) {
            long first = SessionSlot.firstOf(PacketLanes.rules(lanes.lane(i)));
            touch ^= first == 0 ? 0 : RuleEntry.flags(first);
        }
        touched ^= touch;
    }

    /** Those whose rules matched. */
    void forward(int found, long nowNs) {
        PacketLanes lanes = this.lanes;
        Forwarder forwarder = this.forwarder;
        FrameBatch toAccess = outbox.forwarded(direction, true);
        FrameBatch toCore = outbox.forwarded(direction, false);
        for (int i = 0; i < found; i++) {
            long lane = lanes.lane(i);
            long entry = PacketLanes.entry(lane);
            if (entry == 0) {
                continue;
            }
            long outcome = forwarder.forward(
                    PacketLanes.slot(lane), entry, PacketLanes.packet(lane), PacketLanes.innerLength(lane));
            if (Forwarder.isForwarded(outcome)) {
                FrameBatch out = Forwarder.isTowardsAccess(outcome) ? toAccess : toCore;
                out.add(Forwarder.frame(outcome), Forwarder.frameLength(outcome));
            } else {
                refuse(lane, outcome, nowNs);
            }
        }
    }

    private void refuse(long lane, long outcome, long nowNs) {
        Verdict verdict = Forwarder.verdict(outcome);
        if (verdict == Verdict.NEIGHBOUR_UNRESOLVED) {
            neighbours.want(Forwarder.isTowardsAccess(outcome), forwarder.wanted(), nowNs, outbox);
        }
        outbox.drop(direction, verdict, PacketLanes.frame(lane));
    }

    /** Once its worker has ended. */
    @Override
    public void close() {
        lanes.close();
    }
}
