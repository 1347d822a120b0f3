package io.upfdataplane.dataplane.bench;

import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.PortStatistics;
import java.util.List;

/** Ports that hand over frames prepared outside the timed part and swallow what is sent. One thread. */
final class PreparedPorts implements PortSet {
    final Port n3;
    final Port n6;

    PreparedPorts(int batchSize) {
        n3 = new Port(batchSize);
        n6 = new Port(batchSize);
    }

    static final class Port implements PacketPort {
        final FrameBatch prepared;
        long sent;

        Port(int batchSize) {
            prepared = new FrameBatch(batchSize);
        }

        @Override
        public int receive(FrameBatch batch) {
            int count = prepared.count;
            for (int i = 0; i < count; i++) {
                batch.add(prepared.address[i], prepared.length[i]);
            }
            prepared.count = 0;
            return count;
        }

        @Override
        public int send(FrameBatch batch) {
            sent += batch.count;
            batch.count = 0;
            return 0;
        }

        @Override
        public void flush() {
            // Nothing is ever under way.
        }

        @Override
        public int descriptor() {
            return -1;
        }

        @Override
        public boolean hasQueued() {
            return false;
        }

        @Override
        public boolean hasUnsent() {
            return false;
        }

        @Override
        public PortStatistics statistics() {
            return new PortStatistics(0, sent, 0, 0, 0, 0, 0, 0, 0);
        }
    }

    @Override
    public PacketPort port(Leg leg, int worker) {
        return leg == Leg.N3 ? n3 : n6;
    }

    @Override
    public void engage() {
        // The benchmark itself is the wire.
    }

    @Override
    public void disengage() {
        // As above.
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
        // Frames belong to the benchmark.
    }
}
