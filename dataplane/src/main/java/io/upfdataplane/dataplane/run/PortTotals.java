package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.PortStatistics;
import java.util.Collections;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Port statistics over all port sets of the process, so that counters never go back when a set is closed. Control
 * thread; what it gives away is immutable.
 */
final class PortTotals {
    static final PortStatistics NONE = new PortStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final Map<Leg, PortStatistics> closed = new EnumMap<>(Leg.class);

    PortTotals() {
        for (Leg leg : Leg.values()) {
            closed.put(leg, NONE);
        }
    }

    /** Keeps what a set has counted; called once, when no worker uses it any longer and before it is closed. */
    void close(PortSet set, int workers) {
        of(set, workers).forEach((leg, statistics) -> closed.merge(leg, statistics, PortTotals::sum));
    }

    Map<Leg, PortStatistics> withOpen(int workers, PortSet... open) {
        Map<Leg, PortStatistics> totals = new EnumMap<>(closed);
        for (PortSet set : open) {
            of(set, workers).forEach((leg, statistics) -> totals.merge(leg, statistics, PortTotals::sum));
        }
        return Map.copyOf(totals);
    }

    /** A port that serves both legs is counted once, as N3. */
    private static Map<Leg, PortStatistics> of(PortSet set, int workers) {
        Map<Leg, PortStatistics> totals = new EnumMap<>(Leg.class);
        Set<PacketPort> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Leg leg : Leg.values()) {
            PortStatistics total = NONE;
            for (int worker = 0; worker < workers; worker++) {
                PacketPort port = set.port(leg, worker);
                if (seen.add(port)) {
                    total = sum(total, port.statistics());
                }
            }
            totals.put(leg, total);
        }
        return totals;
    }

    static PortStatistics sum(PortStatistics a, PortStatistics b) {
        return new PortStatistics(
                a.received() + b.received(),
                a.sent() + b.sent(),
                a.receiveOverruns() + b.receiveOverruns(),
                a.fillStarved() + b.fillStarved(),
                a.invalidDescriptors() + b.invalidDescriptors(),
                a.checksumsCompleted() + b.checksumsCompleted(),
                a.segmented() + b.segmented(),
                a.poolEmpty() + b.poolEmpty(),
                a.oversized() + b.oversized());
    }

    /** Frames that were lost before a worker could give them a verdict. */
    static long lost(Map<Leg, PortStatistics> totals) {
        return totals.values().stream()
                .mapToLong(s -> s.receiveOverruns() + s.poolEmpty())
                .sum();
    }
}
