package io.upfdataplane.dataplane.worker;

import static io.upfdataplane.dataplane.worker.PathFixture.FIRST_TEID;
import static io.upfdataplane.dataplane.worker.PathFixture.FIRST_UE;
import static io.upfdataplane.dataplane.worker.PathFixture.SERVER;
import static io.upfdataplane.dataplane.worker.PathFixture.fromGnb;
import static io.upfdataplane.dataplane.worker.PathFixture.session;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.MadeUpPortSet;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.port.afpacket.MadeUpAfPacketPorts;
import io.upfdataplane.dataplane.port.afxdp.MadeUpAfXdpPorts;
import io.upfdataplane.dataplane.port.memory.MemoryPortSet;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.wire.Steering;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers on threads of their own, over memory ports. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WorkersTest {
    private static final int SESSIONS = 32;
    private static final int ROUNDS = 200;

    /** Every packet goes to the wrong worker half of the time; each session's leave through its owner, in order. */
    @ParameterizedTest
    @EnumSource
    void keepTheOrderOfEachSessionWhereverItsPacketsArrive(PollMode poll) {
        try (PathFixture path = new PathFixture(2)) {
            for (int i = 0; i < SESSIONS; i++) {
                path.establish(session(i, 0));
            }
            int[] next = new int[SESSIONS];
            int collected = 0;
            try (Workers workers = started(path, poll)) {
                for (int round = 0; round < ROUNDS; round++) {
                    for (int i = 0; i < SESSIONS; i++) {
                        // The arrival of a session changes only when all of its packets have left.
                        int arrival = (round / 50 + i) % 2;
                        byte[] inner = Frames.udp(FIRST_UE + i, SERVER, 1, 2, Frames.sequence(round, 16));
                        byte[] frame = fromGnb(Frames.gpdu(FIRST_TEID + i, 9, inner));
                        await("room", () -> path.port(Leg.N3, arrival).inject(frame));
                    }
                    int due = (round + 1) * SESSIONS;
                    boolean drain = round % 50 == 49;
                    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                    do {
                        collected += collectInOrder(path, next);
                        assertThat(System.nanoTime()).as("all leave").isLessThan(end);
                    } while (drain && collected < due);
                }
                assertThat(workers.failure()).isNull();
            }
            assertThat(collected).isEqualTo(ROUNDS * SESSIONS);
            path.assertBooksClose();
            long rehomed = path.plane.counterPage(0).rehomedOut(Direction.UPLINK)
                    + path.plane.counterPage(1).rehomedOut(Direction.UPLINK);
            assertThat(rehomed).isEqualTo(ROUNDS * SESSIONS / 2);
            assertThat(path.plane.counters(1).uplinkPackets()).isEqualTo(ROUNDS);
        }
    }

    private static int collectInOrder(PathFixture path, int[] next) {
        int collected = 0;
        for (int worker = 0; worker < 2; worker++) {
            byte[] frame;
            while ((frame = path.port(Leg.N6, worker).collect()).length > 0) {
                ByteBuffer bytes = ByteBuffer.wrap(frame);
                int ue = bytes.getInt(26);
                assertThat(worker).as("sent by its owner").isEqualTo(Steering.workerOfUe(ue, 2));
                assertThat(bytes.getInt(42)).as("order of " + ue).isEqualTo(next[ue - FIRST_UE]++);
                collected++;
            }
        }
        return collected;
    }

    /** Offered at both workers and far beyond its rate; a second bucket anywhere would let about twice as much pass. */
    @Test
    void applyOneMbrToASessionWhosePacketsArriveAtBoth() {
        long mbrKbps = 8_000;
        try (PathFixture path = new PathFixture(2)) {
            path.establish(session(0, mbrKbps));
            byte[] inner = Frames.udp(FIRST_UE, SERVER, 1, 2, new byte[972]);
            byte[] frame = fromGnb(Frames.gpdu(FIRST_TEID, 9, inner));
            long startNs = System.nanoTime();
            try (Workers workers = started(path, PollMode.ADAPTIVE)) {
                while (System.nanoTime() - startNs < 1_500_000_000L) {
                    for (int i = 0; i < 16; i++) {
                        path.port(Leg.N3, i % 2).inject(frame);
                    }
                    while (path.collect(Leg.N6).length > 0) {
                        Thread.onSpinWait();
                    }
                    Thread.yield();
                }
                assertThat(workers.failure()).isNull();
            }
            long elapsedNs = System.nanoTime() - startNs;
            long passedBits = path.plane.counters(1).uplinkBytes() * 8;
            // The depth of the bucket and the packet that overdraws it come on top.
            double ceiling = mbrKbps * 1e-6 * elapsedNs * 1.03 + mbrKbps * 50 + 24_000 + 8_000;
            assertThat((double) passedBits).isLessThan(ceiling);
            assertThat(passedBits).isPositive();
            assertThat(path.verdict(Direction.UPLINK, Verdict.MBR_EXCEEDED)).isPositive();
            path.assertBooksClose();
        }
    }

    @Test
    void changePortsWithoutLosingAFrame() {
        try (PathFixture path = new PathFixture(1);
                MemoryPortSet next = new MemoryPortSet(path.pool, 1, 1024)) {
            path.establish(session(0, 0));
            byte[] frame = fromGnb(Frames.gpdu(FIRST_TEID, 9, Frames.udp(FIRST_UE, SERVER, 1, 2, new byte[4])));
            try (Workers workers = started(path, PollMode.INTERRUPT)) {
                long both = workers.use(path.ports, next);
                await("both", () -> workers.haveChanged(both));
                assertThat(path.port(Leg.N3, 0).inject(frame)).isTrue();
                assertThat(next.port(Leg.N3, 0).inject(frame)).isTrue();
                await(
                        "two through the old",
                        () -> path.port(Leg.N6, 0).statistics().sent() == 2);
                long through = workers.use(next, path.ports);
                await("through the next", () -> workers.haveChanged(through));
                assertThat(path.port(Leg.N3, 0).inject(frame)).isTrue();
                await(
                        "one through the next",
                        () -> next.port(Leg.N6, 0).statistics().sent() == 1);
                await("quiet", () -> workers.besideQuietForNs() > 1_000_000);
                long alone = workers.use(next, null);
                await("alone", () -> workers.haveChanged(alone));
                assertThat(next.port(Leg.N3, 0).inject(frame)).isTrue();
                await(
                        "two through the next",
                        () -> next.port(Leg.N6, 0).statistics().sent() == 2);
            }
            path.assertBooksClose();
            assertThat(path.plane.counterPage(0).longestReceiveGapNs(Direction.UPLINK))
                    .isPositive();
        }
    }

    /** A worker that was paused around the flip finds more than one batch in each set. */
    @Test
    void sendAllOfTheOldPortsBeforeAnyOfTheNext() {
        int each = 300;
        try (PathFixture path = new PathFixture(1);
                MemoryPortSet next = new MemoryPortSet(path.pool, 1, 1024)) {
            path.establish(session(0, 0));
            for (int number = 0; number < 2 * each; number++) {
                byte[] inner = Frames.udp(FIRST_UE, SERVER, 1, 2, Frames.sequence(number, 16));
                MemoryPortSet arrival = number < each ? path.ports : next;
                assertThat(arrival.port(Leg.N3, 0).inject(fromGnb(Frames.gpdu(FIRST_TEID, 9, inner))))
                        .isTrue();
            }
            path.workers[0].use(new PortUse(2, next, path.ports, true, 0));
            for (int turn = 0; turn < 20; turn++) {
                path.workers[0].turn();
            }
            for (int number = 0; number < 2 * each; number++) {
                assertThat(ByteBuffer.wrap(next.port(Leg.N6, 0).collect()).getInt(42))
                        .isEqualTo(number);
            }
            path.assertBooksClose();
        }
    }

    @Test
    void refuseACpuThatIsNotThere() {
        try (PathFixture path = new PathFixture(1);
                Workers workers =
                        new Workers(path.plane, path.pool, new WorkerSettings(64, PollMode.ADAPTIVE, List.of(900)))) {
            assertThatThrownBy(workers::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("sched_setaffinity(cpu 900): EINVAL");
        }
    }

    @Test
    void areWarmAfterAWarmUp() {
        try (PathFixture path = new PathFixture(1)) {
            try (MadeUpAfPacketPorts afPacket = new MadeUpAfPacketPorts(path.pool);
                    MadeUpAfXdpPorts afXdp = new MadeUpAfXdpPorts(path.pool, WarmUp.N3)) {
                WarmUp.Result result = WarmUp.run(
                        path.pool, new WorkerSettings(64, PollMode.ADAPTIVE, List.of()), List.of(afPacket, afXdp));
                assertThat(result.turns()).isPositive();
                for (MadeUpPortSet set : List.of(afPacket, afXdp)) {
                    for (Leg leg : Leg.values()) {
                        PortStatistics seen = set.port(leg, 0).statistics();
                        assertThat(seen.received())
                                .as("%s %s", set.facts().mode(), leg)
                                .isPositive();
                        assertThat(seen.sent())
                                .as("%s %s", set.facts().mode(), leg)
                                .isPositive();
                    }
                }
            }
            for (Worker worker : path.workers) {
                worker.close();
            }
            assertThat(path.pool.free()).as("frames back in the pool").isEqualTo(path.pool.frames());
        }
    }

    private static Workers started(PathFixture path, PollMode poll) {
        Workers workers = new Workers(path.plane, path.pool, new WorkerSettings(64, poll, List.of()));
        try {
            workers.start();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        workers.use(path.ports, null);
        return workers;
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.yield();
        }
    }
}
