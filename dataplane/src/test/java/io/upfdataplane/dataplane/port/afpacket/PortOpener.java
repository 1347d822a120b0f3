package io.upfdataplane.dataplane.port.afpacket;

import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.SharedFramePool;

/** A process that opens the ports of {@link AfPacketPortSetIT#plan} where it is, and sends on N6 what comes on N3. */
final class PortOpener {
    private PortOpener() {}

    public static void main(String[] arguments) throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(2048, 2048, false);
                PortSet set = AfPacketPortSet.open(AfPacketPortSetIT.plan("n3", "n6", 1), pool)) {
            System.out.println("open");
            FrameBatch batch = new FrameBatch(64);
            long end = System.nanoTime() + 20_000_000_000L;
            while (set.port(Leg.N6, 0).statistics().sent() == 0 && System.nanoTime() < end) {
                set.port(Leg.N3, 0).receive(batch);
                set.port(Leg.N6, 0).send(batch);
                set.port(Leg.N6, 0).flush();
            }
        }
    }
}
