package io.upfdataplane.dataplane.port.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.port.afpacket.AfPacketPortSet;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import io.upfdataplane.dataplane.testbed.RawSocket;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KernelGuardIT {
    private static final int N3 = Frames.ipv4("10.33.0.1");
    private static final int GNB = Frames.ipv4("10.33.0.2");
    private static final int DN = Frames.ipv4("10.99.0.2");
    private static final int UE = Frames.ipv4("10.60.0.7");
    private static final int ICMP = 1;
    private static final int FRAMES = 50;

    static final PortPlan PLAN = new PortPlan(
            Map.of(Leg.N3, new PortPlan.Device("n3", N3), Leg.N6, new PortPlan.Device("n6", Frames.ipv4("10.99.0.1"))),
            1,
            List.of(new PortPlan.Prefix(Frames.ipv4("10.60.0.0"), 16)),
            PortPlan.ZeroCopy.PREFER,
            new PortPlan.RingSizes(1024, 1024, 1024, 1024),
            false);

    private final NetNamespaceFixture net = NetNamespaceFixture.of("gnb", "upf", "dn");
    private byte[] gnbMac = new byte[6];
    private byte[] dnMac = new byte[6];

    /** A kernel that would forward: ip_forward=1, addresses, a route to the UEs and neighbours for both sides. */
    @BeforeEach
    void wire() {
        net.veth("gnb", "gnb0", "upf", "n3");
        net.veth("dn", "dn0", "upf", "n6");
        gnbMac = net.mac("gnb", "gnb0");
        dnMac = net.mac("dn", "dn0");
        net.address("upf", "n3", "10.33.0.1/24");
        net.address("upf", "n6", "10.99.0.1/24");
        net.exec("upf", "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.icmp_ratelimit=0");
        net.ip("upf", "neigh", "add", "10.33.0.2", "lladdr", text(gnbMac), "dev", "n3");
        net.ip("upf", "neigh", "add", "10.99.0.2", "lladdr", text(dnMac), "dev", "n6");
        net.ip("upf", "route", "add", "10.60.0.0/16", "via", "10.33.0.2");
    }

    @AfterEach
    void clear() {
        net.close();
    }

    private static String text(byte[] mac) {
        return String.format("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    }

    private record Seen(int icmp, int duplicates, int byUs) {}

    /** Sends G-PDUs to N3 and packets to a UE on N6, and counts what comes back out of the UPF's kernel. */
    private Seen trafficThrough(PortSet set, FramePool pool) throws Exception {
        try (RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"));
                RawSocket dn = net.inside("dn", () -> new RawSocket("dn0"))) {
            for (int i = 0; i < FRAMES; i++) {
                byte[] inner = Frames.udp(UE, DN, 1, 2, Frames.sequence(i, 32));
                gnb.send(Frames.ethernet(
                        net.mac("upf", "n3"), gnbMac, Frames.udp(GNB, N3, 2152, 2152, Frames.gpdu(1, 9, inner))));
                dn.send(Frames.ethernet(net.mac("upf", "n6"), dnMac, Frames.udp(DN, UE, 2, 1, Frames.sequence(i, 32))));
            }
            int byUs = received(set.port(Leg.N3, 0), pool) + received(set.port(Leg.N6, 0), pool);
            int[] counted = new int[2];
            count(gnb, counted);
            count(dn, counted);
            return new Seen(counted[0], counted[1], byUs);
        }
    }

    /** Frames until none has come for 200 ms: on a busy machine the kernel may deliver late. */
    private static int received(PacketPort port, FramePool pool) throws InterruptedException {
        FrameBatch batch = new FrameBatch(2 * FRAMES);
        for (int idle = 0; idle < 20; ) {
            if (port.receive(batch) == 0) {
                idle++;
                Thread.sleep(10);
            } else {
                idle = 0;
            }
        }
        FramePool.Cache cache = pool.newCache();
        for (int i = 0; i < batch.count; i++) {
            cache.give(batch.address[i]);
        }
        cache.close();
        return batch.count;
    }

    private static void count(RawSocket side, int[] icmpAndDuplicates) throws IOException {
        for (byte[] frame = side.receive(300); frame.length > 0; frame = side.receive(300)) {
            if (frame.length > 34 && frame[12] == 8 && frame[13] == 0) {
                icmpAndDuplicates[frame[23] == ICMP ? 0 : 1]++;
            }
        }
    }

    @Test
    void theKernelAnswersNothingAndForwardsNothingBesideUs() throws Exception {
        try (SharedFramePool pool = SharedFramePool.open(2048, 2048, false);
                PortSet set = net.inside("upf", () -> AfPacketPortSet.open(PLAN, pool))) {
            Seen without = trafficThrough(set, pool);
            assertThat(without.icmp).as("ICMP without the guard").isPositive();
            assertThat(without.duplicates).as("duplicates without the guard").isEqualTo(FRAMES);
            KernelGuard guard = net.inside("upf", () -> KernelGuard.raise(PLAN));
            try {
                assertThat(guard.dropsAtIngress()).isTrue();
                assertThat(trafficThrough(set, pool)).isEqualTo(new Seen(0, 0, 2 * FRAMES));
                try (PortSet other = net.inside("upf", () -> AfPacketPortSet.open(PLAN, pool))) {
                    assertThat(trafficThrough(other, pool)).isEqualTo(new Seen(0, 0, 2 * FRAMES));
                    received(set.port(Leg.N3, 0), pool);
                    received(set.port(Leg.N6, 0), pool);
                }
                assertThat(trafficThrough(set, pool))
                        .as("after a set was closed")
                        .isEqualTo(new Seen(0, 0, 2 * FRAMES));
            } finally {
                lower(guard);
            }
            assertThat(tables()).isEmpty();
            assertThat(trafficThrough(set, pool).duplicates).isEqualTo(FRAMES);
        }
    }

    private void lower(KernelGuard guard) throws Exception {
        net.inside("upf", () -> {
            guard.close();
            return 0;
        });
    }

    private String tables() {
        return net.exec("upf", "nft", "list", "tables", "netdev");
    }

    @Test
    void restsOnForwardingOffWhereNftIsMissing() throws Exception {
        assertThatThrownBy(() -> net.inside("upf", () -> KernelGuard.raise(PLAN, "/no/such/nft")))
                .isInstanceOf(PortRefused.class)
                .hasMessageContaining("/no/such/nft")
                .hasMessageContaining("net.ipv4.conf.n6.forwarding is 1")
                .hasMessageContaining("set net.ipv4.conf.n6.forwarding=0");
        net.exec("upf", "sysctl", "-qw", "net.ipv4.conf.n6.forwarding=0");
        KernelGuard guard = net.inside("upf", () -> KernelGuard.raise(PLAN, "/no/such/nft"));
        try (SharedFramePool pool = SharedFramePool.open(2048, 2048, false);
                PortSet set = net.inside("upf", () -> AfPacketPortSet.open(PLAN, pool))) {
            assertThat(guard.dropsAtIngress()).isFalse();
            assertThat(trafficThrough(set, pool)).isEqualTo(new Seen(0, 0, 2 * FRAMES));
        } finally {
            lower(guard);
        }
    }

    @Test
    void refusesWhenSomebodyElseHoldsTheGtpuPort() throws Exception {
        try (DatagramSocket other =
                net.inside("upf", () -> new DatagramSocket(new InetSocketAddress("10.33.0.1", 2152)))) {
            assertThat(other.isBound()).isTrue();
            assertThatThrownBy(() -> net.inside("upf", () -> KernelGuard.raise(PLAN)))
                    .isInstanceOf(PortRefused.class)
                    .hasMessageContaining("GtpuPortFree: bind(10.33.0.1:2152): EADDRINUSE");
        }
        assertThat(tables()).isEmpty();
    }

    @Test
    void changesPoolsWithoutLeavingTheOldOnes() throws Exception {
        KernelGuard guard = net.inside("upf", () -> KernelGuard.raise(PLAN));
        try {
            PortPlan other = new PortPlan(
                    PLAN.devices(),
                    1,
                    List.of(new PortPlan.Prefix(Frames.ipv4("10.61.0.0"), 16)),
                    PLAN.zeroCopy(),
                    PLAN.ringSizes(),
                    false);
            net.inside("upf", () -> {
                guard.change(other);
                return 0;
            });
            assertThat(net.exec("upf", "nft", "list", "ruleset"))
                    .contains("10.61.0.0/16")
                    .doesNotContain("10.60.0.0/16");
        } finally {
            lower(guard);
        }
    }

    @Test
    void replacesWhatAKilledProcessLeft() throws Exception {
        Process child = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GuardHolder.class.getName(),
                        net.name("upf"))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said = child.inputReader()) {
            String line = said.readLine();
            while (line != null && !line.equals("raised")) {
                line = said.readLine();
            }
            assertThat(line).isEqualTo("raised");
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertThat(tables()).contains("upf_guard_n3", "upf_guard_n6");
        KernelGuard guard = net.inside("upf", () -> KernelGuard.raise(PLAN));
        assertThat(tables().lines().filter(line -> line.contains("upf_guard_"))).hasSize(2);
        lower(guard);
        assertThat(tables()).isEmpty();
    }
}
