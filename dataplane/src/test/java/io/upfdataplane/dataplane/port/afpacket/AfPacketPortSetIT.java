package io.upfdataplane.dataplane.port.afpacket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import io.upfdataplane.dataplane.testbed.RawSocket;
import io.upfdataplane.dataplane.wire.Steering;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AfPacketPortSetIT {
    private static final int N3 = Frames.ipv4("10.33.0.1");
    private static final int GNB = Frames.ipv4("10.33.0.2");
    private static final int DN = Frames.ipv4("10.99.0.2");
    private static final int FIRST_UE = Frames.ipv4("10.60.0.1");
    private static final int UES = 10_000;
    private static final List<PortPlan.Prefix> UE_POOLS = List.of(new PortPlan.Prefix(Frames.ipv4("10.60.0.0"), 16));

    private final NetNamespaceFixture net = NetNamespaceFixture.of("gnb", "upf", "dn");
    private final SharedFramePool pool = pool();
    private byte[] n3Mac = new byte[6];
    private byte[] n6Mac = new byte[6];
    private byte[] gnbMac = new byte[6];

    private static SharedFramePool pool() {
        try {
            return SharedFramePool.open(16_384, 2048, false);
        } catch (PortRefused e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void wire() {
        net.veth("gnb", "gnb0", "upf", "n3");
        net.veth("dn", "dn0", "upf", "n6");
        n3Mac = net.mac("upf", "n3");
        n6Mac = net.mac("upf", "n6");
        gnbMac = net.mac("gnb", "gnb0");
    }

    @AfterEach
    void clear() {
        assertThat(pool.free()).as("frames that came back").isEqualTo(pool.frames());
        pool.close();
        net.close();
    }

    static PortPlan plan(String n3, String n6, int workers) {
        return new PortPlan(
                Map.of(Leg.N3, new PortPlan.Device(n3, N3), Leg.N6, new PortPlan.Device(n6, Frames.ipv4("10.99.0.1"))),
                workers,
                UE_POOLS,
                PortPlan.ZeroCopy.PREFER,
                new PortPlan.RingSizes(4096, 2048, 4096, 4096),
                false);
    }

    private AfPacketPortSet open(PortPlan plan) throws Exception {
        return net.inside("upf", () -> AfPacketPortSet.open(plan, pool));
    }

    private byte[] uplink(int ue, int number) {
        byte[] inner = Frames.udp(ue, DN, 1000, 2000, Frames.sequence(number, 64));
        byte[] outer = Frames.udp(GNB, N3, 2152, 2152, Frames.gpdu(ue, 9, inner));
        return Frames.ethernet(n3Mac, gnbMac, outer);
    }

    private byte[] downlink(int ue, int number) {
        return Frames.ethernet(n6Mac, gnbMac, Frames.udp(DN, ue, 2000, 1000, Frames.sequence(number, 64)));
    }

    private static byte[] bytes(FrameBatch batch, int i) {
        byte[] frame = new byte[batch.length[i]];
        MemorySegment.copy(Native.MEMORY, Native.BYTE, batch.address[i], frame, 0, frame.length);
        return frame;
    }

    private List<byte[]> receiveAll(PacketPort port) throws InterruptedException {
        return receiveAll(port, 100);
    }

    /** Receives until nothing has come for so many turns of 2 ms: on a busy machine the kernel may deliver late. */
    private List<byte[]> receiveAll(PacketPort port, int idleTurns) throws InterruptedException {
        FramePool.Cache cache = pool.newCache();
        FrameBatch batch = new FrameBatch(64);
        List<byte[]> frames = new ArrayList<>();
        for (int idle = 0; idle < idleTurns; ) {
            if (port.receive(batch) == 0) {
                idle++;
                Thread.sleep(2);
                continue;
            }
            idle = 0;
            for (int i = 0; i < batch.count; i++) {
                assertThat(batch.address[i] & 2047).isEqualTo(FramePool.HEADROOM);
                frames.add(bytes(batch, i));
                cache.give(batch.address[i]);
            }
            batch.count = 0;
        }
        cache.close();
        return frames;
    }

    @Test
    void twoWorkersOnOneQueueShareTenThousandUesEvenlyAndInOrder() throws Exception {
        try (AfPacketPortSet set = open(plan("n3", "n6", 2));
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"));
                RawSocket dn = net.inside("dn", () -> new RawSocket("dn0"))) {
            for (Leg leg : Leg.values()) {
                int[] count = new int[2];
                Map<Integer, Integer> lastOfUe = new HashMap<>();
                int rounds = 2;
                for (int number = 0; number < rounds * UES; ) {
                    for (int i = 0; i < 1000; i++, number++) {
                        int ue = FIRST_UE + number % UES;
                        if (leg == Leg.N3) {
                            gnb.send(uplink(ue, number));
                        } else {
                            dn.send(downlink(ue, number));
                        }
                    }
                    for (int worker = 0; worker < 2; worker++) {
                        int idleTurns = number == rounds * UES ? 100 : 1;
                        for (byte[] frame : receiveAll(set.port(leg, worker), idleTurns)) {
                            ByteBuffer view = ByteBuffer.wrap(frame);
                            int ue = leg == Leg.N3 ? view.getInt(14 + 20 + 8 + 16 + 12) : view.getInt(14 + 16);
                            int sequence = view.getInt(frame.length - 64);
                            assertThat(Steering.workerOfUe(ue, 2)).isEqualTo(worker);
                            assertThat(lastOfUe.getOrDefault(ue, -1)).isLessThan(sequence);
                            lastOfUe.put(ue, sequence);
                            count[worker]++;
                        }
                    }
                }
                assertThat(count[0] + count[1]).isEqualTo(rounds * UES);
                assertThat(100.0 * count[0] / (rounds * UES)).isCloseTo(50, within(2.0));
                for (int worker = 0; worker < 2; worker++) {
                    assertThat(set.port(leg, worker).statistics().received()).isEqualTo(count[worker]);
                    assertThat(set.port(leg, worker).statistics().receiveOverruns())
                            .isZero();
                }
            }
        }
    }

    @Test
    void leavesToTheKernelWhatIsNotOurs() throws Exception {
        byte[] broadcast = {-1, -1, -1, -1, -1, -1};
        byte[] ours = Frames.udp(GNB, N3, 2152, 2152, Frames.gpdu(1, -1, new byte[20]));
        try (AfPacketPortSet set = open(plan("n3", "n6", 1));
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"));
                RawSocket dn = net.inside("dn", () -> new RawSocket("dn0"))) {
            gnb.send(Frames.ethernet(broadcast, gnbMac, ours));
            gnb.send(Frames.ethernet(gnbMac, gnbMac, ours));
            gnb.send(Frames.ethernet(n3Mac, gnbMac, Frames.udp(GNB, N3, 8805, 8805, new byte[20])));
            gnb.send(Frames.ethernet(n3Mac, gnbMac, Frames.udp(GNB, N3 + 1, 2152, 2152, new byte[20])));
            gnb.send(downlinkTo(n3Mac));
            byte[] arp = Frames.ethernet(n3Mac, gnbMac, ours);
            arp[13] = 6;
            gnb.send(arp);
            dn.send(Frames.ethernet(n6Mac, gnbMac, Frames.udp(DN, Frames.ipv4("10.61.0.1"), 1, 2, new byte[20])));
            dn.send(Frames.ethernet(n6Mac, gnbMac, ours));
            byte[] tagged = ByteBuffer.allocate(ours.length + 18)
                    .put(n3Mac)
                    .put(gnbMac)
                    .putInt(0x8100_0005)
                    .putShort((short) 0x0800)
                    .put(ours)
                    .array();
            gnb.send(tagged);
            assertThat(receiveAll(set.port(Leg.N3, 0))).isEmpty();
            assertThat(receiveAll(set.port(Leg.N6, 0))).isEmpty();
            gnb.send(Frames.ethernet(n3Mac, gnbMac, ours));
            byte[] laterFragment = Frames.ipv4(GNB, N3, 17, new byte[40]);
            laterFragment[7] = 100;
            gnb.send(Frames.ethernet(n3Mac, gnbMac, laterFragment));
            assertThat(receiveAll(set.port(Leg.N3, 0))).hasSize(2);
        }
    }

    private byte[] downlinkTo(byte[] mac) {
        return Frames.ethernet(mac, gnbMac, Frames.udp(DN, FIRST_UE, 1, 2, new byte[20]));
    }

    @Test
    void n3AndN6OnOneDeviceAreOnePort() throws Exception {
        try (AfPacketPortSet set = open(plan("n3", "n3", 2));
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"))) {
            for (int worker = 0; worker < 2; worker++) {
                assertThat(set.port(Leg.N3, worker)).isSameAs(set.port(Leg.N6, worker));
            }
            int owner = Steering.workerOfUe(FIRST_UE, 2);
            gnb.send(uplink(FIRST_UE, 0));
            gnb.send(downlinkTo(n3Mac));
            assertThat(receiveAll(set.port(Leg.N3, owner))).hasSize(2);
            assertThat(receiveAll(set.port(Leg.N3, 1 - owner))).isEmpty();
        }
    }

    @Test
    void sendsWhatIsQueuedAndCountsWhatIsTooLongOrFindsNoRoom() throws Exception {
        try (AfPacketPortSet set = open(plan("n3", "n6", 1));
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"))) {
            PacketPort port = set.port(Leg.N3, 0);
            FramePool.Cache cache = pool.newCache();
            FrameBatch batch = new FrameBatch(64);
            int total = 2048 + 10;
            int refused = 0;
            for (int number = 0; number < total; number++) {
                fill(batch, cache, number, 100);
                if (batch.isFull() || number == total - 1) {
                    refused += port.send(batch);
                }
            }
            assertThat(refused).as("beyond the ring of 2048").isEqualTo(10);
            assertThat(port.hasUnsent()).isTrue();
            fill(batch, cache, 0, 1515);
            assertThat(port.send(batch)).as("longer than MTU 1500 allows").isEqualTo(1);
            for (int turn = 0; turn < 1000 && port.hasUnsent(); turn++) {
                port.flush();
                Thread.sleep(1);
            }
            assertThat(port.hasUnsent()).isFalse();
            assertThat(port.statistics().sent()).isEqualTo(2048);
            assertThat(port.statistics().oversized()).isEqualTo(1);
            for (int number = 0; number < 2048; number++) {
                byte[] frame = gnb.receive(1000);
                assertThat(frame).hasSize(100);
                assertThat(ByteBuffer.wrap(frame).getInt(14)).isEqualTo(number);
            }
            assertThat(gnb.receive(100)).isEmpty();
            cache.close();
        }
    }

    private void fill(FrameBatch batch, FramePool.Cache cache, int number, int length) {
        long frame = cache.take() + FramePool.HEADROOM;
        byte[] bytes = Frames.ethernet(gnbMac, n3Mac, Frames.sequence(number, length - 14));
        MemorySegment.copy(bytes, 0, Native.MEMORY, Native.BYTE, frame, length);
        batch.add(frame, length);
    }

    @Test
    void countsWhatAFullRingAndAnEmptyPoolLost() throws Exception {
        int frames = 5000;
        try (SharedFramePool small = SharedFramePool.open(512, 2048, false)) {
            try (AfPacketPortSet set = net.inside("upf", () -> AfPacketPortSet.open(plan("n3", "n6", 1), small));
                    RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"))) {
                for (int number = 0; number < frames; number++) {
                    gnb.send(uplink(FIRST_UE, number));
                }
                PacketPort port = set.port(Leg.N3, 0);
                FrameBatch kept = new FrameBatch(frames);
                for (int idle = 0; idle < 20; idle++) {
                    port.receive(kept);
                    Thread.sleep(5);
                }
                PortStatistics statistics = port.statistics();
                assertThat(statistics.received()).isEqualTo(512).isEqualTo(kept.count);
                assertThat(statistics.receiveOverruns())
                        .as("beyond the ring of 4096")
                        .isEqualTo(frames - 4096);
                assertThat(statistics.poolEmpty()).isEqualTo(4096 - 512);
                FramePool.Cache cache = small.newCache();
                for (int i = 0; i < kept.count; i++) {
                    cache.give(kept.address[i]);
                }
            }
            assertThat(small.free()).isEqualTo(512);
        }
    }

    @Test
    void goesOnAfterTheDeviceWasDown() throws Exception {
        try (AfPacketPortSet set = open(plan("n3", "n6", 2));
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"))) {
            net.ip("upf", "link", "set", "n3", "down");
            net.ip("upf", "link", "set", "n3", "up");
            int owner = Steering.workerOfUe(FIRST_UE, 2);
            PacketPort port = set.port(Leg.N3, owner);
            assertThat(port.statistics().received()).isZero(); // takes the socket's error, too
            gnb.send(uplink(FIRST_UE, 0));
            assertThat(receiveAll(port)).hasSize(1);
            FramePool.Cache cache = pool.newCache();
            FrameBatch batch = new FrameBatch(1);
            fill(batch, cache, 3, 100);
            port.send(batch);
            port.flush();
            assertThat(gnb.receive(1000)).hasSize(100);
            cache.close();
        }
    }

    @Test
    void aDisengagedSetSeesNothingUntilItIsEngagedAgain() throws Exception {
        try (AfPacketPortSet set = open(plan("n3", "n6", 1));
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"))) {
            set.disengage();
            gnb.send(uplink(FIRST_UE, 0));
            assertThat(receiveAll(set.port(Leg.N3, 0))).isEmpty();
            set.engage();
            gnb.send(uplink(FIRST_UE, 1));
            assertThat(receiveAll(set.port(Leg.N3, 0))).hasSize(1);
        }
    }

    @Test
    void saysWhatIsMissingAndLeavesNothingOpen() throws Exception {
        long descriptors = descriptors();
        assertThatThrownBy(() -> open(plan("n3", "nosuch0", 2)))
                .isInstanceOf(PortRefused.class)
                .hasMessageContaining("DeviceExists: if_nametoindex(nosuch0): ENODEV");
        net.ip("upf", "link", "set", "n6", "down");
        assertThatThrownBy(() -> open(plan("n3", "n6", 2)))
                .isInstanceOf(PortRefused.class)
                .hasMessageContaining("DeviceUp: n6 is down");
        net.ip("upf", "link", "set", "n6", "up", "mtu", "9000");
        assertThatThrownBy(() -> open(plan("n3", "n6", 2)))
                .isInstanceOf(PortRefused.class)
                .hasMessageContaining("MtuFitsFrame: n6 has MTU 9000; at most 1778 with frames of 2048");
        assertThat(descriptors()).isEqualTo(descriptors);
    }

    @Test
    void roundsOfOpeningLeaveNoDescriptorAndNoMapping() throws Exception {
        open(plan("n3", "n6", 2)).close();
        long descriptors = descriptors();
        long mappings = packetMappings();
        // Each closing waits for the kernel; a leak of one shows in the first.
        for (int round = 0; round < 25; round++) {
            open(plan("n3", "n6", 2)).close();
        }
        assertThat(descriptors()).isEqualTo(descriptors);
        assertThat(packetMappings()).isEqualTo(mappings);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> fds = Files.list(Path.of("/proc/self/fd"))) {
            return fds.filter(fd -> {
                        try {
                            return Files.readSymbolicLink(fd).toString().startsWith("socket:");
                        } catch (IOException e) {
                            return false; // closed meanwhile: the listing's own
                        }
                    })
                    .count();
        }
    }

    private static long packetMappings() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains("socket:"))
                .count();
    }

    @Test
    void receivingAndSendingAllocateNothing() throws Exception {
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        int perRound = 1000;
        try (AfPacketPortSet set = open(plan("n3", "n6", 1));
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"))) {
            PacketPort in = set.port(Leg.N3, 0);
            PacketPort out = set.port(Leg.N6, 0);
            FrameBatch batch = new FrameBatch(64);
            byte[] frame = uplink(FIRST_UE, 1);
            long allocated = 0;
            int forwarded = 0;
            for (int round = 0; round < 120; round++) {
                for (int i = 0; i < perRound; i++) {
                    gnb.send(frame);
                }
                long before = threads.getCurrentThreadAllocatedBytes();
                int taken = forward(in, out, batch);
                // The first rounds run interpreted and load classes.
                if (round >= 50) {
                    allocated += threads.getCurrentThreadAllocatedBytes() - before;
                    forwarded += taken;
                }
            }
            assertThat(forwarded).isGreaterThan(55_000);
            assertThat(allocated).isZero();
        }
    }

    @Test
    void needsNoCapabilityButNetRaw() throws Exception {
        List<String> command = new ArrayList<>(List.of(net.command("upf")));
        command.addAll(List.of(
                "setpriv",
                "--bounding-set=-all,+net_raw",
                "--inh-caps=-all",
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                PortOpener.class.getName()));
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader said = child.inputReader();
                RawSocket gnb = net.inside("gnb", () -> new RawSocket("gnb0"));
                RawSocket dn = net.inside("dn", () -> new RawSocket("dn0"))) {
            assertThat(said.readLine()).isEqualTo("open");
            byte[] frame = uplink(FIRST_UE, 5);
            gnb.send(frame);
            assertThat(dn.receive(20_000)).isEqualTo(frame);
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private static int forward(PacketPort in, PacketPort out, FrameBatch batch) {
        int forwarded = 0;
        for (int taken = in.receive(batch); taken > 0; taken = in.receive(batch)) {
            forwarded += taken;
            out.send(batch);
            out.flush();
        }
        return forwarded;
    }
}
