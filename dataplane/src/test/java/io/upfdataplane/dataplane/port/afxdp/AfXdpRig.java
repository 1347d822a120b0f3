package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** A gNB, a UPF and a data network joined by veth pairs, and what tests of AF_XDP need to send through them. */
final class AfXdpRig implements AutoCloseable {
    static final int GNB = Frames.ipv4("10.33.0.2");
    static final int N3 = Frames.ipv4("10.33.0.1");
    static final int N6 = Frames.ipv4("10.99.0.1");
    static final int DN = Frames.ipv4("10.99.0.2");
    static final int FIRST_UE = Frames.ipv4("10.60.0.1");

    final NetNamespaceFixture net;
    final FramePool pool;
    final byte[] n3Mac;
    final byte[] n6Mac;
    final byte[] gnbMac;
    final byte[] dnMac;

    AfXdpRig() throws PortRefused {
        net = NetNamespaceFixture.of("gnb", "upf", "dn");
        net.veth("upf", "n3", "gnb", "g0");
        net.veth("upf", "n6", "dn", "d0");
        net.address("upf", "n3", "10.33.0.1/24");
        net.address("gnb", "g0", "10.33.0.2/24");
        net.address("upf", "n6", "10.99.0.1/24");
        net.address("dn", "d0", "10.99.0.2/24");
        n3Mac = net.mac("upf", "n3");
        n6Mac = net.mac("upf", "n6");
        gnbMac = net.mac("gnb", "g0");
        dnMac = net.mac("dn", "d0");
        pool = SharedFramePool.open(16384, 2048, false);
    }

    /** One worker, copy or not as it comes. */
    static PortPlan plan() {
        return plan(1);
    }

    static PortPlan plan(int workers) {
        return plan(workers, PortPlan.ZeroCopy.PREFER, false);
    }

    static PortPlan plan(int workers, PortPlan.ZeroCopy zeroCopy, boolean busyPoll) {
        return plan("n3", "n6", workers, zeroCopy, busyPoll);
    }

    static PortPlan plan(String n3Device, String n6Device, int workers, PortPlan.ZeroCopy zeroCopy, boolean busyPoll) {
        return new PortPlan(
                Map.of(Leg.N3, new PortPlan.Device(n3Device, N3), Leg.N6, new PortPlan.Device(n6Device, N6)),
                workers,
                List.of(new PortPlan.Prefix(Frames.ipv4("10.60.0.0"), 16)),
                zeroCopy,
                new PortPlan.RingSizes(2048, 2048, 2048, 2048),
                busyPoll);
    }

    AfXdpPortSet open(PortPlan plan) throws Exception {
        return net.inside("upf", () -> AfXdpPortSet.open(plan, pool));
    }

    /** A frame from the gNB: GTP-U with a packet of this UE inside, whose payload begins with two numbers. */
    byte[] uplink(int ue, int first, int second) {
        byte[] payload = ByteBuffer.allocate(18).putInt(first).putInt(second).array();
        byte[] inner = Frames.udp(ue, DN, 4000, 5000, payload);
        byte[] outer = Frames.udp(GNB, N3, 2152, 2152, Frames.gpdu(256, 9, inner));
        return Frames.ethernet(n3Mac, gnbMac, outer);
    }

    /** Where the payload of an {@link #uplink} frame begins. */
    static final int UPLINK_PAYLOAD = 14 + 20 + 8 + 16 + 20 + 8;

    /** A frame from the data network to this UE. */
    byte[] downlink(int ue, int first, int second) {
        byte[] payload = ByteBuffer.allocate(18).putInt(first).putInt(second).array();
        return Frames.ethernet(n6Mac, dnMac, Frames.udp(DN, ue, 5000, 4000, payload));
    }

    static final int DOWNLINK_PAYLOAD = 14 + 20 + 8;

    @Override
    public void close() {
        net.close();
        pool.close();
    }
}
