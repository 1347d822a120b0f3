package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.testbed.Frames;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class UnfinishedChecksumsTest {
    private static final int N3 = Frames.ipv4("10.33.0.1");
    private static final int GNB = Frames.ipv4("10.33.0.2");
    private static final int DN = Frames.ipv4("10.99.0.2");
    private static final int UE = Frames.ipv4("10.60.0.1");
    private static final byte[] MAC = {2, 0, 0, 0, 0, 1};
    private static final int IP = 14;
    private static final int INNER = IP + 20 + 8 + 16;

    private final UnfinishedChecksums checksums = new UnfinishedChecksums(N3);

    @Test
    void completesUdp() {
        byte[] frame = Frames.ethernet(MAC, MAC, unfinished(Frames.udp(DN, UE, 1, 2, new byte[31])));
        assertThat(Frames.hasRightChecksums(frame)).isFalse();
        assertThat(complete(frame)).isTrue();
        assertThat(Frames.hasRightChecksums(frame)).isTrue();
    }

    @Test
    void completesTcp() {
        byte[] segment = new byte[20 + 1000];
        Arrays.fill(segment, 20, segment.length, (byte) 0xa5);
        byte[] frame = Frames.ethernet(MAC, MAC, unfinished(Frames.ipv4(DN, UE, 6, segment)));
        assertThat(complete(frame)).isTrue();
        assertThat(Frames.hasRightChecksums(frame)).isTrue();
    }

    @Test
    void completesTheInnerPacketOfGtpu() {
        byte[] inner = unfinished(Frames.udp(UE, DN, 1, 2, new byte[32]));
        byte[] frame = Frames.ethernet(MAC, MAC, Frames.udp(GNB, N3, 2152, 2152, Frames.gpdu(256, 9, inner)));
        assertThat(complete(frame)).isTrue();
        byte[] innerFrame = Frames.ethernet(MAC, MAC, Arrays.copyOfRange(frame, INNER, frame.length));
        assertThat(Frames.hasRightChecksums(innerFrame)).isTrue();
    }

    @Test
    void leavesRightChecksumsAsTheyAre() {
        byte[] downlink = Frames.ethernet(MAC, MAC, Frames.udp(DN, UE, 1, 2, new byte[31]));
        byte[] before = downlink.clone();
        assertThat(complete(downlink)).isFalse();
        assertThat(downlink).isEqualTo(before);
    }

    @Test
    void leavesUdpWithoutChecksumAsItIs() {
        byte[] frame = Frames.ethernet(MAC, MAC, Frames.udp(DN, UE, 1, 2, new byte[31]));
        ByteBuffer.wrap(frame).putShort(IP + 26, (short) 0);
        byte[] before = frame.clone();
        assertThat(complete(frame)).isFalse();
        assertThat(frame).isEqualTo(before);
    }

    @Test
    void leavesFragmentsAsTheyAre() {
        byte[] packet = unfinished(Frames.udp(DN, UE, 1, 2, new byte[32]));
        ByteBuffer.wrap(packet).putShort(6, (short) 0x2000);
        byte[] frame = Frames.ethernet(MAC, MAC, packet);
        byte[] before = frame.clone();
        assertThat(complete(frame)).isFalse();
        assertThat(frame).isEqualTo(before);
    }

    @Test
    void leavesEveryTruncationAsItIs() {
        byte[] inner = unfinished(Frames.udp(UE, DN, 1, 2, new byte[32]));
        byte[] whole = Frames.ethernet(MAC, MAC, Frames.udp(GNB, N3, 2152, 2152, Frames.gpdu(256, 9, inner)));
        for (int length = 0; length < whole.length; length++) {
            byte[] frame = Arrays.copyOf(whole, length);
            assertThat(complete(frame)).as("%d bytes", length).isFalse();
            assertThat(frame).isEqualTo(Arrays.copyOf(whole, length));
        }
    }

    private boolean complete(byte[] frame) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(Math.max(1, frame.length));
            MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, 0, frame.length);
            boolean completed = checksums.complete(memory.address(), frame.length);
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, frame, 0, frame.length);
            return completed;
        }
    }

    /** The packet as a sender with transmit checksum offload leaves it: the pseudo-header's sum where a checksum goes. */
    private static byte[] unfinished(byte[] packet) {
        ByteBuffer bytes = ByteBuffer.wrap(packet);
        int protocol = packet[9];
        long sum = protocol + packet.length - 20L;
        for (int at = 12; at < 20; at += 2) {
            sum += bytes.getShort(at) & 0xffff;
        }
        int complemented = Frames.checksum(new byte[0], 0, 0, sum);
        bytes.putShort(20 + (protocol == 6 ? 16 : 6), (short) ~complemented);
        return packet;
    }
}
