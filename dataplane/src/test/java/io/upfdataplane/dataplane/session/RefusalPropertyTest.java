package io.upfdataplane.dataplane.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.pfcp.SmfMessages;
import io.upfdataplane.dataplane.pfcp.SmfMessages.Message;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SessionRules;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Handed messages, damaged at random and sent to one agent after the other's sessions: a refused one changes nothing, an
 * accepted one leaves whole rules, the agent lives, and in the end nothing is left.
 */
class RefusalPropertyTest {
    private static final long SEED = 20_260_102;
    private static final int MESSAGES = 30_000;

    @Test
    void aRefusedMessageChangesNothing() {
        Random random = new Random(SEED);
        List<Message> messages = SmfMessages.all().stream()
                .filter(message -> message.type() >= 50 && message.type() <= 54)
                .toList();
        N4Bench bench = new N4Bench();
        Sample sample = new Sample();
        bench.ask(sample.association());
        int accepted = 0;
        int refused = 0;
        for (int i = 0; i < MESSAGES; i++) {
            byte[] bytes = damaged(messages.get(random.nextInt(messages.size())), bench, random);
            ByteBuffer.wrap(bytes).putInt((bytes[0] & 1) != 0 ? 12 : 4, (i & 0xffffff) << 8);
            Map<Long, SessionRules> before = bench.userPlane.all();
            List<N4Bench.Sent> answers = bench.send(bytes, N4Bench.SMF);
            assertThat(bench.userPlane.openPreparations()).isZero();
            boolean isAccepted = false;
            for (N4Bench.Sent sent : answers) {
                if (sent.bytes()[1] != 11) {
                    RawPfcp.Read answer = RawPfcp.read(sent.bytes());
                    isAccepted = answer.type() > 10 && answer.cause() == 1;
                }
            }
            if (isAccepted) {
                accepted++;
                bench.userPlane.all().values().forEach(RefusalPropertyTest::isWhole);
            } else {
                refused++;
                assertThat(bench.userPlane.all()).isEqualTo(before);
            }
            if (i % 500 == 0) {
                bench.pass(Duration.ofSeconds(1));
                assertThat(bench.agent.snapshot().sessions()).isEqualTo(bench.userPlane.sessions());
            }
        }
        assertThat(accepted).isGreaterThan(MESSAGES / 50);
        assertThat(refused).isGreaterThan(MESSAGES / 50);
        bench.send(sample.release(Sample.SMF), N4Bench.SMF);
        bench.pass(Duration.ofSeconds(5));
        assertThat(bench.userPlane.sessions()).isZero();
    }

    private static byte[] damaged(Message message, N4Bench bench, Random random) {
        byte[] bytes = message.bytes().clone();
        if (random.nextBoolean()) {
            // Let more through: URRs and buffering are refused before the damage is reached.
            bytes = RawPfcp.without(bytes, IeType.CREATE_URR, IeType.URR_ID);
        }
        List<Long> seids = List.copyOf(bench.userPlane.all().keySet());
        if (message.type() != 50 && !seids.isEmpty()) {
            ByteBuffer.wrap(bytes).putLong(4, seids.get(random.nextInt(seids.size())));
        }
        for (int flips = random.nextInt(4); flips > 0; flips--) {
            int at = 16 + random.nextInt(bytes.length - 15);
            if (at < bytes.length) {
                bytes[at] =
                        random.nextBoolean() ? (byte) random.nextInt() : (byte) (bytes[at] ^ 1 << random.nextInt(8));
            }
        }
        return bytes;
    }

    private static void isWhole(SessionRules rules) {
        List<Long> fars = rules.fars().stream().map(Far::id).toList();
        List<Long> qers = rules.qers().stream().map(Qer::id).toList();
        assertThat(rules.pdrs().stream().map(Pdr::id)).doesNotHaveDuplicates();
        for (Pdr pdr : rules.pdrs()) {
            assertThat(fars).contains(pdr.farId());
            assertThat(qers).containsAll(pdr.qerIds());
            assertThat(pdr.localFTeid() == null || pdr.localFTeid().teid() != 0).isTrue();
        }
    }
}
