package io.upfdataplane.dataplane.worker;

import static io.upfdataplane.dataplane.worker.PathFixture.FIRST_TEID;
import static io.upfdataplane.dataplane.worker.PathFixture.FIRST_UE;
import static io.upfdataplane.dataplane.worker.PathFixture.SERVER;
import static io.upfdataplane.dataplane.worker.PathFixture.fromGnb;
import static io.upfdataplane.dataplane.worker.PathFixture.fromServer;
import static io.upfdataplane.dataplane.worker.PathFixture.session;
import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.testbed.Frames;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whatever arrives, every packet ends in one verdict, no frame is lost and nothing is thrown. */
class BooksTest {
    private static final int SESSIONS = 16;
    private static final int PACKETS = 1_000_000;

    @Test
    void closeOverAMillionPacketsOfAllKinds() {
        try (PathFixture path = new PathFixture(2)) {
            for (int i = 0; i < SESSIONS; i++) {
                path.establish(session(i, i % 4 == 0 ? 1000 : 0));
            }
            Random random = new Random(20260101);
            FramePool.Cache far = path.pool.newCache();
            FrameBatch out = new FrameBatch(256);
            List<byte[]> shapes = shapes();
            int injected = 0;
            while (injected < PACKETS) {
                for (int i = 0; i < 64; i++) {
                    Leg leg = Leg.values()[random.nextInt(2)];
                    byte[] frame = mutated(shapes.get(random.nextInt(shapes.size())), random);
                    long address = far.take() + FramePool.HEADROOM;
                    MemorySegment.copy(frame, 0, Native.MEMORY, Native.BYTE, address, frame.length);
                    assertThat(path.port(leg, random.nextInt(2)).inject(address, frame.length))
                            .isTrue();
                    injected++;
                }
                path.turnAll();
                giveBack(path, far, out);
            }
            far.close();
            path.assertBooksClose();
            long received = 0;
            for (int worker = 0; worker < 2; worker++) {
                for (Direction direction : Direction.values()) {
                    received += path.plane.counterPage(worker).receivedPackets(direction);
                }
            }
            assertThat(received).isEqualTo(injected);
            assertThat(path.verdict(Direction.UPLINK, Verdict.FORWARDED)).isGreaterThan(PACKETS / 20);
            assertThat(path.verdict(Direction.DOWNLINK, Verdict.FORWARDED)).isGreaterThan(PACKETS / 20);
            for (Verdict seen : List.of(
                    Verdict.NOT_OURS,
                    Verdict.OUTER_TRUNCATED,
                    Verdict.GTPU_VERSION,
                    Verdict.GTPU_LENGTH,
                    Verdict.GTPU_EXTENSION,
                    Verdict.UNKNOWN_TEID,
                    Verdict.INNER_TRUNCATED,
                    Verdict.UE_SOURCE_MISMATCH)) {
                assertThat(path.verdict(Direction.UPLINK, seen)).as(seen.name()).isPositive();
            }
            for (Worker worker : path.workers) {
                worker.close();
            }
            assertThat(path.pool.free()).as("frames back in the pool").isEqualTo(path.pool.frames());
        }
    }

    private static void giveBack(PathFixture path, FramePool.Cache far, FrameBatch out) {
        for (int worker = 0; worker < 2; worker++) {
            for (Leg leg : Leg.values()) {
                path.port(leg, worker).collect(out);
                for (int i = 0; i < out.count; i++) {
                    far.give(out.address[i]);
                }
                out.count = 0;
            }
        }
    }

    private static List<byte[]> shapes() {
        return IntStream.range(0, SESSIONS + 2)
                .boxed()
                .flatMap(i -> {
                    byte[] up = Frames.udp(FIRST_UE + i, SERVER, 1000 + i, 53, new byte[24]);
                    byte[] down = Frames.udp(SERVER, FIRST_UE + i, 53, 1000 + i, new byte[24]);
                    return Stream.of(
                            fromGnb(Frames.gpdu(FIRST_TEID + i, 9, up)),
                            fromGnb(Frames.gpdu(FIRST_TEID + i, -1, up)),
                            fromServer(down),
                            fromGnb(PathFixture.bytes("320100040000000012340000")));
                })
                .toList();
    }

    /** A third as it is, the others changed in one octet or several, cut, stretched, or noise altogether. */
    private static byte[] mutated(byte[] shape, Random random) {
        byte[] frame = shape.clone();
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> {}
            case 3 -> frame = Arrays.copyOf(frame, random.nextInt(frame.length + 1));
            case 4 -> frame = Arrays.copyOf(frame, frame.length + random.nextInt(40));
            case 5 -> {
                frame = new byte[random.nextInt(200)];
                random.nextBytes(frame);
            }
            case 6 -> {
                for (int i = 0; i < 4; i++) {
                    frame[random.nextInt(frame.length)] = (byte) random.nextInt();
                }
            }
            case 7 -> frame[14 + random.nextInt(frame.length - 14)] ^= (byte) (1 << random.nextInt(8));
            default -> frame[Math.min(frame.length - 1, 42 + random.nextInt(40))] = (byte) random.nextInt();
        }
        return frame;
    }

    @Test
    void noCutFrameIsForwardedAtAnyLength() {
        try (PathFixture path = new PathFixture(1)) {
            path.establish(session(0, 0));
            byte[] up = fromGnb(Frames.gpdu(FIRST_TEID, 9, Frames.udp(FIRST_UE, SERVER, 1, 2, new byte[8])));
            byte[] down = fromServer(Frames.udp(SERVER, FIRST_UE, 2, 1, new byte[8]));
            for (int length = 0; length < up.length; length++) {
                assertThat(path.through(Leg.N3, Leg.N6, Arrays.copyOf(up, length)))
                        .as("uplink " + length)
                        .isEmpty();
            }
            for (int length = 0; length < down.length; length++) {
                assertThat(path.through(Leg.N6, Leg.N3, Arrays.copyOf(down, length)))
                        .as("downlink " + length)
                        .isEmpty();
            }
            assertThat(path.through(Leg.N3, Leg.N6, up)).isNotEmpty();
            assertThat(path.through(Leg.N6, Leg.N3, down)).isNotEmpty();
            path.assertBooksClose();
        }
    }

    /** The outer headers are right for what is left; first the GTP-U length is as it was, then it is made to fit. */
    @Test
    void noCutGtpuPacketIsForwardedAtAnyLength() {
        try (PathFixture path = new PathFixture(1)) {
            path.establish(session(0, 0));
            byte[] gtpu = Frames.gpdu(FIRST_TEID, 9, Frames.udp(FIRST_UE, SERVER, 1, 2, new byte[8]));
            for (int length = 0; length < gtpu.length; length++) {
                byte[] cut = Arrays.copyOf(gtpu, length);
                assertThat(path.through(Leg.N3, Leg.N6, fromGnb(cut)))
                        .as("cut to " + length)
                        .isEmpty();
                if (length >= 8) {
                    cut[2] = (byte) (length - 8 >>> 8);
                    cut[3] = (byte) (length - 8);
                    assertThat(path.through(Leg.N3, Leg.N6, fromGnb(cut)))
                            .as("made to fit " + length)
                            .isEmpty();
                }
            }
            assertThat(path.through(Leg.N3, Leg.N6, fromGnb(gtpu))).isNotEmpty();
            path.assertBooksClose();
        }
    }
}
