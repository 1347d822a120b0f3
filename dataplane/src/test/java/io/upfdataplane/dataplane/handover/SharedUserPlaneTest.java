package io.upfdataplane.dataplane.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.handover.UserPlane.Prepared;
import io.upfdataplane.dataplane.handover.UserPlane.Reason;
import io.upfdataplane.dataplane.handover.UserPlane.RulesRefused;
import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import io.upfdataplane.dataplane.wire.Steering;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedUserPlaneTest {
    private static final int N3 = 0x0a21_0001;
    private static final int GNB = 0x0a21_0002;
    private static final int UE = 0x0a3c_0001;

    private final NextHopTable nextHops = new NextHopTable(2);
    private final SharedUserPlane plane = new SharedUserPlane(2, 3, nextHops, (side, address) -> {});

    @AfterEach
    void close() {
        plane.close();
        nextHops.close();
    }

    private static SessionRules rules(long seid, int teid, int ue, int peer) {
        return new SessionRules(
                seid,
                List.of(
                        new Pdr(
                                1,
                                1,
                                SourceInterface.ACCESS,
                                new FTeid(teid, N3),
                                ue,
                                "",
                                List.of(),
                                -1,
                                true,
                                1,
                                List.of(1L)),
                        new Pdr(2, 1, SourceInterface.CORE, null, ue, "", List.of(), -1, false, 2, List.of(1L))),
                List.of(
                        new Far(1, Far.Action.FORWARD, DestinationInterface.CORE, "", null),
                        new Far(
                                2,
                                Far.Action.FORWARD,
                                DestinationInterface.ACCESS,
                                "",
                                new OuterHeaderCreation(1, peer))),
                List.of(new Qer(1, true, true, 1000, 1000, 9)));
    }

    private void refuses(SessionRules rules, Reason reason, String rule, long id) {
        assertThatThrownBy(() -> plane.prepare(rules)).isInstanceOfSatisfying(RulesRefused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(reason);
            assertThat(refused.rule()).isEqualTo(rule);
            assertThat(refused.ruleId()).isEqualTo(id);
        });
    }

    @Test
    void ownsByUeAddressElseByTeid() {
        for (int i = 0; i < 20; i++) {
            assertThat(plane.ownerOf(rules(9, 256, UE + i, GNB))).isEqualTo(Steering.workerOfUe(UE + i, 2));
        }
        Pdr tunnelOnly = new Pdr(
                1, 1, SourceInterface.CP_FUNCTION, new FTeid(257, N3), null, "", List.of(), -1, true, 1, List.of());
        assertThat(plane.ownerOf(new SessionRules(9, List.of(tunnelOnly), List.of(), List.of())))
                .isEqualTo(1);
    }

    @Test
    void refusesATeidAndAUeAddressOfAnotherSession() throws RulesRefused {
        plane.commit(plane.prepare(rules(1, 256, UE, GNB)));
        assertThat(plane.isTeidInUse(256)).isTrue();
        refuses(rules(2, 256, UE + 1, GNB), Reason.TEID_IN_USE, "PDR", 0);
        refuses(rules(2, 257, UE, GNB), Reason.UE_ADDRESS_IN_USE, "PDR", 0);
        plane.commit(plane.prepare(rules(1, 256, UE, GNB)));
        assertThat(plane.sessions()).isEqualTo(1);
    }

    @Test
    void holdsWhatIsPreparedUntilItIsDiscarded() throws RulesRefused {
        Prepared prepared = plane.prepare(rules(1, 256, UE, GNB));
        assertThat(plane.isTeidInUse(256)).isTrue();
        assertThat(plane.sessions()).isZero();
        refuses(rules(2, 256, UE + 1, GNB), Reason.TEID_IN_USE, "PDR", 0);
        plane.discard(prepared);
        assertThat(plane.isTeidInUse(256)).isFalse();
        assertThat(plane.ruleBytes()).isZero();
        assertThatThrownBy(() -> plane.commit(prepared)).isInstanceOf(IllegalStateException.class);
        plane.commit(plane.prepare(rules(2, 256, UE, GNB)));
    }

    @Test
    void refusesTheSessionBeyondTheLimitAndServesOnAsSoonAsOneIsGone() throws RulesRefused {
        for (int i = 0; i < 3; i++) {
            plane.commit(plane.prepare(rules(i + 1, 256 + i, UE + i, GNB)));
        }
        refuses(rules(4, 300, UE + 9, GNB), Reason.NO_RESOURCES, "PDR", 1);
        // No worker has let go of the old one yet.
        plane.remove(2);
        plane.commit(plane.prepare(rules(4, 300, UE + 9, GNB)));
        assertThat(plane.sessions()).isEqualTo(3);
        refuses(rules(5, 301, UE + 10, GNB), Reason.NO_RESOURCES, "PDR", 1);
    }

    @Test
    void refusesAPeerWhenNextHopsAreFullAndKeepsNothing() throws RulesRefused {
        plane.commit(plane.prepare(rules(1, 256, UE, GNB)));
        plane.commit(plane.prepare(rules(2, 257, UE + 1, GNB + 1)));
        long before = plane.ruleBytes();
        refuses(rules(3, 258, UE + 2, GNB + 2), Reason.NO_RESOURCES, "FAR", 2);
        assertThat(plane.ruleBytes()).isEqualTo(before);
        plane.commit(plane.prepare(rules(3, 258, UE + 2, GNB)));
    }

    @Test
    void refusesRulesThatNameWhatIsNotThere() {
        SessionRules whole = rules(1, 256, UE, GNB);
        refuses(
                new SessionRules(1, whole.pdrs(), whole.fars().subList(0, 1), whole.qers()),
                Reason.MISSING_RULE,
                "FAR",
                2);
        refuses(new SessionRules(1, whole.pdrs(), whole.fars(), List.of()), Reason.MISSING_RULE, "QER", 1);
    }

    @Test
    void refusesForwardingItDoesNotDo() {
        SessionRules whole = rules(1, 256, UE, GNB);
        Far toCp = new Far(1, Far.Action.FORWARD, DestinationInterface.CP_FUNCTION, "", null);
        refuses(
                new SessionRules(1, whole.pdrs(), List.of(toCp, whole.fars().get(1)), whole.qers()),
                Reason.UNSUPPORTED,
                "FAR",
                1);
    }

    @Test
    void givesASessionMoreBucketsThanItsSlotHolds() throws RulesRefused {
        List<Pdr> pdrs = new ArrayList<>();
        List<Qer> qers = new ArrayList<>();
        for (int i = 1; i <= 10; i++) {
            pdrs.add(new Pdr(i, i, SourceInterface.CORE, null, UE, "", List.of(), -1, false, 1, List.of((long) i)));
            qers.add(new Qer(i, true, true, 1000, 1000, -1));
        }
        List<Far> fars = List.of(new Far(1, Far.Action.DROP, null, "", null));
        plane.commit(plane.prepare(new SessionRules(1, pdrs, fars, qers)));
        qers.add(new Qer(11, true, true, 1000, 1000, -1));
        refuses(new SessionRules(1, pdrs, fars, qers), Reason.NO_RESOURCES, "QER", 11);
        plane.remove(1);
        plane.reclaim();
        plane.reclaim();
        assertThat(plane.ruleBytes()).isZero();
    }

    @Test
    void freesOldRulesOnlyAfterEveryWorkerHasMovedOn() throws RulesRefused {
        plane.commit(plane.prepare(rules(1, 256, UE, GNB)));
        long one = plane.ruleBytes();
        Grace grace = plane.grace();
        grace.turn(0);
        grace.turn(1);
        plane.commit(plane.prepare(rules(1, 256, UE, GNB)));
        for (int i = 0; i < 3; i++) {
            plane.reclaim();
            assertThat(plane.ruleBytes()).isEqualTo(2 * one);
        }
        grace.turn(0);
        plane.reclaim();
        assertThat(plane.ruleBytes()).as("worker 1 may still hold them").isEqualTo(2 * one);
        grace.sleep(1);
        plane.reclaim();
        assertThat(plane.ruleBytes()).isEqualTo(one);
    }

    @Test
    void ringKeepsOrderAndSaysWhenItIsFull() {
        LongRing ring = new LongRing(4);
        for (int round = 0; round < 3; round++) {
            for (long word = 1; word <= 4; word++) {
                assertThat(ring.offer(word)).isTrue();
            }
            assertThat(ring.offer(5)).isFalse();
            for (long word = 1; word <= 4; word++) {
                assertThat(ring.poll()).isEqualTo(word);
            }
            assertThat(ring.poll()).isZero();
            assertThat(ring.isEmpty()).isTrue();
        }
    }
}
