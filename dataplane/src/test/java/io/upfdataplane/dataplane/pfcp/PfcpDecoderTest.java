package io.upfdataplane.dataplane.pfcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the bytes, the decoder gives a message, nothing, or its own fault with a cause that an answer may carry. */
class PfcpDecoderTest {
    private static final long SEED = 20_260_101;
    private static final int MUTATIONS = 60_000;

    static List<SmfMessages.Message> messages() {
        return SmfMessages.all();
    }

    /** True when it was read as a message. */
    private static boolean decodes(byte[] datagram, int length) {
        Optional<PfcpHeader> header = PfcpHeader.read(datagram, length);
        if (header.isEmpty()) {
            return false;
        }
        PfcpDecoder.cpSeidOf(header.get(), datagram);
        try {
            return PfcpDecoder.decode(header.get(), datagram).isPresent();
        } catch (PfcpFault fault) {
            assertThat(fault.reason())
                    .isIn(
                            Cause.MANDATORY_IE_MISSING,
                            Cause.CONDITIONAL_IE_MISSING,
                            Cause.INVALID_LENGTH,
                            Cause.MANDATORY_IE_INCORRECT);
            assertThat(fault.offendingIe()).isBetween(0, 0xffff);
            assertThat(fault.getMessage()).isNotBlank();
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void readsEveryHandedMessageWeServe(SmfMessages.Message message) {
        boolean isServed = message.type() != 57;
        assertThat(decodes(message.bytes(), message.bytes().length)).isEqualTo(isServed);
    }

    @ParameterizedTest
    @MethodSource("messages")
    void takesNoDatagramCutShort(SmfMessages.Message message) {
        for (int length = 0; length < message.bytes().length; length++) {
            assertThat(PfcpHeader.read(message.bytes(), length)).isEmpty();
            assertThat(PfcpHeader.read(Arrays.copyOf(message.bytes(), length), length))
                    .isEmpty();
        }
    }

    /** The header is made to fit, so that the IEs are cut: at an IE's border a shorter message may be right. */
    @ParameterizedTest
    @MethodSource("messages")
    void boundsEveryIeByATruncatedMessage(SmfMessages.Message message) {
        int bodyStart = PfcpHeader.read(message.bytes(), message.bytes().length)
                .orElseThrow()
                .bodyStart();
        List<Integer> borders = borders(message.bytes(), bodyStart);
        for (int length = bodyStart; length < message.bytes().length; length++) {
            byte[] cut = Arrays.copyOf(message.bytes(), length);
            ByteBuffer.wrap(cut).putShort(2, (short) (length - 4));
            boolean isLenient = message.type() == 1 || message.type() == 2 || message.type() == 54;
            if (decodes(cut, length) && !isLenient) {
                assertThat(borders).contains(length);
            }
        }
    }

    /** Each IE, at any depth, is cut in place: its length and its groups' lengths are made to fit. */
    @ParameterizedTest
    @MethodSource("messages")
    void boundsEveryIeCutInPlace(SmfMessages.Message message) {
        int ies = count(message.bytes());
        for (int target = 0; target < ies; target++) {
            for (int cut = 0; cut < 24; cut++) {
                int[] at = {target};
                int keep = cut;
                byte[] changed = RawPfcp.rewrite(
                        message.bytes(),
                        (type, value) -> at[0]-- == 0 && value.length > keep ? Arrays.copyOf(value, keep) : value);
                decodes(changed, changed.length);
            }
        }
    }

    @Test
    void survivesMutations() {
        Random random = new Random(SEED);
        List<SmfMessages.Message> messages = messages();
        int read = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = messages.get(random.nextInt(messages.size())).bytes().clone();
            for (int flips = 1 + random.nextInt(6); flips > 0; flips--) {
                int at = random.nextInt(bytes.length);
                bytes[at] = switch (random.nextInt(4)) {
                    case 0 -> (byte) random.nextInt();
                    case 1 -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
                    case 2 -> (byte) 0xff;
                    default -> 0;
                };
            }
            read += decodes(bytes, random.nextInt(8) == 0 ? random.nextInt(bytes.length + 1) : bytes.length) ? 1 : 0;
        }
        // Some must get past the header and some must not, or the mutations test nothing.
        assertThat(read).isBetween(MUTATIONS / 20, MUTATIONS * 19 / 20);
    }

    @Test
    void survivesNoise() {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            if (bytes.length >= 4) {
                bytes[0] = (byte) (0x20 | random.nextInt(2));
                bytes[1] = (byte) List.of(1, 2, 5, 6, 9, 50, 52, 54)
                        .get(random.nextInt(8))
                        .intValue();
                ByteBuffer.wrap(bytes).putShort(2, (short) (bytes.length - 4));
            }
            decodes(bytes, bytes.length);
        }
    }

    @Test
    void readsWhatTheLengthSaysAndNoMore() {
        byte[] heartbeat = SmfMessages.of("free5gc", "heartbeat").bytes();
        byte[] longer = Arrays.copyOf(heartbeat, heartbeat.length + 50);
        Arrays.fill(longer, heartbeat.length, longer.length, (byte) 0xff);
        assertThat(decodes(longer, longer.length)).isTrue();
    }

    private static List<Integer> borders(byte[] bytes, int start) {
        List<Integer> borders = new ArrayList<>(List.of(start));
        for (int at = start; at < bytes.length; ) {
            at += 4 + (ByteBuffer.wrap(bytes).getShort(at + 2) & 0xffff);
            borders.add(at);
        }
        return borders;
    }

    private static int count(byte[] bytes) {
        int[] count = {0};
        RawPfcp.rewrite(bytes, (type, value) -> {
            count[0]++;
            return value;
        });
        return count[0];
    }
}
