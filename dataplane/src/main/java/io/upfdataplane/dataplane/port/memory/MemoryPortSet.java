package io.upfdataplane.dataplane.port.memory;

import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortSet;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Memory ports for each leg and worker. Control thread only, except what {@link MemoryPort} says. */
public final class MemoryPortSet implements PortSet {
    private final MemoryPort[] n3;
    private final MemoryPort[] n6;

    /**
     * @param ringSize frames that each port holds in each direction, a power of two
     */
    public MemoryPortSet(FramePool pool, int workers, int ringSize) {
        n3 = new MemoryPort[workers];
        n6 = new MemoryPort[workers];
        for (int worker = 0; worker < workers; worker++) {
            n3[worker] = new MemoryPort(pool, ringSize);
            n6[worker] = new MemoryPort(pool, ringSize);
        }
    }

    @Override
    public MemoryPort port(Leg leg, int worker) {
        return leg == Leg.N3 ? n3[worker] : n6[worker];
    }

    @Override
    public void engage() {
        // The wire is always there.
    }

    @Override
    public void disengage() {
        // Nobody else could take the frames.
    }

    @Override
    public void usePools(List<PortPlan.Prefix> uePools) {
        // All frames are ours.
    }

    @Override
    public ModeFacts facts() {
        return new ModeFacts("Memory", false, "None");
    }

    @Override
    public void close() {
        Stream.concat(Arrays.stream(n3), Arrays.stream(n6)).forEach(MemoryPort::close);
    }
}
