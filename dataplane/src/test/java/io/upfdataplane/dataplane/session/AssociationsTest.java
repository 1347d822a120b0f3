package io.upfdataplane.dataplane.session;

import static io.upfdataplane.dataplane.pfcp.RawPfcp.ie;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.nodeMessage;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u32;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u8;
import static io.upfdataplane.dataplane.session.Sample.UE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.session.N4Settings.ConfiguredPeer;
import io.upfdataplane.dataplane.session.N4Settings.Role;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers, heartbeats, restarts, repeats, and associations that we ask for. */
class AssociationsTest {
    private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("10.33.0.77", 8805);
    private final Sample sample = new Sample();

    private N4Bench associated() {
        N4Bench bench = new N4Bench();
        assertThat(bench.ask(sample.association()).cause()).isEqualTo(1);
        return bench;
    }

    private static List<RawPfcp.Read> ofType(List<N4Bench.Sent> sent, int type) {
        return sent.stream()
                .map(s -> RawPfcp.read(s.bytes()))
                .filter(m -> m.type() == type)
                .toList();
    }

    private static byte[] heartbeatAnswer(RawPfcp.Read request, long stamp) {
        return nodeMessage(2, request.sequence(), ie(96, u32(stamp)));
    }

    @Test
    void aRepeatIsAnsweredAgainAndMakesNoSecondSession() {
        N4Bench bench = associated();
        byte[] establishment =
                sample.establishment(1, Sample.uplinkPdr(1, Sample.choose(-1)), Sample.forward(1, 1), Sample.qer(1));
        List<N4Bench.Sent> first = bench.send(establishment, N4Bench.SMF);
        for (int i = 0; i < 5; i++) {
            bench.pass(Duration.ofSeconds(2));
            List<N4Bench.Sent> again = bench.send(establishment, N4Bench.SMF);
            assertThat(again).hasSize(1);
            assertThat(again.getFirst().bytes()).isEqualTo(first.getFirst().bytes());
        }
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
        assertThat(bench.userPlane.commits()).isEqualTo(1);
        assertThat(bench.snapshot().repeated()).isEqualTo(5);
    }

    @Test
    void aRepeatedRefusalIsAnsweredAgain() {
        N4Bench bench = associated();
        byte[] bad = sample.establishment(1, Sample.forward(1, 1));
        assertThat(bench.ask(bad).cause()).isEqualTo(66);
        assertThat(bench.ask(bad).cause()).isEqualTo(66);
        assertThat(bench.snapshot().repeated()).isEqualTo(1);
    }

    @Test
    void aRepeatedDeletionIsAccepted() {
        N4Bench bench = associated();
        long seid = Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        byte[] deletion = sample.deletion(seid);
        assertThat(bench.ask(deletion).cause()).isEqualTo(1);
        assertThat(bench.ask(deletion).cause()).isEqualTo(1);
    }

    @Test
    void aClientThatCountsFromOneAgainGetsNoOldAnswer() {
        N4Bench bench = new N4Bench();
        Sample before = new Sample();
        bench.ask(before.association(Sample.SMF, 1000));
        byte[] establishment = before.establishment(1, UE, 256);
        long first = Sample.seidOf(bench.ask(establishment));
        bench.ask(new Sample().association(Sample.SMF, 1010));
        assertThat(bench.userPlane.sessions()).isZero();
        long second = Sample.seidOf(bench.ask(establishment));
        assertThat(second).isNotEqualTo(first);
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
    }

    @Test
    void theSameSetupAfterAReleaseMakesANewAssociation() {
        N4Bench bench = new N4Bench();
        bench.ask(new Sample().association(Sample.SMF, 1000));
        assertThat(bench.ask(sample.release(Sample.SMF)).cause()).isEqualTo(1);
        assertThat(bench.ask(new Sample().association(Sample.SMF, 1000)).cause())
                .isEqualTo(1);
        assertThat(bench.snapshot().peers()).hasSize(1);
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
    }

    @Test
    void aNewAssociationOfAKnownNodeDropsItsSessionsAndNobodyElses() {
        N4Bench bench = associated();
        bench.ask(sample.association(0x0a210009, 5), N4Bench.OTHER);
        for (int i = 0; i < 600; i++) {
            Sample.seidOf(bench.ask(sample.establishment(i, UE + i, 1000 + i)));
        }
        byte[] other = RawPfcp.rewrite(
                sample.establishment(1, UE + 5000, 90_000),
                (type, value) -> type == 60 ? RawPfcp.join(u8(0), u32(0x0a210009)) : value);
        Sample.seidOf(bench.ask(other, N4Bench.OTHER));
        assertThat(bench.userPlane.sessions()).isEqualTo(601);
        byte[] again = sample.association(Sample.SMF, 2000);
        // More than one slice: the answer waits, a repeat does not disturb, heartbeats go on.
        assertThat(bench.send(again, N4Bench.SMF)).isEmpty();
        assertThat(bench.agent.isBusy()).isTrue();
        assertThat(bench.send(again, N4Bench.SMF)).isEmpty();
        assertThat(bench.ask(sample.heartbeat(1000)).type()).isEqualTo(2);
        assertThat(bench.ask(sample.establishment(9, UE + 9000, 777)).cause()).isEqualTo(72);
        assertThat(ofType(bench.pass(Duration.ofSeconds(1)), 6))
                .singleElement()
                .satisfies(answer -> assertThat(answer.cause()).isEqualTo(1));
        assertThat(bench.agent.isBusy()).isFalse();
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
        assertThat(bench.ask(sample.establishment(9, UE, 1000)).cause()).isEqualTo(1);
    }

    @Test
    void aTimeStampThatIsAlwaysNowCostsNoSession() {
        N4Bench bench = associated();
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        for (int i = 0; i < 50; i++) {
            bench.ask(sample.heartbeat(1000 + 10L * i));
        }
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
    }

    @Test
    void aTimeStampKeptOverThreeRequestsAndThenNewerIsARestart() {
        N4Bench bench = associated();
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        for (int i = 0; i < 3; i++) {
            bench.ask(sample.heartbeat(1000));
        }
        bench.ask(sample.heartbeat(900));
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            bench.ask(sample.heartbeat(1000));
        }
        bench.ask(sample.heartbeat(2000));
        assertThat(bench.userPlane.sessions()).isZero();
        assertThat(bench.ask(sample.establishment(2, UE, 256)).cause()).isEqualTo(72);
    }

    @Test
    void aNewerTimeStampInAHeartbeatResponseIsARestart() {
        N4Bench bench = associated();
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        RawPfcp.Read ours = ofType(bench.pass(Duration.ofSeconds(11)), 1).getFirst();
        bench.send(heartbeatAnswer(ours, 1000), N4Bench.SMF);
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
        assertThat(bench.snapshot().peers().getFirst().everAnswered()).isTrue();
        RawPfcp.Read next = ofType(bench.pass(Duration.ofSeconds(11)), 1).getFirst();
        bench.send(heartbeatAnswer(next, 1001), N4Bench.SMF);
        assertThat(bench.userPlane.sessions()).isZero();
    }

    @Test
    void silenceDeletesNothing() {
        N4Bench bench = associated();
        long seid = Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        RawPfcp.Read ours = ofType(bench.pass(Duration.ofSeconds(11)), 1).getFirst();
        bench.send(heartbeatAnswer(ours, 1000), N4Bench.SMF);
        bench.pass(Duration.ofMinutes(20));
        assertThat(bench.snapshot().peers().getFirst().state()).isEqualTo("Silent");
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
        assertThat(bench.ask(sample.modification(seid, Sample.updateFar(1, ie(44, u8(1)))))
                        .cause())
                .isEqualTo(1);
        RawPfcp.Read last = ofType(bench.pass(Duration.ofSeconds(30)), 1).getLast();
        bench.send(heartbeatAnswer(last, 1000), N4Bench.SMF);
        assertThat(bench.snapshot().peers().getFirst().state()).isEqualTo("Associated");
    }

    @Test
    void aPeerThatNeverAnsweredAHeartbeatIsNotSilent() {
        N4Bench bench = associated();
        List<N4Bench.Sent> sent = bench.pass(Duration.ofMinutes(5));
        assertThat(bench.snapshot().peers().getFirst().state()).isEqualTo("Associated");
        assertThat(bench.snapshot().peers().getFirst().everAnswered()).isFalse();
        // One heartbeat, sent again three times with the same sequence, then the next.
        List<RawPfcp.Read> heartbeats = ofType(sent, 1);
        assertThat(heartbeats.subList(0, 4).stream().map(RawPfcp.Read::sequence).distinct())
                .hasSize(1);
        assertThat(heartbeats.get(4).sequence())
                .isNotEqualTo(heartbeats.getFirst().sequence());
    }

    @Test
    void theSameNodeFromANewAddressIsTheSamePeer() {
        N4Bench bench = associated();
        long seid = Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        assertThat(bench.ask(sample.deletion(seid), ELSEWHERE).cause()).isEqualTo(65);
        assertThat(bench.ask(sample.establishment(2, UE + 1, 320), ELSEWHERE).cause())
                .isEqualTo(1);
        assertThat(bench.ask(sample.deletion(seid), ELSEWHERE).cause()).isEqualTo(1);
        assertThat(bench.snapshot().peers()).hasSize(1);
    }

    @Test
    void aRefusedEstablishmentFromElsewhereGivesNoRightToOtherSessions() {
        N4Bench bench = associated();
        long seid = Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        assertThat(bench.ask(sample.establishment(2, Sample.forward(1, 1)), ELSEWHERE)
                        .cause())
                .isEqualTo(66);
        assertThat(bench.ask(sample.deletion(seid), ELSEWHERE).cause()).isEqualTo(65);
    }

    @Test
    void theAddressOfTheCpFSeidIsItsOwners() {
        N4Bench bench = associated();
        byte[] request = RawPfcp.rewrite(
                sample.establishment(1, UE, 256),
                (type, value) -> type == 57 ? RawPfcp.join(u8(2), RawPfcp.u64(1), u32(0x0a21004d)) : value);
        long seid = Sample.seidOf(bench.ask(request));
        assertThat(bench.ask(sample.deletion(seid), ELSEWHERE).cause()).isEqualTo(1);
    }

    @Test
    void aReleaseWithANodeIdOfZerosIsItsSendersAndOthersKeepTheirs() {
        N4Bench bench = associated();
        bench.ask(sample.association(0x0a210009, 5), N4Bench.OTHER);
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        RawPfcp.Read answer = bench.ask(nodeMessage(9, 0, Sample.nodeId(0)));
        assertThat(answer.cause()).isEqualTo(1);
        assertThat(answer.sequence()).isZero();
        assertThat(bench.userPlane.sessions()).isZero();
        assertThat(bench.snapshot().peers())
                .singleElement()
                .satisfies(peer -> assertThat(peer.nodeId()).isEqualTo("10.33.0.9"));
        assertThat(bench.ask(sample.establishment(1, UE, 256)).cause()).isEqualTo(72);
    }

    @ParameterizedTest
    @EnumSource(names = {"ACTIVE", "BOTH"})
    void asksConfiguredPeersAndBacksOff(Role role) {
        N4Bench bench = new N4Bench(N4Bench.settings(role, List.of(new ConfiguredPeer("smf", N4Bench.SMF)), 10));
        List<RawPfcp.Read> asked = ofType(bench.pass(Duration.ofSeconds(12)), 5);
        assertThat(asked).hasSize(6);
        assertThat(asked.stream().map(RawPfcp.Read::sequence).distinct()).hasSize(1);
        assertThat(bench.snapshot().peers().getFirst().state()).isEqualTo("Connecting");
        List<RawPfcp.Read> later = ofType(bench.pass(Duration.ofMinutes(10)), 5);
        // Attempts of six datagrams, ever further apart: 1, 2, 4 … 60 s between.
        assertThat(later.stream().map(RawPfcp.Read::sequence).distinct().count())
                .isBetween(8L, 20L);
        List<RawPfcp.Read> fresh = List.of();
        while (fresh.isEmpty()) {
            fresh = ofType(bench.pass(Duration.ofSeconds(1)), 5);
        }
        RawPfcp.Read last = fresh.getLast();
        bench.send(
                nodeMessage(6, last.sequence(), Sample.nodeId(Sample.SMF), ie(19, u8(1)), ie(96, u32(5))), ELSEWHERE);
        assertThat(bench.snapshot().peers()).singleElement().satisfies(peer -> {
            assertThat(peer.state()).isEqualTo("Associated");
            assertThat(peer.nodeId()).isEqualTo("10.33.0.2");
        });
        assertThat(ofType(bench.pass(Duration.ofMinutes(5)), 5)).isEmpty();
        assertThat(bench.ask(sample.establishment(1, UE, 256)).cause()).isEqualTo(1);
    }

    @Test
    void aRefusedSetupIsTriedAgainLater() {
        N4Bench bench = new N4Bench(N4Bench.settings(Role.BOTH, List.of(new ConfiguredPeer("smf", N4Bench.SMF)), 10));
        RawPfcp.Read asked = ofType(bench.pass(Duration.ofSeconds(1)), 5).getFirst();
        bench.send(nodeMessage(6, asked.sequence(), Sample.nodeId(Sample.SMF), ie(19, u8(64))), N4Bench.SMF);
        assertThat(bench.snapshot().peers().getFirst().state()).isEqualTo("Connecting");
        assertThat(ofType(bench.pass(Duration.ofSeconds(3)), 5)).isNotEmpty();
    }

    @Test
    void bothSidesAskingAtOnceMakeOneAssociation() {
        N4Bench bench = new N4Bench(N4Bench.settings(Role.BOTH, List.of(new ConfiguredPeer("smf", N4Bench.SMF)), 10));
        RawPfcp.Read asked = ofType(bench.pass(Duration.ofSeconds(1)), 5).getFirst();
        assertThat(bench.ask(sample.association()).cause()).isEqualTo(1);
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        bench.send(
                nodeMessage(6, asked.sequence(), Sample.nodeId(Sample.SMF), ie(19, u8(1)), ie(96, u32(1000))),
                N4Bench.SMF);
        assertThat(bench.snapshot().peers()).hasSize(1);
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
    }

    @Test
    void roleActiveTakesNobodyElse() {
        N4Bench bench = new N4Bench(N4Bench.settings(Role.ACTIVE, List.of(new ConfiguredPeer("smf", N4Bench.SMF)), 10));
        assertThat(bench.ask(sample.association(0x0a210009, 1), N4Bench.OTHER).cause())
                .isEqualTo(64);
        assertThat(bench.ask(sample.association()).cause()).isEqualTo(1);
    }

    @Test
    void boundsTheNumberOfPeers() {
        N4Bench bench = new N4Bench();
        int refused = 0;
        for (int i = 0; i < 400; i++) {
            refused += bench.ask(sample.association(0x0b000000 + i, 1)).cause() == 75 ? 1 : 0;
        }
        assertThat(refused).isEqualTo(144);
    }

    @Test
    void chooseIdsNameOneTeidInASession() {
        N4Bench bench = associated();
        RawPfcp.Read answer = bench.ask(sample.establishment(
                1,
                Sample.uplinkPdr(1, Sample.choose(5)),
                Sample.uplinkPdr(2, Sample.choose(5)),
                Sample.uplinkPdr(3, Sample.choose(6)),
                Sample.uplinkPdr(4, Sample.choose(-1)),
                Sample.forward(1, 1),
                Sample.qer(1)));
        long seid = Sample.seidOf(answer);
        List<Integer> teids = answer.all(8).stream()
                .map(created -> ByteBuffer.wrap(created.group().get(1).value()).getInt(1))
                .toList();
        assertThat(teids.get(0)).isEqualTo(teids.get(1));
        assertThat(teids.stream().distinct()).hasSize(3);
        RawPfcp.Read later = bench.ask(sample.modification(seid, Sample.uplinkPdr(7, Sample.choose(5))));
        assertThat(ByteBuffer.wrap(later.all(8).getFirst().group().get(1).value())
                        .getInt(1))
                .isEqualTo(teids.getFirst());
        // Another session's CHOOSE ID 5 is another TEID.
        RawPfcp.Read other = bench.ask(
                sample.establishment(2, Sample.uplinkPdr(1, Sample.choose(5)), Sample.forward(1, 1), Sample.qer(1)));
        assertThat(ByteBuffer.wrap(other.all(8).getFirst().group().get(1).value())
                        .getInt(1))
                .isNotIn(teids);
    }

    @Test
    void countsMessagesAndCauses() {
        N4Bench bench = associated();
        bench.ask(sample.establishment(1, UE, 256));
        bench.ask(sample.deletion(99));
        bench.send(new byte[3], N4Bench.SMF);
        N4Snapshot snapshot = bench.snapshot();
        assertThat(snapshot.answers())
                .contains(
                        new N4Snapshot.AnswerCount("SessionEstablishmentRequest", 1, 1),
                        new N4Snapshot.AnswerCount("SessionDeletionRequest", 65, 1));
        assertThat(snapshot.malformed()).isEqualTo(1);
        assertThat(snapshot.sessions()).isEqualTo(1);
        assertThat(snapshot.peers().getFirst().sessions()).isEqualTo(1);
    }

    @Test
    void aHeartbeatAnswerFromElsewhereEndsNothing() {
        N4Bench bench = associated();
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        RawPfcp.Read ours = ofType(bench.pass(Duration.ofSeconds(11)), 1).getFirst();
        bench.send(heartbeatAnswer(ours, 5000), ELSEWHERE);
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
    }

    @Test
    void aRepeatedReleaseWaitsForTheFirst() {
        N4Bench bench = associated();
        for (int i = 0; i < 600; i++) {
            Sample.seidOf(bench.ask(sample.establishment(i, UE + i, 1000 + i)));
        }
        byte[] release = sample.release(Sample.SMF);
        assertThat(bench.send(release, N4Bench.SMF)).isEmpty();
        assertThat(bench.send(release, N4Bench.SMF)).isEmpty();
        assertThat(ofType(bench.pass(Duration.ofSeconds(1)), 10))
                .singleElement()
                .satisfies(answer -> assertThat(answer.cause()).isEqualTo(1));
        assertThat(bench.userPlane.sessions()).isZero();
    }

    @Test
    void takesAChangedConfigurationAndKeepsItsSessions() {
        N4Bench bench = associated();
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        N4Settings old = N4Bench.settings(Role.BOTH, List.of(new ConfiguredPeer("other", N4Bench.OTHER)), 1000);
        N4Settings changed = new N4Settings(
                old.nodeId(),
                old.n4Address(),
                old.n3Addresses(),
                old.role(),
                old.peers(),
                old.heartbeat(),
                old.heartbeatInterval(),
                old.retransmission(),
                old.maxSessions(),
                List.of(new N4Settings.Prefix(0x0a3d0000, 16)),
                old.limits());
        bench.agent.reconfigure(changed, bench.nowNs);
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
        assertThat(bench.ask(sample.establishment(2, UE + 1, 320)).offendingIe())
                .isEqualTo(93);
        assertThat(bench.ask(sample.establishment(3, 0x0a3d0001, 320)).cause()).isEqualTo(1);
        assertThat(bench.pass(Duration.ofSeconds(1)))
                .extracting(N4Bench.Sent::to)
                .contains(N4Bench.OTHER);
        assertThatThrownBy(() -> bench.agent.reconfigure(N4Bench.settings(Role.BOTH, List.of(), 5), bench.nowNs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxSessions");
    }
}
