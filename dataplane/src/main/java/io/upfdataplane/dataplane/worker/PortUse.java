package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortSet;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The ports of one worker from one change of port sets to the next; immutable. */
final class PortUse {
    static final PortUse NOTHING = new PortUse(0, null, null, 0);

    final long generation;

    /** Send through these; null when there are none. */
    final @Nullable PacketPort n3;

    final @Nullable PacketPort n6;

    /** Ports that are only received from. */
    final @Nullable PacketPort besideN3;

    final @Nullable PacketPort besideN6;

    /** Each port once. */
    final PacketPort[] all;

    /** The ports beside are those that were sent through before: what they hold came earlier. */
    final boolean besideHoldsOlder;

    PortUse(long generation, @Nullable PortSet sending, @Nullable PortSet beside, int worker) {
        this(generation, sending, beside, false, worker);
    }

    PortUse(
            long generation,
            @Nullable PortSet sending,
            @Nullable PortSet beside,
            boolean besideHoldsOlder,
            int worker) {
        this.generation = generation;
        this.besideHoldsOlder = besideHoldsOlder;
        n3 = sending == null ? null : sending.port(Leg.N3, worker);
        n6 = sending == null ? null : sending.port(Leg.N6, worker);
        besideN3 = beside == null ? null : beside.port(Leg.N3, worker);
        besideN6 = beside == null ? null : beside.port(Leg.N6, worker);
        all = Stream.of(n3, n6, besideN3, besideN6)
                .filter(Objects::nonNull)
                .distinct()
                .toArray(PacketPort[]::new);
    }

    boolean isBesideUnsent() {
        return (besideN3 != null && besideN3.hasUnsent()) || (besideN6 != null && besideN6.hasUnsent());
    }

    boolean hasQueued() {
        for (PacketPort port : all) {
            if (port.hasQueued()) {
                return true;
            }
        }
        return false;
    }

    boolean hasUnsent() {
        for (PacketPort port : all) {
            if (port.hasUnsent()) {
                return true;
            }
        }
        return false;
    }
}
