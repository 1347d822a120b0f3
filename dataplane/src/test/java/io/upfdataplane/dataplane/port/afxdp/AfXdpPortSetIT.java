package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.testbed.RawSocket;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** AF_XDP on veth pairs, as one or two workers see it. */
@Timeout(120)
class AfXdpPortSetIT {
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
    void carriesFramesBothWays() throws Exception {
        int frames = 2000;
        try (AfXdpPortSet set = rig.open(rig.plan(1));
                RawSocket gnb = rig.net.inside("gnb", () -> new RawSocket("g0"));
                RawSocket dn = rig.net.inside("dn", () -> new RawSocket("d0"))) {
            assertThat(set.facts().mode()).isEqualTo("AF_XDP");
            assertThat(set.facts().xdpAttach()).isEqualTo("Native");
            assertThat(set.facts().zeroCopy()).isFalse();
            List<Wire> wires = Wire.start(set, 1, (worker, leg, address, length) -> {});
            set.engage();
            BitSet up = new BitSet();
            BitSet down = new BitSet();
            for (int i = 0; i < frames; i++) {
                gnb.send(rig.uplink(AfXdpRig.FIRST_UE, i, 0));
                dn.send(rig.downlink(AfXdpRig.FIRST_UE, i, 0));
                collect(dn, AfXdpRig.UPLINK_PAYLOAD, up, 0);
                collect(gnb, AfXdpRig.DOWNLINK_PAYLOAD, down, 0);
            }
            for (int tries = 0; tries < 100 && (up.cardinality() < frames || down.cardinality() < frames); tries++) {
                collect(dn, AfXdpRig.UPLINK_PAYLOAD, up, 20);
                collect(gnb, AfXdpRig.DOWNLINK_PAYLOAD, down, 20);
            }
            assertThat(up.cardinality()).isEqualTo(frames);
            assertThat(down.cardinality()).isEqualTo(frames);
            Wire.stop(wires);
            assertThat(set.port(Leg.N3, 0).statistics().received()).isEqualTo(frames);
            assertThat(set.port(Leg.N6, 0).statistics().sent()).isEqualTo(frames);
            assertThat(set.port(Leg.N3, 0).statistics().invalidDescriptors()).isZero();
            assertThat(set.counters().steered()).containsExactly(2L * frames);
        }
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
    }

    /** Takes what is there and notes the number each frame carries. */
    private static void collect(RawSocket socket, int payloadAt, BitSet numbers, int timeoutMs) throws Exception {
        byte[] frame = socket.receive(timeoutMs);
        while (frame.length > 0) {
            if (frame.length >= payloadAt + 8) {
                numbers.set(ByteBuffer.wrap(frame).getInt(payloadAt));
            }
            frame = socket.receive(0);
        }
    }
}
