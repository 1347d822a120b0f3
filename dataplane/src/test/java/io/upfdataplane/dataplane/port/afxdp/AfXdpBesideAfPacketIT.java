package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.afpacket.AfPacketPortSet;
import io.upfdataplane.dataplane.testbed.RawSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A mode change under traffic, both ways: AF_PACKET and AF_XDP side by side on the same devices. */
@Timeout(180)
class AfXdpBesideAfPacketIT {
    private static final int MOST_FRAMES = 4_000_000;
    private static final int IN_FLIGHT = 64;

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
    void takesOverAndGivesBackWithoutDuplicateOrLoss() throws Exception {
        int workers = 2;
        PortSet packet = rig.net.inside("upf", () -> AfPacketPortSet.open(AfXdpRig.plan(workers), rig.pool));
        packet.engage();
        List<Wire> wires = Wire.start(packet, workers, (worker, leg, address, length) -> {});
        try (Flow up = new Flow("gnb", "g0", "dn", "d0", AfXdpRig.UPLINK_PAYLOAD);
                Flow down = new Flow("dn", "d0", "gnb", "g0", AfXdpRig.DOWNLINK_PAYLOAD)) {
            for (int round = 0; round < 3; round++) {
                int before = up.sent + down.sent;
                AfXdpPortSet xdp = rig.open(AfXdpRig.plan(workers));
                change(wires, packet, xdp, workers);
                packet.close();
                Thread.sleep(100);
                assertThat(xdp.counters().steered()).allMatch(n -> n > 0);
                packet = rig.net.inside("upf", () -> AfPacketPortSet.open(AfXdpRig.plan(workers), rig.pool));
                change(wires, xdp, packet, workers);
                xdp.close();
                Thread.sleep(100);
                assertThat(up.sent + down.sent).as("traffic went on").isGreaterThan(before);
            }
            up.finish();
            down.finish();
            System.out.printf("six mode changes: uplink %s, downlink %s%n", up, down);
            // When a program leaves a veth without GRO, the kernel throws away what its NAPI ring holds just then: on
            // an
            // idle machine nothing, behind a late softirq all that is under way. That may happen once, and in no case
            // does the change itself lose a frame.
            assertThat(up.lost() + down.lost()).isLessThanOrEqualTo(IN_FLIGHT);
            assertThat(up.duplicated()).isZero();
            assertThat(down.duplicated()).isZero();
        } finally {
            Wire.stop(wires);
            packet.close();
        }
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
    }

    /** As the Javadoc of {@link PortSet} has it. */
    private static void change(List<Wire> wires, PortSet old, PortSet next, int workers) throws Exception {
        for (Wire wire : wires) {
            wire.receiveFrom(old, next);
        }
        next.engage();
        old.disengage();
        for (Wire wire : wires) {
            wire.sendThrough(next);
        }
        for (Wire wire : wires) {
            wire.drainFirst();
        }
        // Workers go on flushing the old set until it has sent all.
        long deadline = System.nanoTime() + 2_000_000_000L;
        while (hasUnsent(old, workers) && System.nanoTime() < deadline) {
            Thread.sleep(1);
        }
        for (Wire wire : wires) {
            wire.receiveFrom(next);
        }
        assertThat(hasUnsent(old, workers)).as("the old set is drained").isFalse();
    }

    private static boolean hasUnsent(PortSet set, int workers) {
        for (int worker = 0; worker < workers; worker++) {
            for (Leg leg : Leg.values()) {
                if (set.port(leg, worker).hasUnsent()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Numbered frames in one direction, never more than a few under way, so that only the change can lose one. */
    private final class Flow implements AutoCloseable {
        private final AtomicIntegerArray seen = new AtomicIntegerArray(MOST_FRAMES);
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final List<Thread> threads = new ArrayList<>();
        private volatile int sent;
        private volatile int arrived;
        private volatile boolean stopSending;
        private volatile boolean stop;

        Flow(String from, String fromDevice, String to, String toDevice, int payloadAt) {
            threads.add(rig.net.thread(to, () -> receive(toDevice, payloadAt)));
            threads.add(rig.net.thread(from, () -> send(fromDevice, payloadAt == AfXdpRig.UPLINK_PAYLOAD)));
            threads.forEach(Thread::start);
        }

        private void send(String device, boolean isUplink) {
            try (RawSocket socket = new RawSocket(device)) {
                int forgiven = 0;
                while (!stopSending && sent < MOST_FRAMES) {
                    int ue = AfXdpRig.FIRST_UE + sent % 50;
                    socket.send(isUplink ? rig.uplink(ue, sent, 0) : rig.downlink(ue, sent, 0));
                    sent++;
                    long deadline = System.nanoTime() + 1_000_000_000L;
                    while (sent - arrived - forgiven > IN_FLIGHT && System.nanoTime() < deadline && !stopSending) {
                        Thread.sleep(0, 100_000);
                    }
                    if (sent - arrived - forgiven > IN_FLIGHT) {
                        forgiven = sent - arrived;
                    }
                }
            } catch (Throwable t) {
                failure.set(t);
            }
        }

        private void receive(String device, int payloadAt) {
            try (RawSocket socket = new RawSocket(device)) {
                while (!stop) {
                    byte[] frame = socket.receive(10);
                    if (frame.length >= payloadAt + 18 && frame[23] == 17) {
                        seen.incrementAndGet(ByteBuffer.wrap(frame).getInt(payloadAt));
                        arrived++;
                    }
                }
            } catch (Throwable t) {
                failure.set(t);
            }
        }

        void finish() throws InterruptedException {
            stopSending = true;
            threads.get(1).join(5000);
            for (int waits = 0; waits < 200 && arrived < sent; waits++) {
                Thread.sleep(10);
            }
            assertThat(failure.get()).isNull();
        }

        int lost() {
            int lost = 0;
            for (int i = 0; i < sent; i++) {
                lost += seen.get(i) == 0 ? 1 : 0;
            }
            return lost;
        }

        int duplicated() {
            int duplicated = 0;
            for (int i = 0; i < sent; i++) {
                duplicated += Math.max(0, seen.get(i) - 1);
            }
            return duplicated;
        }

        @Override
        public String toString() {
            return sent + " sent, " + lost() + " lost, " + duplicated() + " duplicated";
        }

        @Override
        public void close() throws InterruptedException {
            stopSending = true;
            stop = true;
            for (Thread thread : threads) {
                thread.join(5000);
            }
        }
    }
}
