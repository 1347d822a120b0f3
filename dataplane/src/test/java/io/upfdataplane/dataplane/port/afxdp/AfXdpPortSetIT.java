package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import io.upfdataplane.dataplane.testbed.RawSocket;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
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
        try (AfXdpPortSet set = rig.open(AfXdpRig.plan(1));
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

    @Test
    void servesBothLegsOnOneDevice() throws Exception {
        int frames = 500;
        PortPlan plan = AfXdpRig.plan("n3", "n3", 2, PortPlan.ZeroCopy.PREFER, false);
        try (AfXdpPortSet set = rig.open(plan);
                RawSocket gnb = rig.net.inside("gnb", () -> new RawSocket("g0"))) {
            assertThat(set.port(Leg.N3, 1)).isSameAs(set.port(Leg.N6, 1));
            List<Wire> wires = Wire.start(set, 2, (worker, leg, address, length) -> {});
            set.engage();
            BitSet up = new BitSet();
            BitSet down = new BitSet();
            for (int i = 0; i < frames; i++) {
                gnb.send(rig.uplink(AfXdpRig.FIRST_UE + i, i, 0));
                byte[] downlink = rig.downlink(AfXdpRig.FIRST_UE + i, i, 0);
                System.arraycopy(rig.n3Mac, 0, downlink, 0, 6);
                gnb.send(downlink);
                collectEither(gnb, up, down, 0);
            }
            for (int tries = 0; tries < 100 && (up.cardinality() < frames || down.cardinality() < frames); tries++) {
                collectEither(gnb, up, down, 20);
            }
            Wire.stop(wires);
            assertThat(up.cardinality()).isEqualTo(frames);
            assertThat(down.cardinality()).isEqualTo(frames);
        }
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
    }

    private static void collectEither(RawSocket socket, BitSet up, BitSet down, int timeoutMs) throws Exception {
        byte[] frame = socket.receive(timeoutMs);
        while (frame.length > 0) {
            ByteBuffer bytes = ByteBuffer.wrap(frame);
            if (frame.length >= AfXdpRig.UPLINK_PAYLOAD + 18 && bytes.getShort(36) == 2152) {
                up.set(bytes.getInt(AfXdpRig.UPLINK_PAYLOAD));
            } else if (frame.length >= AfXdpRig.DOWNLINK_PAYLOAD + 18) {
                down.set(bytes.getInt(AfXdpRig.DOWNLINK_PAYLOAD));
            }
            frame = socket.receive(0);
        }
    }

    @Test
    void seesEveryQueueOfTheDevice() throws Exception {
        int senders = 64;
        int each = 10;
        rig.net.ip("upf", "link", "del", "n3");
        NetNamespaceFixture.run(
                ("ip link add n3 netns " + rig.net.name("upf") + " numrxqueues 4 numtxqueues 4 type veth peer name g0"
                                + " netns " + rig.net.name("gnb") + " numrxqueues 4 numtxqueues 4")
                        .split(" "));
        rig.net.ip("upf", "link", "set", "n3", "up");
        rig.net.ip("gnb", "link", "set", "g0", "up");
        rig.net.address("upf", "n3", "10.33.0.1/24");
        rig.net.address("gnb", "g0", "10.33.0.2/24");
        PortPlan plan = AfXdpRig.plan(2);
        try (AfXdpPortSet set = rig.open(plan)) {
            List<Wire> wires = Wire.start(set, 2, (worker, leg, address, length) -> {});
            set.engage();
            rig.net.inside("gnb", () -> {
                for (int sender = 0; sender < senders; sender++) {
                    try (DatagramSocket socket = new DatagramSocket(0)) {
                        for (int i = 0; i < each; i++) {
                            byte[] inner = Frames.udp(AfXdpRig.FIRST_UE + sender, AfXdpRig.DN, 1, 2, new byte[16]);
                            byte[] gpdu = Frames.gpdu(256, 9, inner);
                            socket.send(
                                    new DatagramPacket(gpdu, gpdu.length, new InetSocketAddress("10.33.0.1", 2152)));
                        }
                    }
                }
                return 0;
            });
            for (int tries = 0; tries < 200 && received(wires) < senders * each; tries++) {
                Thread.sleep(10);
            }
            Wire.stop(wires);
            assertThat(received(wires)).isEqualTo(senders * each);
            assertThat(set.counters().noSocket()).isZero();
            List<String> queuesHit = rig.net
                    .exec("upf", "ethtool", "-S", "n3")
                    .lines()
                    .filter(line -> line.matches("\\s*rx_queue_\\d+_xdp_packets: [1-9].*"))
                    .toList();
            assertThat(queuesHit).as("queues that the peer really used").hasSizeGreaterThan(1);
        }
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
    }

    private static long received(List<Wire> wires) {
        return wires.stream().mapToLong(Wire::received).sum();
    }

    @Test
    void leavesPingAndUdpServicesToTheKernel() throws Exception {
        try (AfXdpPortSet set = rig.open(AfXdpRig.plan());
                DatagramSocket n4 =
                        rig.net.inside("upf", () -> new DatagramSocket(new InetSocketAddress("10.33.0.1", 8805)))) {
            List<Wire> wires = Wire.start(set, 1, (worker, leg, address, length) -> {});
            set.engage();
            assertThat(rig.net.exec("gnb", "ping", "-c", "2", "-i", "0.2", "-W", "2", "10.33.0.1"))
                    .contains(" 0% packet loss");
            // A message larger than the MTU: its later fragments carry no port.
            byte[] message = new byte[4000];
            rig.net.inside("gnb", () -> {
                try (DatagramSocket socket = new DatagramSocket(0)) {
                    socket.send(new DatagramPacket(message, message.length, new InetSocketAddress("10.33.0.1", 8805)));
                }
                return 0;
            });
            n4.setSoTimeout(5000);
            DatagramPacket got = new DatagramPacket(new byte[8000], 8000);
            n4.receive(got);
            assertThat(got.getLength()).isEqualTo(message.length);
            Wire.stop(wires);
            assertThat(received(wires)).isZero();
        }
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
