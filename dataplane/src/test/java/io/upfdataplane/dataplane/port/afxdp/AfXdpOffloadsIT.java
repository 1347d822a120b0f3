package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.RawSocket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Packets from a peer that leaves checksums and segmentation to its device, as every veth peer does. */
@Timeout(120)
class AfXdpOffloadsIT {
    private AfXdpRig rig;

    @BeforeEach
    void setUp() throws Exception {
        rig = new AfXdpRig();
        rig.net.ip("dn", "route", "add", "10.60.0.0/16", "via", "10.99.0.1");
    }

    @AfterEach
    void tearDown() {
        rig.close();
    }

    @Test
    void udpArrivesWithRightChecksums() throws Exception {
        int datagrams = 20;
        try (AfXdpPortSet set = rig.open(AfXdpRig.plan());
                RawSocket gnb = rig.net.inside("gnb", () -> new RawSocket("g0"));
                DatagramSocket sender = rig.net.inside("dn", () -> new DatagramSocket(0))) {
            List<Wire> wires = Wire.start(set, 1, (worker, leg, address, length) -> {});
            set.engage();
            int right = 0;
            for (int i = 0; i < datagrams; i++) {
                byte[] payload = new byte[100 + i];
                sender.send(new DatagramPacket(payload, payload.length, new InetSocketAddress("10.60.0.1", 5000)));
                right += isRightUdp(gnb) ? 1 : 0;
            }
            Wire.stop(wires);
            assertThat(right).isEqualTo(datagrams);
            assertThat(set.port(Leg.N6, 0).statistics().checksumsCompleted())
                    .as("checksums that the peer left unfinished")
                    .isEqualTo(datagrams);
        }
    }

    private static boolean isRightUdp(RawSocket socket) throws Exception {
        byte[] frame = socket.receive(2000);
        while (frame.length > 23 && frame[23] != 17) {
            frame = socket.receive(2000);
        }
        return frame.length > 23 && Frames.hasRightChecksums(frame);
    }

    /** Data goes through AF_XDP, acknowledgements come back through the kernel beside it. */
    @Test
    void tcpFromAPeerThatSegmentsInItsDeviceGoesThrough() throws Exception {
        int megabytes = 16;
        rig.net.exec("upf", "sysctl", "-qw", "net.ipv4.ip_forward=1");
        rig.net.ip("gnb", "addr", "add", "10.60.0.1/32", "dev", "lo");
        rig.net.ip("gnb", "route", "add", "default", "via", "10.33.0.1");
        AtomicInteger longest = new AtomicInteger();
        long toGnb = mac(rig.gnbMac) << 16 | mac(rig.n3Mac) >>> 32;
        int fromN3 = (int) mac(rig.n3Mac);
        Wire.Tap router = (worker, leg, address, length) -> {
            longest.accumulateAndGet(length, Math::max);
            Native.MEMORY.set(Native.BE_LONG, address, toGnb);
            Native.MEMORY.set(Native.BE_INT, address + 8, fromN3);
        };
        assertThat(rig.net.exec("dn", "ethtool", "-k", "d0")).contains("tcp-segmentation-offload: on");
        try (AfXdpPortSet set = rig.open(AfXdpRig.plan());
                ServerSocket server = rig.net.inside(
                        "gnb",
                        () -> new ServerSocket(9999, 1, new InetSocketAddress("10.60.0.1", 9999).getAddress()))) {
            List<Wire> wires = Wire.start(set, 1, router);
            set.engage();
            CompletableFuture<Long> received = CompletableFuture.supplyAsync(() -> receiveAll(server));
            rig.net.inside("dn", () -> {
                try (Socket socket = new Socket("10.60.0.1", 9999)) {
                    byte[] chunk = new byte[1 << 20];
                    for (int i = 0; i < megabytes; i++) {
                        socket.getOutputStream().write(chunk);
                    }
                }
                return 0;
            });
            assertThat(received.get()).isEqualTo((long) megabytes << 20);
            Wire.stop(wires);
            System.out.printf(
                    "peer after a native attach: %s%n",
                    rig.net
                            .exec("dn", "ethtool", "-k", "d0")
                            .lines()
                            .filter(line -> line.startsWith("tcp-segmentation") || line.startsWith("tx-checksumming"))
                            .toList());
            System.out.printf(
                    "%d MB of TCP: longest frame %d, %s%n",
                    megabytes, longest.get(), set.port(Leg.N6, 0).statistics());
            // A native program makes the kernel take segmentation from the peer; checksums stay unfinished.
            assertThat(longest.get()).isLessThanOrEqualTo(1514);
            assertThat(set.port(Leg.N6, 0).statistics().checksumsCompleted()).isPositive();
        }
    }

    private static long mac(byte[] octets) {
        long mac = 0;
        for (byte octet : octets) {
            mac = mac << 8 | octet & 0xff;
        }
        return mac;
    }

    private static long receiveAll(ServerSocket server) {
        try (Socket socket = server.accept()) {
            byte[] chunk = new byte[1 << 16];
            long total = 0;
            int read = socket.getInputStream().read(chunk);
            while (read >= 0) {
                total += read;
                read = socket.getInputStream().read(chunk);
            }
            return total;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
