package io.upfdataplane.dataplane.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.pfcp.SmfMessages;
import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Five control planes' life cycles. What asks for more than is built is refused whole; the rest works to the end. */
class SmfFlavoursTest {
    private static final int GNB = 0x0a210002;

    @ParameterizedTest
    @ValueSource(strings = {"free5gc", "open5gs", "oai", "sdcore", "pfcpsim"})
    void associatesAndAnswersHeartbeats(String flavour) {
        SmfLife life = new SmfLife(flavour);
        RawPfcp.Read answer = life.send("association");
        assertThat(answer.type()).isEqualTo(6);
        assertThat(answer.cause()).isEqualTo(1);
        assertThat(answer.only(IeType.NODE_ID)).containsExactly(0, 10, 33, 0, 1);
        assertThat(ByteBuffer.wrap(answer.only(IeType.RECOVERY_TIME_STAMP)).getInt())
                .isEqualTo(N4Bench.STAMP);
        assertThat(answer.only(IeType.UP_FUNCTION_FEATURES)).containsExactly(0x10, 0, 0, 0);
        for (SmfMessages.Message message : SmfMessages.of(flavour)) {
            if (message.type() == 1) {
                RawPfcp.Read heartbeat = life.send(message.name());
                assertThat(heartbeat.type()).isEqualTo(2);
                assertThat(ByteBuffer.wrap(heartbeat.only(IeType.RECOVERY_TIME_STAMP))
                                .getInt())
                        .isEqualTo(N4Bench.STAMP);
                assertThat(heartbeat.sequence())
                        .isEqualTo(ByteBuffer.wrap(message.bytes()).getInt(4) >>> 8);
            }
        }
        assertThat(life.bench.snapshot().peers()).singleElement().satisfies(peer -> {
            assertThat(peer.nodeId()).isEqualTo("10.33.0.2");
            assertThat(peer.state()).isEqualTo("Associated");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"free5gc", "open5gs", "oai", "sdcore", "pfcpsim"})
    void everyMessageOfALifeIsAnsweredAndNothingIsLeftHalfDone(String flavour) {
        SmfLife life = new SmfLife(flavour);
        for (SmfMessages.Message message : SmfMessages.of(flavour)) {
            if (List.of("association answer", "report answer 1").contains(message.name())
                    || message.patchTeidAt().keySet().stream().anyMatch(pdr -> !life.chosenTeids.containsKey(pdr))) {
                continue;
            }
            RawPfcp.Read answer = life.send(message.name());
            assertThat(answer.type()).isEqualTo(message.type() + 1);
            assertThat(life.bench.userPlane.openPreparations()).isZero();
        }
        assertThat(life.bench.userPlane.sessions()).isZero();
        assertThat(life.bench.snapshot().sessions()).isZero();
    }

    @Test
    void pfcpsimRunsItsWholeLife() {
        SmfLife life = new SmfLife("pfcpsim");
        life.send("association");
        RawPfcp.Read established = life.send("establish 1");
        assertThat(established.cause()).isEqualTo(1);
        assertThat(established.seid()).isEqualTo(1);
        assertThat(established.has(IeType.CREATED_PDR)).isFalse();
        SessionRules rules = life.bench.userPlane.rules(life.seids.get(1));
        assertThat(rules.fars())
                .containsExactly(
                        new Far(256, Far.Action.FORWARD, DestinationInterface.CORE, "", null),
                        new Far(257, Far.Action.DROP, DestinationInterface.ACCESS, "", new OuterHeaderCreation(0, 0)));
        assertThat(rules.qers())
                .containsExactly(
                        new Qer(0, true, true, 60000, 60000, -1),
                        new Qer(256, true, true, 50000, 30000, 9),
                        new Qer(257, true, true, 50000, 30000, 9));
        assertThat(rules.pdrs().getFirst().removeOuterHeader()).isTrue();

        assertThat(life.send("establish 2").cause()).isEqualTo(1);
        SessionRules second = life.bench.userPlane.rules(life.seids.get(2));
        assertThat(second.qers())
                .filteredOn(qer -> !qer.uplinkGateOpen() && !qer.downlinkGateOpen())
                .hasSize(2);
        assertThat(second.pdrs().get(2).sdfFilters())
                .containsExactly(new SdfFilter(17, 0x0a630000, 0xffffff00, 0, 0, 0, 0xffff, 80, 88));

        assertThat(life.send("gNB tunnel 1").cause()).isEqualTo(1);
        assertThat(life.send("gNB tunnel 2").cause()).isEqualTo(1);
        assertThat(far(life, 1, 257)).isEqualTo(new OuterHeaderCreation(257, GNB));
        life.send("heartbeat 2");
        assertThat(life.bench.userPlane.sessions()).isEqualTo(2);
        refusedNaming(life.send("idle 1"), 73, IeType.APPLY_ACTION, 1, 257);
        assertThat(far(life, 1, 257)).isEqualTo(new OuterHeaderCreation(257, GNB));
        assertThat(life.send("resume 1").cause()).isEqualTo(1);
        assertThat(life.send("remove 2").cause()).isEqualTo(1);
        assertThat(life.bench.userPlane.rules(life.seids.get(2)).pdrs()).hasSize(3);
        assertThat(life.bench.userPlane.rules(life.seids.get(2)).qers()).hasSize(4);
        assertThat(life.send("delete 1").cause()).isEqualTo(1);
        assertThat(life.send("delete 2").cause()).isEqualTo(1);
        RawPfcp.Read released = life.send("release");
        assertThat(released.cause()).isEqualTo(1);
        assertThat(released.sequence()).isZero();
        assertThat(life.bench.userPlane.sessions()).isZero();
        assertThat(life.bench.snapshot().peers()).isEmpty();
    }

    /** H2: flags 0x02, no S/D, in a PDI from Core. */
    @Test
    void takesAUeAddressFromCoreAsTheDestination() {
        SmfLife life = new SmfLife("pfcpsim");
        life.send("association");
        life.send("establish 1");
        Pdr downlink = life.bench.userPlane.rules(life.seids.get(1)).pdrs().get(1);
        assertThat(downlink.sourceInterface()).isEqualTo(SourceInterface.CORE);
        assertThat(downlink.ueIpv4()).isEqualTo(0x0a3c0001);
        assertThat(downlink.isUplink()).isFalse();
    }

    @Test
    void sdcoreRunsItsLifeButForWhatIsNotBuilt() {
        SmfLife life = new SmfLife("sdcore");
        life.send("association");
        RawPfcp.Read established = life.send("establish 1");
        assertThat(established.cause()).isEqualTo(1);
        assertThat(established.all(IeType.CREATED_PDR)).hasSize(1);
        int teid = life.chosenTeids.get("PDR 1");
        int owner = life.bench.userPlane.ownerOf(life.bench.userPlane.rules(life.seids.get(1)));
        assertThat(teid).isGreaterThanOrEqualTo(256);
        assertThat(teid & 63).isEqualTo(owner);
        refusedNaming(life.send("establish 2"), 73, IeType.UE_IP_ADDRESS, 0, 11);
        assertThat(life.send("gNB tunnel 1").cause()).isEqualTo(1);
        assertThat(life.send("policy 1").cause()).isEqualTo(1);
        SessionRules rules = life.bench.userPlane.rules(life.seids.get(1));
        assertThat(rules.qers()).extracting(Qer::id).containsExactly(2L, 3L, 4L);
        assertThat(pdr(rules, 1).qerIds()).containsExactly(4L, 3L);
        assertThat(pdr(rules, 1).localFTeid().teid()).isEqualTo(teid);
        refusedNaming(life.send("idle 1"), 73, IeType.APPLY_ACTION, 1, 2);
        assertThat(life.send("resume 1").cause()).isEqualTo(1);
        refusedNaming(life.send("handover 1"), 73, IeType.PFCPSM_REQ_FLAGS, 1, 2);
        assertThat(far(life, 1, 2)).isEqualTo(new OuterHeaderCreation(515, GNB));
        assertThat(life.send("delete 1").cause()).isEqualTo(1);
        assertThat(life.bench.userPlane.sessions()).isZero();
    }

    @Test
    void readsForwardingParametersInAnUpdateFarLikeTheirUpdate() {
        byte[] ueAddress = RawPfcp.join(RawPfcp.u8(2), RawPfcp.u32(0x0a3c0002));
        SmfLife life = new SmfLife(
                "sdcore",
                bytes -> RawPfcp.rewrite(
                        bytes, (type, value) -> type == IeType.UE_IP_ADDRESS && value.length == 1 ? ueAddress : value));
        life.send("association");
        assertThat(life.send("establish 2").cause()).isEqualTo(1);
        assertThat(life.send("gNB tunnel 2").cause()).isEqualTo(1);
        assertThat(far(life, 2, 12)).isEqualTo(new OuterHeaderCreation(514, GNB));
    }

    @Test
    void refusesFree5gcSessionsThatWantUsageReports() {
        SmfLife life = new SmfLife("free5gc");
        life.send("association");
        refusedNaming(life.send("establish 1"), 73, IeType.URR_ID, 3, 1);
        assertThat(life.send("establish 2").cause()).isEqualTo(73);
        assertThat(life.send("gNB tunnel 1").cause()).isEqualTo(65);
        assertThat(life.bench.userPlane.commits()).isZero();
    }

    @Test
    void free5gcRunsItsLifeWithoutUsageReports() {
        SmfLife life = new SmfLife(
                "free5gc", bytes -> RawPfcp.without(bytes, IeType.CREATE_URR, IeType.UPDATE_URR, IeType.URR_ID, 77));
        life.send("association");
        assertThat(life.send("establish 1").cause()).isEqualTo(1);
        assertThat(life.send("establish 2").cause()).isEqualTo(1);
        SessionRules rules = life.bench.userPlane.rules(life.seids.get(1));
        // QFI 0 is «none»; QER 2 has no MBR.
        assertThat(rules.qers())
                .containsExactly(new Qer(1, true, true, 100_000, 200_000, -1), new Qer(2, true, true, 0, 0, 9));
        assertThat(pdr(rules, 1).localFTeid().teid()).isEqualTo(256);
        assertThat(pdr(rules, 1).networkInstance()).isEqualTo("internet");
        assertThat(pdr(life.bench.userPlane.rules(life.seids.get(2)), 3).networkInstance())
                .isEqualTo("internet");
        assertThat(pdr(life.bench.userPlane.rules(life.seids.get(2)), 5).sdfFilters())
                .containsExactly(new SdfFilter(17, 0x0a630002, -1, 0, 0, 6000, 6000, 0, 0xffff));
        assertThat(life.send("gNB tunnel 1").cause()).isEqualTo(1);
        assertThat(life.send("gNB tunnel 2").cause()).isEqualTo(1);
        assertThat(pdr(life.bench.userPlane.rules(life.seids.get(1)), 2).qerIds())
                .containsExactly(2L, 1L);
        refusedNaming(life.send("idle 1"), 73, IeType.APPLY_ACTION, 1, 2);
        assertThat(life.send("resume 1").cause()).isEqualTo(1);
        assertThat(far(life, 1, 2)).isEqualTo(new OuterHeaderCreation(515, GNB));
        refusedNaming(life.send("handover 1"), 73, IeType.PFCPSM_REQ_FLAGS, 1, 2);
        assertThat(life.send("delete 1").cause()).isEqualTo(1);
        assertThat(life.send("delete 2").cause()).isEqualTo(1);
        assertThat(life.bench.userPlane.sessions()).isZero();
    }

    @Test
    void refusesOpen5gsSessionsThatBeginWithBuffering() {
        SmfLife life = new SmfLife("open5gs");
        life.send("association");
        refusedNaming(life.send("establish 1"), 73, IeType.APPLY_ACTION, 1, 1);
        assertThat(life.send("establish 2").cause()).isEqualTo(73);
        assertThat(life.send("gNB tunnel 1").cause()).isEqualTo(65);
        assertThat(life.bench.userPlane.commits()).isZero();
    }

    @Test
    void oaiRunsItsLifeWithoutUsageReports() {
        SmfLife life = new SmfLife("oai", bytes -> RawPfcp.without(bytes, IeType.CREATE_URR, IeType.URR_ID));
        life.send("association");
        RawPfcp.Read established = life.send("establish 1");
        assertThat(established.cause()).isEqualTo(1);
        assertThat(established.all(IeType.CREATED_PDR)).hasSize(1);
        int teid = life.chosenTeids.get("PDR 1");
        assertThat(life.send("gNB tunnel 1").cause()).isEqualTo(1);
        assertThat(life.send("handover 1").cause()).isEqualTo(1);
        assertThat(far(life, 1, 2)).isEqualTo(new OuterHeaderCreation(769, GNB));
        assertThat(life.send("idle 1").cause()).isEqualTo(1);
        assertThat(life.bench.userPlane.rules(life.seids.get(1)).pdrs()).isEmpty();
        assertThat(life.send("service request 1, up").cause()).isEqualTo(1);
        assertThat(life.send("service request 1, down").cause()).isEqualTo(1);
        assertThat(pdr(life.bench.userPlane.rules(life.seids.get(1)), 1)
                        .localFTeid()
                        .teid())
                .isEqualTo(teid);
        assertThat(life.send("delete 1").cause()).isEqualTo(1);
        assertThat(life.send("release").cause()).isEqualTo(1);
        assertThat(life.send("gNB tunnel 2").cause()).isEqualTo(72);
    }

    @Test
    void oaiSessionsWithGivenTunnelsNeedNoChange() {
        SmfLife life = new SmfLife("oai");
        life.send("association");
        life.send("heartbeat 1");
        refusedNaming(life.send("establish 1"), 73, IeType.URR_ID, 3, 1);
        assertThat(life.send("establish 2").cause()).isEqualTo(1);
        life.send("heartbeat 2");
        assertThat(life.send("gNB tunnel 2").cause()).isEqualTo(1);
        assertThat(far(life, 2, 2)).isEqualTo(new OuterHeaderCreation(514, GNB));
        assertThat(life.send("delete 2").cause()).isEqualTo(1);
    }

    private static void refusedNaming(RawPfcp.Read answer, int cause, int offendingIe, int ruleType, long ruleId) {
        assertThat(answer.cause()).isEqualTo(cause);
        assertThat(answer.offendingIe()).isEqualTo(offendingIe);
        ByteBuffer rule = ByteBuffer.wrap(answer.only(IeType.FAILED_RULE_ID));
        assertThat(rule.get()).isEqualTo((byte) ruleType);
        assertThat(rule.remaining() == 2 ? rule.getShort() : rule.getInt()).isEqualTo((int) ruleId);
    }

    private static OuterHeaderCreation far(SmfLife life, int session, long id) {
        Far far = life.bench.userPlane.rules(life.seids.get(session)).fars().stream()
                .filter(f -> f.id() == id)
                .findFirst()
                .orElseThrow();
        assertThat(far.action()).isEqualTo(Far.Action.FORWARD);
        return far.outerHeaderCreation();
    }

    private static Pdr pdr(SessionRules rules, int id) {
        return rules.pdrs().stream().filter(p -> p.id() == id).findFirst().orElseThrow();
    }
}
