package io.upfdataplane.dataplane.port.afpacket;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.testbed.Frames;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmenterTest {
    private static final int TCPV4 = 1;
    private static final int UDP_L4 = 5;
    private static final int ECN = 0x80;
    private static final int FIN_PSH_ACK_CWR = 0x99;
    private static final int UE = Frames.ipv4("10.60.0.1");
    private static final int DN = Frames.ipv4("10.99.0.2");

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment from = arena.allocate(70_000);
    private final MemorySegment to = arena.allocate(2048);
    private final Segmenter segmenter = new Segmenter();

    @AfterEach
    void close() {
        arena.close();
    }

    /** TCP with 12 bytes of options, as a sender leaves it to its device. */
    private static byte[] tcp(byte[] payload) {
        byte[] segment = ByteBuffer.allocate(32 + payload.length)
                .putShort((short) 80)
                .putShort((short) 5000)
                .putInt(0xffff_fff0) // wraps round
                .putInt(7)
                .put((byte) 0x80)
                .put((byte) FIN_PSH_ACK_CWR)
                .putShort((short) 1000)
                .putInt(0)
                .put(new byte[12])
                .put(payload)
                .array();
        byte[] frame = Frames.ethernet(new byte[6], new byte[6], Frames.ipv4(DN, UE, 6, segment));
        ByteBuffer.wrap(frame).putShort(18, (short) 0xffff); // identification: wraps round too
        return frame;
    }

    private boolean start(byte[] frame, int length, int gsoType, int size) {
        MemorySegment.copy(frame, 0, from, ValueLayout.JAVA_BYTE, 0, frame.length);
        return segmenter.start(from.address() & Native.MASK, length, gsoType, size, 1792);
    }

    private List<byte[]> segments() {
        List<byte[]> segments = new ArrayList<>();
        while (segmenter.hasMore()) {
            int length = segmenter.next(to.address() & Native.MASK);
            segments.add(to.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
        }
        return segments;
    }

    @Test
    void tcpSegmentsCarryTheStreamWithRightNumbersFlagsAndChecksums() {
        byte[] payload = new byte[64_001];
        new Random(1).nextBytes(payload);
        byte[] frame = tcp(payload);
        assertThat(start(frame, frame.length, TCPV4 | ECN, 1448)).isTrue();
        List<byte[]> segments = segments();
        assertThat(segments).hasSize(45);
        byte[] joined = new byte[payload.length];
        for (int i = 0; i < 45; i++) {
            byte[] segment = segments.get(i);
            ByteBuffer view = ByteBuffer.wrap(segment);
            int carried = segment.length - 66;
            assertThat(carried).isEqualTo(i < 44 ? 1448 : 64_001 - 44 * 1448);
            assertThat(Frames.hasRightChecksums(segment)).as("segment %d", i).isTrue();
            assertThat(view.getShort(16)).isEqualTo((short) (segment.length - 14));
            assertThat(view.getShort(18)).isEqualTo((short) (0xffff + i));
            assertThat(view.getInt(38)).isEqualTo(0xffff_fff0 + i * 1448);
            int flags = segment[47] & 0xff;
            assertThat(flags & 0x09).as("FIN and PSH").isEqualTo(i < 44 ? 0 : 0x09);
            assertThat(flags & 0x80).as("CWR").isEqualTo(i == 0 ? 0x80 : 0);
            assertThat(flags & 0x10).as("ACK").isEqualTo(0x10);
            System.arraycopy(segment, 66, joined, i * 1448, carried);
        }
        assertThat(joined).isEqualTo(payload);
    }

    @Test
    void udpIsCutIntoDatagramsOfTheSizeAskedFor() {
        byte[] payload = new byte[2501];
        new Random(2).nextBytes(payload);
        byte[] frame = Frames.ethernet(new byte[6], new byte[6], Frames.udp(DN, UE, 1, 2, payload));
        assertThat(start(frame, frame.length, UDP_L4, 1000)).isTrue();
        List<byte[]> segments = segments();
        assertThat(segments).extracting(segment -> segment.length).containsExactly(1042, 1042, 543);
        assertThat(segments).allMatch(Frames::hasRightChecksums);
        assertThat(segments)
                .allSatisfy(segment ->
                        assertThat(ByteBuffer.wrap(segment).getShort(38)).isEqualTo((short) (segment.length - 34)));
    }

    @Test
    void refusesWhatItCannotCut() {
        byte[] frame = tcp(new byte[4000]);
        assertThat(start(frame, frame.length, 3, 1448)).as("UFO").isFalse();
        assertThat(start(frame, frame.length, 4, 1448)).as("TCP over IPv6").isFalse();
        assertThat(start(frame, frame.length, UDP_L4, 1448))
                .as("UDP that is TCP")
                .isFalse();
        assertThat(start(frame, frame.length, TCPV4, 0)).as("no size").isFalse();
        assertThat(start(frame, frame.length, TCPV4, 1800))
                .as("longer than a frame")
                .isFalse();
        assertThat(segmenter.hasMore()).isFalse();
    }

    @Test
    void refusesTruncationAtEveryLengthOfTheHeaders() {
        byte[] frame = tcp(new byte[4000]);
        for (int length = 0; length <= 66; length++) {
            assertThat(start(Arrays.copyOf(frame, frame.length), length, TCPV4, 1448))
                    .as("%d bytes", length)
                    .isFalse();
        }
    }

    @Test
    void whatIsGivenUpIsCountedInSegments() {
        byte[] frame = tcp(new byte[4000]);
        assertThat(start(frame, frame.length, TCPV4, 1000)).isTrue();
        segmenter.next(to.address() & Native.MASK);
        assertThat(segmenter.abandon()).isEqualTo(3);
        assertThat(segmenter.hasMore()).isFalse();
    }
}
