package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.testbed.RawSocket;
import io.upfdataplane.dataplane.wire.Steering;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two workers on one single-queue veth. */
@Timeout(180)
class AfXdpWorkersIT {
    private static final int UES = 10_000;
    private static final int ROUNDS = 3;
    private static final int IN_FLIGHT = 512;

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
    void splitUesEvenlyAndKeepTheOrderOfEachOne() throws Exception {
        carry(AfXdpRig.plan(2));
    }

    @Test
    void keepOrderWithBusyPolling() throws Exception {
        carry(AfXdpRig.plan(2, PortPlan.ZeroCopy.NEVER, true));
    }

    private void carry(PortPlan plan) throws Exception {
        AtomicLong misrouted = new AtomicLong();
        AtomicLong outOfOrder = new AtomicLong();
        AtomicLongArray ofWorker = new AtomicLongArray(2);
        AtomicIntegerArray nextAtWorker = new AtomicIntegerArray(2 * UES);
        Wire.Tap tap = (worker, leg, address, length) -> {
            int at = leg == Leg.N3 ? AfXdpRig.UPLINK_PAYLOAD : AfXdpRig.DOWNLINK_PAYLOAD;
            int ue = Native.MEMORY.get(Native.BE_INT, address + at);
            int number = Native.MEMORY.get(Native.BE_INT, address + at + 4);
            ofWorker.incrementAndGet(worker);
            if (Steering.workerOfUe(AfXdpRig.FIRST_UE + ue, 2) != worker) {
                misrouted.incrementAndGet();
            }
            if (nextAtWorker.getAndSet(leg.ordinal() * UES + ue, number + 1) != number) {
                outOfOrder.incrementAndGet();
            }
        };
        try (AfXdpPortSet set = rig.open(plan);
                RawSocket gnb = rig.net.inside("gnb", () -> new RawSocket("g0"));
                RawSocket dn = rig.net.inside("dn", () -> new RawSocket("d0"))) {
            List<Wire> wires = Wire.start(set, 2, tap);
            set.engage();
            Sink up = new Sink(dn, AfXdpRig.UPLINK_PAYLOAD);
            Sink down = new Sink(gnb, AfXdpRig.DOWNLINK_PAYLOAD);
            int sent = 0;
            for (int number = 0; number < ROUNDS; number++) {
                for (int ue = 0; ue < UES; ue++) {
                    gnb.send(rig.uplink(AfXdpRig.FIRST_UE + ue, ue, number));
                    dn.send(rig.downlink(AfXdpRig.FIRST_UE + ue, ue, number));
                    sent++;
                    for (int waits = 0; waits < 500 && sent - Math.min(up.frames, down.frames) > IN_FLIGHT; waits++) {
                        up.drain(1);
                        down.drain(1);
                    }
                }
            }
            for (int waits = 0; waits < 200 && (up.frames < sent || down.frames < sent); waits++) {
                up.drain(10);
                down.drain(10);
            }
            Wire.stop(wires);
            assertThat(set.counters().noSocket()).isZero();
            assertThat(up.frames).isEqualTo(sent);
            assertThat(down.frames).isEqualTo(sent);
            assertThat(up.outOfOrder + down.outOfOrder)
                    .as("out of order at the sink")
                    .isZero();
            assertThat(outOfOrder.get()).as("out of order at a worker").isZero();
            assertThat(misrouted.get()).isZero();
            double share = (double) ofWorker.get(0) / (ofWorker.get(0) + ofWorker.get(1));
            System.out.printf("two workers, %d UEs: worker 0 got %.2f %%%n", UES, share * 100);
            assertThat(share).isCloseTo(0.5, within(0.02));
            for (int worker = 0; worker < 2; worker++) {
                for (Leg leg : Leg.values()) {
                    var statistics = set.port(leg, worker).statistics();
                    assertThat(statistics.invalidDescriptors()).isZero();
                    assertThat(statistics.receiveOverruns()).isZero();
                    assertThat(set.port(leg, worker).hasUnsent()).isFalse();
                }
            }
        }
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
    }

    /** Counts what arrives and whether the numbers of each UE grow by one. */
    private static final class Sink {
        private final RawSocket socket;
        private final int payloadAt;
        private final int[] next = new int[UES];
        private int frames;
        private int outOfOrder;

        Sink(RawSocket socket, int payloadAt) {
            this.socket = socket;
            this.payloadAt = payloadAt;
        }

        void drain(int timeoutMs) throws Exception {
            byte[] frame = socket.receive(timeoutMs);
            while (frame.length >= payloadAt + 8) {
                int ue = ByteBuffer.wrap(frame).getInt(payloadAt);
                int number = ByteBuffer.wrap(frame).getInt(payloadAt + 4);
                if (next[ue] != number) {
                    outOfOrder++;
                }
                next[ue] = number + 1;
                frames++;
                frame = socket.receive(0);
            }
        }
    }
}
