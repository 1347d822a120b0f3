package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.testbed.RawSocket;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of pool frames and of the heap while AF_XDP carries traffic. */
@Timeout(240)
class AfXdpFramesIT {
    private AfXdpRig rig;

    @BeforeEach
    void setUp() throws Exception {
        rig = new AfXdpRig();
    }

    @AfterEach
    void tearDown() {
        rig.close();
    }

    @Test
    void allComeBackOverManyRoundsUnderTraffic() throws Exception {
        try (Traffic traffic = new Traffic()) {
            for (int round = 0; round < 16; round++) {
                try (AfXdpPortSet set = rig.open(AfXdpRig.plan(2))) {
                    List<Wire> wires = Wire.start(set, 2, (worker, leg, address, length) -> {});
                    set.engage();
                    for (int waits = 0; waits < 2000 && received(wires) < 200; waits++) {
                        Thread.sleep(1);
                    }
                    assertThat(received(wires)).as("round %d", round).isGreaterThanOrEqualTo(200);
                    // Every other round ends in the middle of the traffic: rings, kernel and link hold frames.
                    if (round % 2 == 0) {
                        set.disengage();
                    }
                    Wire.stop(wires);
                }
                assertThat(rig.pool.free()).as("round %d", round).isEqualTo(rig.pool.frames());
            }
        }
    }

    @Test
    void costNoHeap() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Traffic traffic = new Traffic();
                AfXdpPortSet set = rig.open(AfXdpRig.plan(1))) {
            set.engage();
            PacketPort n3 = set.port(Leg.N3, 0);
            PacketPort n6 = set.port(Leg.N6, 0);
            FrameBatch batch = new FrameBatch(64);
            forward(n3, n6, batch, 100_000);
            long before = threads.getCurrentThreadAllocatedBytes();
            forward(n3, n6, batch, 250_000);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            System.out.printf("a quarter of a million frames: %d bytes of heap%n", allocated);
            // Compiling while it runs may cost a few objects, never one for each batch.
            assertThat(allocated).isLessThan(16 << 10);
        }
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
    }

    private static void forward(PacketPort from, PacketPort to, FrameBatch batch, int frames) {
        long deadline = System.nanoTime() + 100_000_000_000L;
        int moved = 0;
        while (moved < frames && System.nanoTime() < deadline) {
            moved += from.receive(batch);
            to.send(batch);
            to.flush();
            from.flush();
        }
        assertThat(moved).isGreaterThanOrEqualTo(frames);
    }

    private static long received(List<Wire> wires) {
        return wires.stream().mapToLong(Wire::received).sum();
    }

    /** Uplink frames as fast as one socket gets them out, until it is closed. */
    private final class Traffic implements AutoCloseable {
        private volatile boolean stop;
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Thread thread;

        Traffic() {
            byte[][] frames = new byte[256][];
            for (int i = 0; i < frames.length; i++) {
                frames[i] = rig.uplink(AfXdpRig.FIRST_UE + i, i, 0);
            }
            thread = rig.net.thread("gnb", () -> {
                try (RawSocket socket = new RawSocket("g0")) {
                    for (int i = 0; !stop; i++) {
                        socket.send(frames[i & 255]);
                    }
                } catch (Exception e) {
                    failure.set(e);
                }
            });
            thread.start();
        }

        @Override
        public void close() throws Exception {
            stop = true;
            thread.join(10_000);
            assertThat(failure.get()).isNull();
        }
    }
}
