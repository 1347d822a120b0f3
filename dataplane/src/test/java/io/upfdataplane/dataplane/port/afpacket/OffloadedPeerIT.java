package io.upfdataplane.dataplane.port.afpacket;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two hosts with all their transmit offloads on, {@code left} and {@code right}, and between them nothing but our ports: a
 * relay that writes new link-layer addresses and sends on. What the kernel left unfinished we must have finished.
 */
class OffloadedPeerIT {
    private static final int STREAM_BYTES = 30_000_000;
    private static final int DATAGRAMS = 200;

    private final NetNamespaceFixture net = NetNamespaceFixture.of("left", "mid", "right");
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger longest = new AtomicInteger();

    @BeforeEach
    void wire() {
        net.veth("left", "l0", "mid", "ml");
        net.veth("right", "r0", "mid", "mr");
        net.address("left", "l0", "10.60.1.1/16");
        net.address("right", "r0", "10.60.2.1/16");
        neighbour("left", "l0", "10.60.2.1", net.mac("mid", "ml"));
        neighbour("right", "r0", "10.60.1.1", net.mac("mid", "mr"));
        String features = net.exec("left", "ethtool", "-k", "l0");
        assertThat(features).contains("tcp-segmentation-offload: on").contains("tx-checksumming: on");
    }

    private void neighbour(String role, String device, String address, byte[] mac) {
        String text = String.format("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
        net.ip(role, "neigh", "add", address, "lladdr", text, "dev", device);
    }

    @AfterEach
    void clear() {
        net.close();
    }

    private PortSet open(String device, SharedFramePool pool) throws Exception {
        PortPlan plan = new PortPlan(
                Map.of(Leg.N6, new PortPlan.Device(device, Frames.ipv4("10.99.0.1"))),
                1,
                List.of(new PortPlan.Prefix(Frames.ipv4("10.60.0.0"), 16)),
                PortPlan.ZeroCopy.NEVER,
                new PortPlan.RingSizes(4096, 4096, 4096, 4096),
                false);
        return net.inside("mid", () -> AfPacketPortSet.open(plan, pool));
    }

    private Thread relay(PacketPort left, PacketPort right, byte[] leftMac, byte[] rightMac) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Thread thread = new Thread(() -> {
            FrameBatch batch = new FrameBatch(64);
            while (!stop.get()) {
                int moved = relay(left, right, rightMac, batch) + relay(right, left, leftMac, batch);
                if (moved == 0) {
                    Thread.onSpinWait();
                }
            }
        });
        thread.start();
        return thread;
    }

    private int relay(PacketPort from, PacketPort to, byte[] mac, FrameBatch batch) {
        int taken = from.receive(batch);
        for (int i = 0; i < batch.count; i++) {
            MemorySegment.copy(mac, 0, Native.MEMORY, Native.BYTE, batch.address[i], 6);
            longest.accumulateAndGet(batch.length[i], Math::max);
        }
        to.send(batch);
        to.flush();
        return taken;
    }

    /** {@code InCsumErrors} of a protocol in the namespace's /proc/net/snmp. */
    private int checksumErrors(String role, String protocol) {
        List<String> lines = net.exec(role, "cat", "/proc/net/snmp")
                .lines()
                .filter(line -> line.startsWith(protocol + ":"))
                .toList();
        List<String> names = List.of(lines.get(0).split(" "));
        return Integer.parseInt(lines.get(1).split(" ")[names.indexOf("InCsumErrors")]);
    }

    @Test
    void tcpAndUdpOfAPeerWithOffloadsArriveWholeAndWithRightChecksums() throws Exception {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (SharedFramePool pool = SharedFramePool.open(16_384, 2048, false)) {
            PortStatistics statistics;
            try (PortSet left = open("ml", pool);
                    PortSet right = open("mr", pool)) {
                Thread relay = relay(
                        left.port(Leg.N6, 0), right.port(Leg.N6, 0), net.mac("left", "l0"), net.mac("right", "r0"));
                try {
                    // The first stream compiles the loop; 20,000 segments of the second at one object each would show.
                    assertStreamArrives();
                    long before = threads.getThreadAllocatedBytes(relay.threadId());
                    assertStreamArrives();
                    assertThat(threads.getThreadAllocatedBytes(relay.threadId()) - before)
                            .as("bytes allocated by the relay")
                            .isLessThan(100_000);
                    assertThat(datagrams()).isEqualTo(DATAGRAMS);
                } finally {
                    stop.set(true);
                    relay.join();
                }
                statistics = left.port(Leg.N6, 0).statistics();
            }
            assertThat(pool.free()).isEqualTo(pool.frames());
            assertThat(longest.get()).isLessThanOrEqualTo(1514);
            assertThat(statistics.segmented()).as("TCP frames cut").isPositive();
            assertThat(statistics.checksumsCompleted()).as("checksums finished").isGreaterThanOrEqualTo(DATAGRAMS);
            assertThat(statistics.oversized()).isZero();
        }
        for (String protocol : new String[] {"Tcp", "Udp"}) {
            assertThat(checksumErrors("right", protocol)).as(protocol).isZero();
            assertThat(checksumErrors("left", protocol)).as(protocol).isZero();
        }
    }

    private void assertStreamArrives() throws Exception {
        long[] crcs = stream();
        assertThat(crcs[1]).as("CRC of what arrived").isEqualTo(crcs[0]);
    }

    /** Sends a stream from left to right; the CRCs of what went in and what came out. */
    private long[] stream() throws Exception {
        try (ServerSocket server = net.inside("right", () -> {
            ServerSocket socket = new ServerSocket();
            socket.bind(new InetSocketAddress("10.60.2.1", 5000));
            return socket;
        })) {
            FutureTask<Long> sink = new FutureTask<>(() -> {
                try (Socket accepted = server.accept()) {
                    return crc(accepted.getInputStream());
                }
            });
            Thread.ofPlatform().start(sink);
            CRC32 sent = new CRC32();
            try (Socket source = net.inside("left", () -> new Socket("10.60.2.1", 5000))) {
                OutputStream out = source.getOutputStream();
                byte[] piece = new byte[100_000];
                Random random = new Random(1);
                for (int i = 0; i < STREAM_BYTES / piece.length; i++) {
                    random.nextBytes(piece);
                    sent.update(piece);
                    out.write(piece);
                }
            }
            return new long[] {sent.getValue(), sink.get()};
        }
    }

    private static long crc(InputStream in) throws IOException {
        CRC32 crc = new CRC32();
        byte[] piece = new byte[1 << 16];
        long total = 0;
        for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
            crc.update(piece, 0, read);
            total += read;
        }
        assertThat(total).isEqualTo(STREAM_BYTES);
        return crc.getValue();
    }

    /** Sends datagrams one by one; how many arrived. */
    private int datagrams() throws Exception {
        InetAddress to = InetAddress.getByName("10.60.2.1");
        try (DatagramSocket sink = net.inside("right", () -> new DatagramSocket(5001, to));
                DatagramSocket source = net.inside("left", () -> new DatagramSocket())) {
            sink.setSoTimeout(2000);
            int arrived = 0;
            for (int i = 0; i < DATAGRAMS; i++) {
                // Odd and even lengths, from the shortest to what one frame holds.
                byte[] payload = new byte[1 + i * 7];
                source.send(new DatagramPacket(payload, payload.length, to, 5001));
                DatagramPacket got = new DatagramPacket(new byte[2000], 2000);
                sink.receive(got);
                if (got.getLength() == payload.length) {
                    arrived++;
                }
            }
            return arrived;
        }
    }
}
