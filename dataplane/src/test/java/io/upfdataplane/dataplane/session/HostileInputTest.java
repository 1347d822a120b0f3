package io.upfdataplane.dataplane.session;

import static io.upfdataplane.dataplane.pfcp.RawPfcp.ie;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.join;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.message;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.nodeMessage;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.text;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u16;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u32;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u40;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u64;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u8;
import static io.upfdataplane.dataplane.session.Sample.UE;
import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.handover.UserPlane;
import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile and malformed requests: each is answered with its cause and Offending IE, and changes nothing. */
class HostileInputTest {
    private final Sample sample = new Sample();
    private final N4Bench bench = new N4Bench();

    @BeforeEach
    void associate() {
        assertThat(bench.ask(sample.association()).cause()).isEqualTo(1);
    }

    private void refusesToEstablish(int cause, int offendingIe, byte[]... rules) {
        RawPfcp.Read answer = bench.ask(sample.establishment(7, rules));
        assertThat(answer.type()).isEqualTo(51);
        assertThat(answer.cause()).isEqualTo(cause);
        assertThat(answer.offendingIe()).isEqualTo(offendingIe);
        assertThat(answer.seid()).isEqualTo(7);
        assertThat(answer.has(57)).isFalse();
        assertThat(bench.userPlane.sessions()).isZero();
        assertThat(bench.userPlane.openPreparations()).isZero();
        assertThat(bench.snapshot().sessions()).isZero();
        // The same agent then takes the right one.
        long seid = Sample.seidOf(bench.ask(sample.establishment(8, UE, 256)));
        assertThat(bench.ask(sample.deletion(seid)).cause()).isEqualTo(1);
    }

    private static byte[] join4(byte[] a, byte[] b, byte[] c, byte[] d) {
        return join(a, b, c, d, Sample.qer(1));
    }

    private static byte[] withFar2(byte[] far) {
        return join4(Sample.uplinkPdr(1, Sample.fTeid(256)), Sample.downlinkPdr(2, UE), Sample.forward(1, 1), far);
    }

    private static byte[] withPdr1(byte[] pdr) {
        return join4(pdr, Sample.downlinkPdr(2, UE), Sample.forward(1, 1), Sample.forwardToTunnel(2, 513));
    }

    @Test
    void refusesAnOuterHeaderCreationOfEveryShortLength() {
        byte[] whole = join(u16(0x0100), u32(513), u32(Sample.SMF));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            refusesToEstablish(
                    68, 84, withFar2(ie(3, ie(108, u32(2)), ie(44, u8(2)), ie(4, ie(42, u8(0)), ie(84, cut)))));
        }
    }

    @Test
    void refusesAnOuterHeaderCreationThatNamesNoHeader() {
        refusesToEstablish(
                69, 84, withFar2(ie(3, ie(108, u32(2)), ie(44, u8(2)), ie(4, ie(42, u8(0)), ie(84, u16(0))))));
    }

    @Test
    void refusesAnFTeidShorterThanItsFlagsNeed() {
        byte[] whole = join(u8(1), u32(256), u32(N4Bench.N3));
        for (int length = 0; length < whole.length; length++) {
            refusesToEstablish(68, 21, withPdr1(Sample.uplinkPdr(1, ie(21, Arrays.copyOf(whole, length)))));
        }
        refusesToEstablish(68, 21, withPdr1(Sample.uplinkPdr(1, ie(21, u8(0x0d)))));
        refusesToEstablish(69, 21, withPdr1(Sample.uplinkPdr(1, ie(21, u8(0)))));
    }

    @Test
    void refusesAnMbrOfEveryShortLength() {
        byte[] whole = join(u40(1000), u40(1000));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            refusesToEstablish(
                    68,
                    26,
                    join(Sample.uplinkPdr(1, Sample.fTeid(256)), Sample.forward(1, 1), Sample.qer(1, ie(26, cut))));
        }
    }

    @Test
    void refusesAVolumeThresholdShorterThanItsFlagsNeed() {
        for (int flags = 1; flags < 8; flags++) {
            byte[] value = join(u8(flags), new byte[8 * Integer.bitCount(flags) - 1]);
            byte[] urr = ie(6, ie(81, u32(1)), ie(62, u8(2)), ie(37, u8(2)), ie(31, value));
            refusesToEstablish(68, 31, Sample.rules(UE, 256), urr);
        }
    }

    @Test
    void refusesANetworkInstanceWhoseLabelRunsPastIt() {
        refusesToEstablish(69, 22, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), ie(22, u8(9), text("internet")))));
        refusesToEstablish(69, 22, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), ie(22, u8(3), text("abc"), u8(5)))));
        refusesToEstablish(68, 22, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), ie(22))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "out ip from any to assigned",
                "permit",
                "permit out",
                "permit out ip",
                "permit out ip from",
                "permit out ip from any",
                "permit out ip from any to",
                "permit out ip any to assigned",
                "permit sideways ip from any to assigned",
                "permit out 256 from any to assigned",
                "permit out ip from 10.99.0 to assigned",
                "permit out ip from 10.99.0.256 to assigned",
                "permit out ip from 10.99.0.0/33 to assigned",
                "permit out ip from 10.99.0.0/ to assigned",
                "permit out udp from any 65536 to assigned",
                "permit out udp from any 20-10 to assigned",
                "permit out udp from any 99999999999999999999 to assigned",
                "deny out ip from any to assigned"
            })
    void refusesAnSdfThatIsNoFlowDescription(String description) {
        refusesToEstablish(69, 23, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), Sample.sdf(description))));
    }

    @Test
    void refusesAnSdfWhoseInnerLengthPassesItsEnd() {
        byte[] sdf = ie(23, u8(1), u8(0), u16(200), text("permit out ip from any to assigned"));
        refusesToEstablish(69, 23, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), sdf)));
        refusesToEstablish(68, 23, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), ie(23, u8(1), u8(0), u8(0)))));
        refusesToEstablish(68, 23, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), ie(23))));
    }

    /** H6: an empty description matches all, and so does «from any to any». */
    @Test
    void takesAnEmptyFlowDescriptionAsEverything() {
        long seid = Sample.seidOf(bench.ask(sample.establishment(
                9,
                join(
                        Sample.uplinkPdr(1, Sample.fTeid(256), Sample.sdf("permit out ip from any to any")),
                        Sample.downlinkPdr(2, UE, Sample.sdf("")),
                        Sample.forward(1, 1),
                        Sample.forwardToTunnel(2, 513),
                        Sample.qer(1)))));
        assertThat(bench.userPlane.rules(seid).pdrs())
                .allSatisfy(pdr -> assertThat(pdr.sdfFilters()).containsExactly(SdfFilter.ANY));
    }

    /** H1: 0 and 6 both take the outer header off; the second octet is read over. */
    @ParameterizedTest
    @CsvSource({"0,1", "6,1", "0,2", "6,2"})
    void removesTheOuterHeaderFor0And6(int description, int octets) {
        byte[] removal = ie(95, Arrays.copyOf(u8(description), octets));
        byte[] pdr = Sample.pdr(1, 1, join(ie(20, u8(0)), Sample.fTeid(256)), removal);
        long seid = Sample.seidOf(bench.ask(sample.establishment(9, pdr, Sample.forward(1, 1))));
        assertThat(bench.userPlane.rules(seid).pdrs().getFirst().removeOuterHeader())
                .isTrue();
    }

    /** H5: an update of a FAR that is not there is refused, naming it; the one that is there goes on, and can be stopped. */
    @Test
    void refusesToUpdateAnUnknownFarAndThenStopsTheKnownOne() {
        long seid = Sample.seidOf(bench.ask(sample.establishment(9, UE, 256)));
        SessionRules before = bench.userPlane.rules(seid);
        RawPfcp.Read refused = bench.ask(sample.modification(seid, Sample.updateFar(99, ie(44, u8(1)))));
        assertThat(refused.cause()).isEqualTo(73);
        assertThat(refused.only(114)).containsExactly(1, 0, 0, 0, 99);
        assertThat(bench.userPlane.rules(seid)).isEqualTo(before);
        assertThat(before.fars().getFirst().action()).isEqualTo(Far.Action.FORWARD);
        assertThat(bench.ask(sample.modification(seid, Sample.updateFar(1, ie(44, u8(1)))))
                        .cause())
                .isEqualTo(1);
        assertThat(bench.userPlane.rules(seid).fars().getFirst().action()).isEqualTo(Far.Action.DROP);
    }

    @Test
    void refusesACreatePdrWithoutItsMandatoryIes() {
        byte[] id = ie(56, u16(1));
        byte[] precedence = ie(29, u32(1));
        byte[] pdi = ie(2, ie(20, u8(0)), Sample.fTeid(256));
        byte[] far = ie(108, u32(1));
        refusesToEstablish(66, 108, ie(1, id, precedence, pdi), Sample.forward(1, 1));
        refusesToEstablish(66, 56, ie(1, precedence, pdi, far), Sample.forward(1, 1));
        refusesToEstablish(66, 29, ie(1, id, pdi, far), Sample.forward(1, 1));
        refusesToEstablish(66, 2, ie(1, id, precedence, far), Sample.forward(1, 1));
        refusesToEstablish(66, 20, ie(1, id, precedence, ie(2), far), Sample.forward(1, 1));
        refusesToEstablish(66, 20, ie(1, id, precedence, ie(2, Sample.fTeid(256)), far), Sample.forward(1, 1));
        refusesToEstablish(66, 1, Sample.forward(1, 1));
        refusesToEstablish(66, 3, Sample.uplinkPdr(1, Sample.fTeid(256)));
    }

    @Test
    void refusesACreatePdrInAModificationWithoutItsMandatoryIes() {
        long seid = Sample.seidOf(bench.ask(sample.establishment(9, UE, 256)));
        SessionRules before = bench.userPlane.rules(seid);
        RawPfcp.Read answer = bench.ask(sample.modification(seid, ie(1, ie(56, u16(9)))));
        assertThat(answer.cause()).isEqualTo(66);
        assertThat(answer.offendingIe()).isEqualTo(29);
        assertThat(answer.seid()).isEqualTo(9);
        assertThat(bench.userPlane.rules(seid)).isEqualTo(before);
    }

    @Test
    void refusesADestinationInterfaceThatDoesNotExistAndTakes2AsN6() {
        refusesToEstablish(69, 42, withFar2(ie(3, ie(108, u32(2)), ie(44, u8(2)), ie(4, ie(42, u8(0x99))))));
        long seid = Sample.seidOf(bench.ask(
                sample.establishment(9, Sample.uplinkPdr(1, Sample.fTeid(256)), Sample.forward(1, 2), Sample.qer(1))));
        assertThat(bench.userPlane.rules(seid).fars().getFirst().destination().name())
                .isEqualTo("SGI_LAN_N6_LAN");
    }

    @Test
    void takesTheHighestIds() {
        byte[] pdr = ie(
                1,
                ie(56, u16(0xffff)),
                ie(29, u32(0xffffffffL)),
                ie(2, ie(20, u8(0)), Sample.fTeid(-1)),
                ie(108, u32(-1)),
                ie(109, u32(-1)));
        byte[] urr = ie(6, ie(81, u32(65535)), ie(62, u8(2)), ie(37, u8(2)));
        byte[] far = ie(3, ie(108, u32(-1)), ie(44, u8(2)), ie(4, ie(42, u8(1))));
        long seid = Sample.seidOf(bench.ask(sample.establishment(9, pdr, far, Sample.qer(-1), urr)));
        SessionRules rules = bench.userPlane.rules(seid);
        assertThat(rules.pdrs().getFirst().id()).isEqualTo(0xffff);
        assertThat(rules.pdrs().getFirst().precedence()).isEqualTo(0xffffffffL);
        assertThat(rules.pdrs().getFirst().farId()).isEqualTo(0xffffffffL);
        assertThat(rules.fars().getFirst().id()).isEqualTo(0xffffffffL);
    }

    @ParameterizedTest
    @CsvSource({"0,69", "6,69", "7,69"})
    void refusesAnUnknownPdnType(int type, int cause) {
        refusesToEstablish(cause, 113, Sample.rules(UE, 256), ie(113, u8(type)));
    }

    @Test
    void refusesAPdnTypeOfLength0() {
        refusesToEstablish(68, 113, Sample.rules(UE, 256), ie(113));
    }

    @Test
    void answers65ForASeidOfNobody() {
        for (long seid : new long[] {-1, 0, 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThat(bench.ask(sample.modification(seid)).cause()).isEqualTo(65);
            RawPfcp.Read answer = bench.ask(sample.deletion(seid));
            assertThat(answer.cause()).isEqualTo(65);
            assertThat(answer.seid()).isZero();
        }
    }

    @Test
    void answers65ToAnotherSmf() {
        long seid = Sample.seidOf(bench.ask(sample.establishment(9, UE, 256)));
        assertThat(bench.ask(sample.deletion(seid), N4Bench.OTHER).cause()).isEqualTo(65);
        bench.ask(sample.association(0x0a210009, 5), N4Bench.OTHER);
        assertThat(bench.ask(sample.deletion(seid), N4Bench.OTHER).cause()).isEqualTo(65);
        assertThat(bench.ask(sample.modification(seid, Sample.updateFar(1, ie(44, u8(1)))), N4Bench.OTHER)
                        .cause())
                .isEqualTo(65);
        assertThat(bench.userPlane.rules(seid).fars().getFirst().action()).isEqualTo(Far.Action.FORWARD);
        assertThat(bench.ask(sample.deletion(seid)).cause()).isEqualTo(1);
    }

    @Test
    void answers72WithoutAnAssociation() {
        N4Bench fresh = new N4Bench();
        assertThat(fresh.ask(sample.establishment(9, UE, 256)).cause()).isEqualTo(72);
        assertThat(fresh.ask(sample.modification(1)).cause()).isEqualTo(72);
        assertThat(fresh.ask(sample.deletion(1)).cause()).isEqualTo(72);
        assertThat(fresh.ask(sample.release(Sample.SMF)).cause()).isEqualTo(72);
    }

    @Test
    void answersAHeartbeatWhateverIsInIt() {
        for (byte[] ies : List.of(new byte[0], ie(96), ie(96, u16(1)), new byte[] {0, 96, 0}, new byte[] {1})) {
            RawPfcp.Read answer = bench.ask(nodeMessage(1, sample.nextSequence(), ies));
            assertThat(answer.type()).isEqualTo(2);
        }
    }

    @Test
    void refusesUpdatesAndRemovalsOfRulesThatDoNotExist() {
        long seid = Sample.seidOf(bench.ask(sample.establishment(9, UE, 256)));
        SessionRules before = bench.userPlane.rules(seid);
        record Case(byte[] ie, int... failedRule) {}
        List<Case> cases = List.of(
                new Case(ie(9, ie(56, u16(9))), 0, 0, 9),
                new Case(ie(10, ie(108, u32(9)), ie(44, u8(1))), 1, 0, 0, 0, 9),
                new Case(ie(14, ie(109, u32(9))), 2, 0, 0, 0, 9),
                new Case(ie(13, ie(81, u32(9))), 3, 0, 0, 0, 9),
                new Case(ie(77, ie(81, u32(9))), 3, 0, 0, 0, 9),
                new Case(ie(86, ie(88, u8(9))), 4, 9),
                new Case(ie(15, ie(56, u16(9))), 0, 0, 9),
                new Case(ie(16, ie(108, u32(9))), 1, 0, 0, 0, 9),
                new Case(ie(18, ie(109, u32(9))), 2, 0, 0, 0, 9),
                new Case(ie(17, ie(81, u32(9))), 3, 0, 0, 0, 9),
                new Case(ie(87, ie(88, u8(9))), 4, 9));
        for (Case it : cases) {
            // A good change stands before the bad one: neither may take effect.
            RawPfcp.Read answer = bench.ask(sample.modification(seid, Sample.updateFar(1, ie(44, u8(1))), it.ie));
            assertThat(answer.cause()).isEqualTo(73);
            byte[] rule = answer.only(114);
            assertThat(IntStream.range(0, rule.length).map(i -> rule[i]).toArray())
                    .isEqualTo(it.failedRule);
            assertThat(bench.userPlane.rules(seid)).isEqualTo(before);
        }
    }

    @Test
    void refusesToLeaveAPdrWithoutItsFarOrQer() {
        long seid = Sample.seidOf(bench.ask(sample.establishment(9, UE, 256)));
        for (byte[] removal : List.of(ie(16, ie(108, u32(1))), ie(18, ie(109, u32(1))))) {
            RawPfcp.Read answer = bench.ask(sample.modification(seid, removal));
            assertThat(answer.cause()).isEqualTo(73);
            assertThat(answer.only(114)[0]).isZero();
        }
        assertThat(bench.userPlane.rules(seid).fars()).hasSize(2);
    }

    @Test
    void answers75BeyondTheLastSessionAndThenServesOn() {
        N4Bench small = new N4Bench(N4Bench.settings(N4Settings.Role.PASSIVE, List.of(), 3));
        small.ask(sample.association());
        long first = Sample.seidOf(small.ask(sample.establishment(1, UE, 256)));
        Sample.seidOf(small.ask(sample.establishment(2, UE + 1, 320)));
        Sample.seidOf(small.ask(sample.establishment(3, UE + 2, 384)));
        for (int i = 4; i < 40; i++) {
            assertThat(small.ask(sample.establishment(i, UE + i, 1000 + i)).cause())
                    .isEqualTo(75);
        }
        assertThat(small.ask(sample.deletion(first)).cause()).isEqualTo(1);
        assertThat(small.ask(sample.establishment(99, UE + 9, 448)).cause()).isEqualTo(1);
        assertThat(small.userPlane.sessions()).isEqualTo(3);
    }

    @Test
    void boundsTheRulesOfASessionAndTheSizeOfAMessage() {
        byte[] pdrs = new byte[0];
        for (int i = 1; i <= 65; i++) {
            pdrs = join(pdrs, Sample.uplinkPdr(i, Sample.fTeid(256)));
        }
        refusesToEstablish(75, 1, pdrs, Sample.forward(1, 1), Sample.qer(1));
        byte[] padding = ie(0x7ff0, new byte[17_000]);
        refusesToEstablish(75, 0, Sample.rules(UE, 256), padding);
    }

    @Test
    void refusesAnFTeidThatIsNotOursAndSaysWhichIs() {
        refusesToEstablish(69, 21, withPdr1(Sample.uplinkPdr(1, ie(21, u8(1), u32(256), u32(0x0a210063)))));
        refusesToEstablish(69, 21, withPdr1(Sample.uplinkPdr(1, ie(21, u8(1), u32(0), u32(N4Bench.N3)))));
    }

    @Test
    void refusesAUeAddressOutsideThePools() {
        refusesToEstablish(
                69,
                93,
                join4(
                        Sample.uplinkPdr(1, Sample.fTeid(256)),
                        Sample.downlinkPdr(2, 0x0a3d0001),
                        Sample.forward(1, 1),
                        Sample.forwardToTunnel(2, 513)));
    }

    @Test
    void refusesATeidOrUeAddressOfAnotherSession() {
        Sample.seidOf(bench.ask(sample.establishment(1, UE, 256)));
        RawPfcp.Read sameTeid = bench.ask(sample.establishment(2, UE + 1, 256));
        assertThat(sameTeid.cause()).isEqualTo(73);
        assertThat(sameTeid.offendingIe()).isEqualTo(21);
        RawPfcp.Read sameUe = bench.ask(sample.establishment(3, UE, 320));
        assertThat(sameUe.cause()).isEqualTo(73);
        assertThat(sameUe.offendingIe()).isEqualTo(93);
        assertThat(sameUe.only(114)).containsExactly(0, 0, 2);
        assertThat(bench.userPlane.sessions()).isEqualTo(1);
    }

    @Test
    void saysWhatTheUserPlaneRefuses() {
        bench.userPlane.refuseNext(
                new UserPlane.RulesRefused(UserPlane.Reason.NO_RESOURCES, "QER", 5, "no token bucket is free"));
        RawPfcp.Read answer = bench.ask(sample.establishment(1, UE, 256));
        assertThat(answer.cause()).isEqualTo(75);
        assertThat(answer.only(114)).containsExactly(2, 0, 0, 0, 5);
        assertThat(bench.ask(sample.establishment(2, UE, 256)).cause()).isEqualTo(1);
    }

    @Test
    void refusesTwoRulesOfOneIdInOneMessage() {
        refusesToEstablish(73, 3, Sample.rules(UE, 256), Sample.forward(1, 1));
        refusesToEstablish(73, 1, Sample.rules(UE, 256), Sample.uplinkPdr(1, Sample.fTeid(256)));
        refusesToEstablish(73, 7, Sample.rules(UE, 256), Sample.qer(1));
    }

    @Test
    void answersAnotherVersionOnceAndNeverItsAnswer() {
        byte[] request = sample.heartbeat(1);
        request[0] = 0x40;
        List<N4Bench.Sent> answers = bench.send(request, N4Bench.SMF);
        assertThat(answers).hasSize(1);
        assertThat(answers.getFirst().bytes()).startsWith(0x20, 11, 0, 4);
        assertThat(ByteBuffer.wrap(answers.getFirst().bytes()).getInt(4))
                .isEqualTo(ByteBuffer.wrap(request).getInt(4));
        request[1] = 11;
        assertThat(bench.send(request, N4Bench.SMF)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 7, 14, 16})
    void answers76ToServicesThatAreNotBuilt(int type) {
        RawPfcp.Read answer = bench.ask(nodeMessage(type, sample.nextSequence(), Sample.nodeId(Sample.SMF)));
        assertThat(answer.type()).isEqualTo(type + 1);
        assertThat(answer.cause()).isEqualTo(76);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 6, 8, 10, 12, 13, 51, 53, 55, 56, 57, 99, 255})
    void discardsWhatNobodyAsked(int type) {
        assertThat(bench.send(message(type, 1, sample.nextSequence(), ie(19, u8(1))), N4Bench.SMF))
                .isEmpty();
        assertThat(bench.ask(sample.heartbeat(1)).type()).isEqualTo(2);
    }

    @Test
    void refusesAnAssociationWithoutItsMandatoryIes() {
        RawPfcp.Read noNode = bench.ask(nodeMessage(5, 900, ie(96, u32(1))));
        assertThat(noNode.cause()).isEqualTo(66);
        assertThat(noNode.offendingIe()).isEqualTo(60);
        RawPfcp.Read noStamp = bench.ask(nodeMessage(5, 901, Sample.nodeId(0x0a210009)));
        assertThat(noStamp.cause()).isEqualTo(66);
        assertThat(noStamp.offendingIe()).isEqualTo(96);
        RawPfcp.Read badNode = bench.ask(nodeMessage(5, 902, ie(60, u8(7), u32(1)), ie(96, u32(1))));
        assertThat(badNode.cause()).isEqualTo(69);
        assertThat(bench.snapshot().peers()).hasSize(1);
    }

    @Test
    void ignoresUnknownIesWhereverTheyStand() {
        byte[] unknown = ie(0x7fee, u64(1));
        byte[] vendor = ie(0x8001, u16(9999), u64(1));
        byte[] pdr = ie(
                1,
                unknown,
                ie(56, u16(1)),
                ie(29, u32(1)),
                ie(2, vendor, ie(20, u8(0)), Sample.fTeid(256), unknown),
                ie(108, u32(1)),
                vendor);
        byte[] far = ie(3, ie(108, u32(1)), unknown, ie(44, u8(2)), ie(4, vendor, ie(42, u8(1))));
        assertThat(bench.ask(sample.establishment(9, unknown, pdr, far, vendor)).cause())
                .isEqualTo(1);
    }

    @Test
    void takesSeveralSdfFiltersInOnePdrUpToABound() {
        byte[] filter = Sample.sdf("permit out udp from 10.99.0.2 6000 to assigned");
        byte[] four = join(filter, Sample.sdf("permit out 6 from any to any"), filter, filter);
        long seid = Sample.seidOf(bench.ask(sample.establishment(
                9, Sample.uplinkPdr(1, Sample.fTeid(256), four), Sample.forward(1, 1), Sample.qer(1))));
        assertThat(bench.userPlane.rules(seid).pdrs().getFirst().sdfFilters()).hasSize(4);
        bench.ask(sample.deletion(seid));
        refusesToEstablish(75, 23, withPdr1(Sample.uplinkPdr(1, Sample.fTeid(256), four, four, four, four, filter)));
    }
}
