package io.upfdataplane.dataplane.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.upfdataplane.dataplane.pfcp.MessageType;
import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.pfcp.SmfMessages;
import io.upfdataplane.dataplane.session.N4Settings.ConfiguredPeer;
import io.upfdataplane.dataplane.session.N4Settings.Role;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A decoder that is not ours reads every kind of message that we send, and finds nothing malformed. */
class ForeignDecoderIT {
    private static final int LINKTYPE_RAW = 101;

    @Test
    void tsharkFindsNothingMalformedInWhatWeSend(@TempDir Path directory) throws Exception {
        assumeTrue(hasTshark(), "tshark is not installed: apt-get install tshark");
        List<byte[]> sent = whatWeSend();
        Path capture = directory.resolve("n4.pcap");
        write(capture, sent);
        Process tshark = new ProcessBuilder(
                        "tshark",
                        "-r",
                        capture.toString(),
                        "-T",
                        "fields",
                        "-E",
                        "separator=;",
                        "-e",
                        "pfcp.msg_type",
                        "-e",
                        "pfcp.cause",
                        "-e",
                        "_ws.malformed",
                        "-e",
                        "_ws.expert.message")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> lines = new String(tshark.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(tshark.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(lines).hasSameSizeAs(sent);
        for (int i = 0; i < lines.size(); i++) {
            String[] fields = lines.get(i).split(";", -1);
            assertThat(Integer.parseInt(fields[0])).isEqualTo(sent.get(i)[1] & 0xff);
            assertThat(fields[2])
                    .as("malformed, message %d: %s", i, lines.get(i))
                    .isEmpty();
            assertThat(fields[3]).as("expert, message %d: %s", i, lines.get(i)).isEmpty();
        }
        // Every kind that we send is among them.
        assertThat(sent.stream().map(bytes -> bytes[1] & 0xff).distinct())
                .contains(1, 2, 4, 5, 6, 8, 10, 11, 15, 17, 51, 53, 55);
    }

    private static List<byte[]> whatWeSend() {
        List<byte[]> all = new ArrayList<>();
        for (String flavour : SmfMessages.FLAVOURS) {
            for (boolean isStripped : new boolean[] {false, true}) {
                SmfLife life =
                        new SmfLife(flavour, bytes -> isStripped ? RawPfcp.without(bytes, 6, 13, 77, 81) : bytes);
                for (SmfMessages.Message message : SmfMessages.of(flavour)) {
                    boolean isAnswer = message.type() == 6 || message.type() == 57;
                    if (!isAnswer
                            && life.chosenTeids
                                    .keySet()
                                    .containsAll(message.patchTeidAt().keySet())) {
                        life.send(message.name());
                    }
                }
                life.bench.sent.forEach(sent -> all.add(sent.bytes()));
            }
        }
        Sample sample = new Sample();
        N4Settings settings = N4Bench.settings(Role.BOTH, List.of(new ConfiguredPeer("smf", N4Bench.SMF)), 10);
        N4Bench bench = new N4Bench(settings);
        bench.pass(Duration.ofSeconds(1));
        bench.ask(sample.association());
        bench.pass(Duration.ofSeconds(11));
        for (int type : new int[] {3, 7, 14, 16}) {
            bench.ask(RawPfcp.nodeMessage(type, sample.nextSequence(), Sample.nodeId(Sample.SMF)));
        }
        long seid = Sample.seidOf(bench.ask(
                sample.establishment(1, Sample.uplinkPdr(1, Sample.choose(-1)), Sample.forward(1, 1), Sample.qer(1))));
        bench.ask(sample.modification(seid, Sample.uplinkPdr(2, Sample.choose(3))));
        for (int ruleGroup : new int[] {15, 16, 17, 18, 87}) {
            int idType = switch (ruleGroup) {
                case 15 -> 56;
                case 16 -> 108;
                case 17 -> 81;
                case 18 -> 109;
                default -> 88;
            };
            byte[] id = ruleGroup == 15 ? RawPfcp.u16(9) : ruleGroup == 87 ? RawPfcp.u8(9) : RawPfcp.u32(9);
            bench.ask(sample.modification(seid, RawPfcp.ie(ruleGroup, RawPfcp.ie(idType, id))));
        }
        byte[] otherVersion = sample.heartbeat(1);
        otherVersion[0] = 0x40;
        bench.send(otherVersion, N4Bench.SMF);
        N4Bench named = new N4Bench(new N4Settings(
                "upf.example.org",
                N4Bench.N3,
                settings.n3Addresses(),
                Role.PASSIVE,
                List.of(),
                settings.heartbeat(),
                settings.heartbeatInterval(),
                settings.retransmission(),
                10,
                settings.uePools(),
                settings.limits()));
        named.ask(sample.association());
        bench.sent.forEach(sent -> all.add(sent.bytes()));
        named.sent.forEach(sent -> all.add(sent.bytes()));
        assertThat(MessageType.name(all.getFirst()[1])).isEqualTo("AssociationSetupResponse");
        return all;
    }

    /** A capture of raw IPv4 packets from our port 8805 to the SMF's. */
    private static void write(Path file, List<byte[]> datagrams) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(0xa1b2c3d4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putInt(0)
                .putInt(0)
                .putInt(65535);
        head.putInt(LINKTYPE_RAW);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head.array());
        for (byte[] datagram : datagrams) {
            int length = 28 + datagram.length;
            ByteBuffer record = ByteBuffer.allocate(16 + length).order(ByteOrder.LITTLE_ENDIAN);
            record.putInt(0).putInt(0).putInt(length).putInt(length).order(ByteOrder.BIG_ENDIAN);
            record.put((byte) 0x45).put((byte) 0).putShort((short) length).putInt(0);
            record.put((byte) 64)
                    .put((byte) 17)
                    .putShort((short) 0)
                    .putInt(N4Bench.N3)
                    .putInt(Sample.SMF);
            record.putShort((short) 8805).putShort((short) 8805).putShort((short) (8 + datagram.length));
            record.putShort((short) 0).put(datagram);
            out.writeBytes(record.array());
        }
        Files.write(file, out.toByteArray());
    }

    private static boolean hasTshark() throws InterruptedException {
        try {
            return new ProcessBuilder("tshark", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // the assumption says what is missing
        }
    }
}
