package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.RawSocket;
import io.upfdataplane.dataplane.testbed.Traffic;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames that no peer should send, at the running process in both modes: it lives, answers N4 and counts each. */
class HostileTrafficIT {
    private static final int GNB = Frames.ipv4("10.33.0.2");
    private static final int N3 = Frames.ipv4("10.33.0.1");
    private static final int FLOOD = 300;

    @TempDir
    private Path folder;

    @Test
    void countsWhatNoPeerShouldSendAndAnswersHeartbeatsInBothModes() throws Exception {
        try (Stage stage = new Stage(folder, "Adaptive", 2)) {
            stage.plan("AF_PACKET");
            stage.start();
            stage.associate();
            Traffic.Ue ue = stage.establish(1).getFirst();
            for (String mode : List.of("AF_PACKET", "AF_XDP")) {
                if (!mode.equals("AF_PACKET")) {
                    stage.awaitMode(stage.plan(mode), mode);
                }
                judge(stage, ue, mode);
            }
            assertThat(icmpSent(stage)).as("ICMP messages sent").isEqualTo("0");
            assertThat(stage.dataplane.terminate()).isZero();
        }
    }

    private static void judge(Stage stage, Traffic.Ue ue, String mode) throws Exception {
        byte[] n3Mac = stage.namespaces.mac("upf", "n3");
        byte[] gnbMac = stage.namespaces.mac("gnb", "n3p");
        List<byte[]> frames = hostile(ue, n3Mac, gnbMac);
        JsonNode earlier = stage.dataplane.status();
        long before = received(earlier) + overruns(earlier);
        List<byte[]> foreign = foreign(ue, gnbMac);
        stage.namespaces.inside("gnb", () -> {
            try (RawSocket socket = new RawSocket("n3p")) {
                for (byte[] frame : foreign) {
                    socket.send(frame);
                }
                for (byte[] frame : frames) {
                    socket.send(frame);
                }
            }
            return null;
        });
        // Cut before the UDP ports a frame is the kernel's, and one frame may overrun a ring: those are counted apart.
        JsonNode status = stage.dataplane.await(
                "all judged", s -> received(s) + overruns(s) - before >= frames.size() - 28 && balance(s) == 0);
        assertThat(received(status) + overruns(status) - before)
                .as("%s: frames to other stations are not taken", mode)
                .isLessThanOrEqualTo(frames.size());
        JsonNode drops = status.path("traffic").path("uplink").path("drops");
        for (String reason : List.of(
                "OUTER_TRUNCATED", "GTPU_VERSION", "GTPU_LENGTH", "GTPU_EXTENSION", "UNKNOWN_TEID", "OUTER_FRAGMENT")) {
            assertThat(drops.path(reason).asLong()).as("%s: %s", mode, reason).isPositive();
        }
        assertThat(stage.smf.heartbeat()).as(mode + ": heartbeat").isPositive();
    }

    private static List<byte[]> hostile(Traffic.Ue ue, byte[] n3Mac, byte[] gnbMac) {
        byte[] inner = Frames.udp(ue.address(), Traffic.DN, 1, 2, new byte[40]);
        byte[] gpdu = Frames.gpdu(ue.uplinkTeid(), 9, inner);
        byte[] whole = Frames.ethernet(n3Mac, gnbMac, outer(gpdu));
        List<byte[]> frames = new ArrayList<>();
        for (int length = 14; length < whole.length; length++) {
            frames.add(Arrays.copyOf(whole, length));
        }
        for (int announced : new int[] {0, 7, inner.length + 9, 65535}) {
            byte[] wrong = gpdu.clone();
            ByteBuffer.wrap(wrong).putShort(2, (short) announced);
            frames.add(Frames.ethernet(n3Mac, gnbMac, outer(wrong)));
        }
        for (int flags = 0; flags < 256; flags++) {
            byte[] wrong = gpdu.clone();
            wrong[0] = (byte) flags;
            frames.add(Frames.ethernet(n3Mac, gnbMac, outer(wrong)));
        }
        // An extension header of length 0 would be walked for ever.
        byte[] endless = gpdu.clone();
        endless[12] = 0;
        frames.add(Frames.ethernet(n3Mac, gnbMac, outer(endless)));
        byte[] fragment = whole.clone();
        ByteBuffer.wrap(fragment).putShort(20, (short) 0x2000);
        frames.add(fragment);
        byte[] echo = {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 1, 0, 0};
        for (int i = 0; i < FLOOD; i++) {
            frames.add(Frames.ethernet(n3Mac, gnbMac, outer(echo)));
            frames.add(Frames.ethernet(n3Mac, gnbMac, outer(Frames.gpdu(0x40000000 + i, 9, inner))));
        }
        return frames;
    }

    /** The same packet to everybody, to a group and to another station. */
    private static List<byte[]> foreign(Traffic.Ue ue, byte[] gnbMac) {
        byte[] packet =
                outer(Frames.gpdu(ue.uplinkTeid(), 9, Frames.udp(ue.address(), Traffic.DN, 1, 2, new byte[40])));
        List<byte[]> frames = new ArrayList<>();
        for (byte[] destination :
                new byte[][] {{-1, -1, -1, -1, -1, -1}, {1, 0, 0x5e, 0, 0, 1}, {2, 0x66, 0, 0, 0, 1}}) {
            for (int i = 0; i < 50; i++) {
                frames.add(Frames.ethernet(destination, gnbMac, packet));
            }
        }
        return frames;
    }

    private static byte[] outer(byte[] gtpu) {
        return Frames.udp(GNB, N3, Frames.GTPU_PORT, Frames.GTPU_PORT, gtpu);
    }

    private static long received(JsonNode status) {
        return status.path("traffic").path("uplink").path("received").asLong();
    }

    private static long overruns(JsonNode status) {
        return status.path("interfaces")
                .get(0)
                .path("drops")
                .path("RECEIVE_OVERRUN")
                .asLong();
    }

    private static long balance(JsonNode status) {
        JsonNode uplink = status.path("traffic").path("uplink");
        long ended = uplink.path("sent").asLong() + uplink.path("answered").asLong();
        for (JsonNode drop : uplink.path("drops")) {
            ended += drop.asLong();
        }
        return uplink.path("received").asLong() - ended;
    }

    private static String icmpSent(Stage stage) {
        List<String> lines = stage.namespaces
                .exec("upf", "cat", "/proc/net/snmp")
                .lines()
                .filter(l -> l.startsWith("Icmp:"))
                .toList();
        int column = List.of(lines.get(0).split(" ")).indexOf("OutMsgs");
        return lines.get(1).split(" ")[column];
    }
}
