package io.upfdataplane.dataplane.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import io.upfdataplane.dataplane.session.SessionRecord.ChosenTeid;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The flat tables behave as the maps they stand for. */
class FlatStateTest {
    private static final long SEED = 7;

    private static SessionRecord record(Random random, int peer, long seid) {
        List<Pdr> pdrs = new ArrayList<>();
        List<Far> fars = new ArrayList<>();
        for (int i = random.nextInt(40); i > 0; i--) {
            pdrs.add(new Pdr(
                    random.nextInt(0x10000),
                    random.nextLong(1L << 32),
                    random.nextBoolean() ? SourceInterface.ACCESS : SourceInterface.CORE,
                    random.nextBoolean() ? new FTeid(random.nextInt(), random.nextInt()) : null,
                    random.nextBoolean() ? random.nextInt() : null,
                    random.nextBoolean() ? "" : "x".repeat(random.nextInt(101)),
                    random.nextBoolean() ? List.of() : List.of(new SdfFilter(17, 1, 2, 3, 4, 5, 6, 7, 0xffff)),
                    random.nextInt(64) - 1,
                    random.nextBoolean(),
                    random.nextLong(1L << 32),
                    random.nextBoolean() ? List.of() : List.of(1L, 0xffffffffL)));
            fars.add(new Far(
                    i,
                    random.nextBoolean() ? Far.Action.DROP : Far.Action.FORWARD,
                    random.nextBoolean() ? null : DestinationInterface.SGI_LAN_N6_LAN,
                    "internet",
                    random.nextBoolean() ? null : new OuterHeaderCreation(random.nextInt(), random.nextInt())));
        }
        List<Qer> qers = List.of(new Qer(random.nextInt(9), true, false, 1L << 39, 5, -1));
        return new SessionRecord(
                peer,
                random.nextLong(),
                new SessionRules(seid, pdrs, fars, qers),
                List.of(random.nextLong(1L << 32)),
                List.of(random.nextInt(256)),
                List.of(new ChosenTeid(random.nextInt(), random.nextInt(256) - 1, 9)));
    }

    @Test
    void sessionStoreKeepsWhatItWasGiven() {
        Random random = new Random(SEED);
        SessionStore store = new SessionStore(200, SEED);
        Map<Long, SessionRecord> model = new HashMap<>();
        List<Long> gone = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int what = random.nextInt(3);
            List<Long> seids = new ArrayList<>(model.keySet());
            if (what == 0 && !store.isFull()) {
                long seid = store.take();
                assertThat(seid).isNotZero();
                assertThat(store.find(seid)).isNull();
                SessionRecord record = record(random, random.nextInt(3), seid);
                store.put(record);
                model.put(seid, record);
            } else if (what == 1 && !seids.isEmpty()) {
                long seid = seids.get(random.nextInt(seids.size()));
                SessionRecord record = record(random, model.get(seid).peer(), seid);
                store.put(record);
                model.put(seid, record);
            } else if (!seids.isEmpty() && random.nextInt(3) > 0) {
                long seid = seids.get(random.nextInt(seids.size()));
                store.remove(seid);
                model.remove(seid);
                gone.add(seid);
            }
            assertThat(store.size()).isEqualTo(model.size());
        }
        model.forEach((seid, record) -> assertThat(store.find(seid)).isEqualTo(record));
        gone.forEach(seid -> assertThat(store.find(seid)).isNull());
    }

    @Test
    void teidTableAgreesWithAMap() {
        Random random = new Random(SEED);
        TeidTable table = new TeidTable(64);
        Map<Integer, Long> model = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            int teid = random.nextInt(400) * (random.nextBoolean() ? 1 : 64);
            if (random.nextBoolean() && table.hasRoomFor(1)) {
                long seid = 1 + random.nextInt(50);
                table.hold(teid, seid);
                model.put(teid, seid);
            } else {
                table.release(teid);
                model.remove(teid);
            }
            int other = random.nextInt(400) * (random.nextBoolean() ? 1 : 64);
            assertThat(table.holder(other)).isEqualTo(model.getOrDefault(other, 0L));
        }
    }

    @Test
    void teidsWeChooseBeginAt256AndCarryTheirWorker() {
        TeidTable table = new TeidTable(1000);
        for (int i = 0; i < 500; i++) {
            int teid = table.choose(i % 3);
            assertThat(teid).isGreaterThanOrEqualTo(256);
            assertThat(teid & 63).isEqualTo(i % 3);
            assertThat(table.holder(teid)).isZero();
            table.hold(teid, 1);
        }
    }

    @Test
    void responseCacheIsBoundedInBytesAndAge() {
        InetSocketAddress from = new InetSocketAddress("10.0.0.1", 8805);
        ResponseCache cache = new ResponseCache(10_000, 1_000);
        for (int i = 0; i < 1000; i++) {
            cache.put(from, i, i, new byte[100], 0);
        }
        assertThat(cache.size()).isLessThan(100);
        assertThat(cache.find(from, 999, 999, 500)).hasSize(100);
        assertThat(cache.find(from, 999, 998, 500)).isNull();
        assertThat(cache.find(new InetSocketAddress("10.0.0.1", 8806), 999, 999, 500))
                .isNull();
        cache.expire(2_000);
        assertThat(cache.size()).isZero();
    }

    @Test
    void recoveryTimeStampNeverGoesBackwards(@TempDir Path directory) throws IOException {
        Path state = directory.resolve("state");
        long first = RecoveryTimeStamp.takeNewer(state, () -> Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(first).isEqualTo(0xED003780L);
        assertThat(RecoveryTimeStamp.takeNewer(state, () -> Instant.parse("2026-01-01T00:00:00Z")))
                .isEqualTo(first + 1);
        assertThat(RecoveryTimeStamp.takeNewer(state, () -> Instant.parse("2001-01-01T00:00:00Z")))
                .isEqualTo(first + 2);
        assertThat(RecoveryTimeStamp.takeNewer(state, () -> Instant.parse("2026-01-01T01:00:00Z")))
                .isEqualTo(first + 3600);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rubbish", "", "-5", "3.9e9", "\u00ff\u00fe", "99999999999999999999", "12345678901234"})
    void recoveryTimeStampThatIsNoNumberOfSecondsIsNotGuessed(String content, @TempDir Path state) throws IOException {
        Path file = state.resolve("recovery-time-stamp");
        Files.write(file, content.getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> RecoveryTimeStamp.takeNewer(state, Instant::now))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file + " holds '" + content.substring(0, Math.min(13, content.length())))
                .hasMessageContaining("remove the file");
        assertThat(Files.readAllBytes(file)).isEqualTo(content.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void recoveryTimeStampThatIsNoFileIsNamed(@TempDir Path state) throws IOException {
        Path file = Files.createDirectory(state.resolve("recovery-time-stamp"));
        assertThatThrownBy(() -> RecoveryTimeStamp.takeNewer(state, Instant::now))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file + " cannot be read");
    }
}
