package io.upfdataplane.dataplane.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.testbed.Frames;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChecksumTest {
    private final Block block = new Block(4096, 64);
    private final long start = block.address();

    @AfterEach
    void close() {
        block.close();
    }

    private void put(byte[] bytes) {
        MemorySegment.copy(bytes, 0, Native.MEMORY, Native.BYTE, start, bytes.length);
    }

    private byte[] get(int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(Native.MEMORY, Native.BYTE, start, bytes, 0, length);
        return bytes;
    }

    @Test
    void sumsEveryLength() {
        byte[] bytes = new byte[131];
        new Random(1).nextBytes(bytes);
        put(bytes);
        for (int length = 0; length <= bytes.length; length++) {
            assertThat(~Checksum.fold(Checksum.sum(start, length)) & 0xffff)
                    .isEqualTo(Frames.checksum(bytes, 0, length, 0));
        }
    }

    @Test
    void completesWhatASenderLeftUnfinished() {
        for (int payload = 0; payload < 40; payload++) {
            byte[] right = Frames.udp(0x0a630002, 0x0a3c0001, 53, 4000, Frames.sequence(payload, payload + 4));
            put(right);
            int length = right.length - 20;
            int pseudo = Checksum.fold(Checksum.pseudoHeader(start, Ipv4View.UDP, length));
            Native.MEMORY.set(Native.BE_SHORT, start + 26, (short) pseudo);
            assertThat(Checksum.complete(start, start + right.length, new Ipv4View()))
                    .isTrue();
            assertThat(get(right.length)).isEqualTo(right);
        }
    }

    @Test
    void completesTcp() {
        byte[] packet = Frames.ipv4(0x0a630002, 0x0a3c0001, 6, new byte[33]);
        put(packet);
        Native.MEMORY.set(
                Native.BE_SHORT, start + 36, (short) Checksum.fold(Checksum.pseudoHeader(start, Ipv4View.TCP, 33)));
        assertThat(Checksum.complete(start, start + packet.length, new Ipv4View()))
                .isTrue();
        long sum = Checksum.pseudoHeader(start, Ipv4View.TCP, 33) + Checksum.sum(start + 20, 33);
        assertThat(Checksum.fold(sum)).isEqualTo(0xffff);
    }

    @Test
    void leavesWhatIsRightOrCannotBeToldAlone() {
        byte[] right = Frames.udp(0x0a630002, 0x0a3c0001, 53, 4000, new byte[9]);
        put(right);
        assertThat(Checksum.complete(start, start + right.length, new Ipv4View()))
                .isFalse();
        assertThat(get(right.length)).isEqualTo(right);
        for (int length = 0; length < right.length; length++) {
            assertThat(Checksum.complete(start, start + length, new Ipv4View())).isFalse();
        }
        assertThat(Checksum.isIpv4HeaderRight(start, 20)).isTrue();
        assertThat(Checksum.ofIpv4Header(start, 20))
                .isEqualTo(Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, start + 10)));
    }
}
