package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.port.kernel.DeviceCounters;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
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

    private final DeviceCounters counters;
    private final Map<Leg, String> devices;

    /**
     * @param devices of each leg
     */
    PortTotals(DeviceCounters counters, Map<Leg, String> devices) {
        this.counters = counters;
        this.devices = Map.copyOf(devices);
        for (Leg leg : Leg.values()) {
            closed.put(leg, NONE);
        }
    }

    /** Keeps what a set has counted; called once, when it is closed. */
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

    /** What each leg's device has lost by the kernel's own counters; a device of both legs is counted once, as N3. */
    Map<Leg, DeviceCounters.Lost> ofDevices() {
        Map<Leg, DeviceCounters.Lost> lost = new EnumMap<>(Leg.class);
        Set<String> seen = new HashSet<>();
        for (Leg leg : Leg.values()) {
            String device = devices.get(leg);
            lost.put(leg, device != null && seen.add(device) ? counters.lost(device) : DeviceCounters.Lost.NONE);
        }
        return lost;
    }

    /**
     * Frames lost before a worker could give them a verdict, or after it had: by our rings and pool, and by the devices.
     * What devices dropped on the way in is left out, since it holds what our rings had no room for a second time.
     */
    long lost(int workers, PortSet... open) {
        long lost = 0;
        for (PortStatistics s : withOpen(workers, open).values()) {
            lost += s.receiveOverruns() + s.poolEmpty();
        }
        for (DeviceCounters.Lost device : ofDevices().values()) {
            lost += device.rxMissed() + device.txDropped() + device.txErrors();
        }
        return lost;
    }
}
