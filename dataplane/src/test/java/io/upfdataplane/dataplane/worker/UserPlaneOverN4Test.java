package io.upfdataplane.dataplane.worker;

import static io.upfdataplane.dataplane.pfcp.RawPfcp.ie;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.join;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u16;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u32;
import static io.upfdataplane.dataplane.pfcp.RawPfcp.u8;
import static io.upfdataplane.dataplane.worker.PathFixture.FIRST_UE;
import static io.upfdataplane.dataplane.worker.PathFixture.SERVER;
import static io.upfdataplane.dataplane.worker.PathFixture.fromGnb;
import static io.upfdataplane.dataplane.worker.PathFixture.fromServer;
import static io.upfdataplane.dataplane.worker.PathFixture.hex;
import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.pfcp.RawPfcp;
import io.upfdataplane.dataplane.pfcp.SmfMessages;
import io.upfdataplane.dataplane.pfcp.SmfScript;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.session.N4Agent;
import io.upfdataplane.dataplane.session.N4Settings;
import io.upfdataplane.dataplane.session.Sample;
import io.upfdataplane.dataplane.testbed.Frames;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From PFCP bytes to packets: the agent and the workers over the user plane they share. */
class UserPlaneOverN4Test {
    private static final int MAX_SESSIONS = 3;
    private static final int TEID = 256;
    private static final InetSocketAddress SMF = new InetSocketAddress("10.33.0.2", 8805);
    private static final InetSocketAddress OTHER = new InetSocketAddress("10.33.0.9", 8805);
    private static final UnaryOperator<byte[]> NO_USAGE_REPORTS = bytes -> RawPfcp.without(bytes, 6, 13, 81, 77);

    private final PathFixture path = new PathFixture(2, MAX_SESSIONS);
    private final Sample sample = new Sample();
    private final List<byte[]> sent = new ArrayList<>();
    private N4Agent agent;

    @BeforeEach
    void begin() {
        N4Settings.Retries retries = new N4Settings.Retries(Duration.ofSeconds(5), 3);
        N4Settings settings = new N4Settings(
                "10.33.0.1",
                PathFixture.N3,
                List.of(PathFixture.N3),
                N4Settings.Role.PASSIVE,
                List.of(),
                retries,
                Duration.ofSeconds(10),
                retries,
                MAX_SESSIONS,
                List.of(new N4Settings.Prefix(Frames.ipv4("10.60.0.0"), 16)),
                N4Settings.Limits.DEFAULT);
        agent = new N4Agent(settings, path.plane, (to, bytes) -> sent.add(bytes), 1, () -> Instant.EPOCH, 0);
    }

    @AfterEach
    void booksClose() {
        path.assertBooksClose();
        path.close();
    }

    private RawPfcp.Read ask(byte[] request) {
        return ask(request, SMF);
    }

    private RawPfcp.Read ask(byte[] request, InetSocketAddress from) {
        sent.clear();
        agent.handle(request, request.length, from, 0);
        assertThat(sent).hasSize(1);
        return RawPfcp.read(sent.getFirst());
    }

    private void accepts(byte[] request) {
        assertThat(ask(request).cause()).isEqualTo(1);
    }

    private long established(byte[]... rules) {
        accepts(sample.association());
        return Sample.seidOf(ask(sample.establishment(7, rules)));
    }

    /** What leaves on N6, as IP, when this GTP-U packet comes. */
    private byte[] uplink(byte[] gtpu) {
        byte[] frame = path.through(Leg.N3, Leg.N6, fromGnb(gtpu));
        return frame.length == 0 ? frame : Arrays.copyOfRange(frame, 14, frame.length);
    }

    /** What leaves on N3, as GTP-U, when this IP packet comes. */
    private byte[] downlink(byte[] packet) {
        byte[] frame = path.through(Leg.N6, Leg.N3, fromServer(packet));
        return frame.length == 0 ? frame : Arrays.copyOfRange(frame, 42, frame.length);
    }

    private static byte[] tcp(int source, int sourcePort, int destination, int destinationPort) {
        byte[] segment = join(u16(sourcePort), u16(destinationPort), new byte[8], u8(0x50), new byte[7]);
        return Frames.ipv4(source, destination, 6, segment);
    }

    private void passes(String packet) {
        SmfMessages.Packet handed = SmfMessages.packet(packet);
        boolean isDownlink = packet.startsWith("dl");
        byte[] out = isDownlink ? downlink(handed.in()) : uplink(handed.in());
        assertThat(hex(out)).as(packet).isEqualTo(hex(handed.out()));
    }

    private void passesBothWays() {
        passes("ul qfi 9");
        assertThat(downlink(SmfMessages.packet("dl").in())).isNotEmpty();
    }

    private void stopsBothWays(Verdict uplink, Verdict downlink) {
        long up = path.verdict(Direction.UPLINK, uplink);
        long down = path.verdict(Direction.DOWNLINK, downlink);
        assertThat(uplink(SmfMessages.packet("ul qfi 9").in())).isEmpty();
        assertThat(downlink(SmfMessages.packet("dl").in())).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, uplink)).isEqualTo(up + 1);
        assertThat(path.verdict(Direction.DOWNLINK, downlink)).isEqualTo(down + 1);
    }

    @Test
    void theHandedPacketsPassAfterTheRulesOfFree5gc() {
        SmfScript smf = new SmfScript("free5gc", NO_USAGE_REPORTS, this::ask);
        smf.send("association");
        assertThat(smf.send("establish 1").cause()).isEqualTo(1);
        passes("ul plain");
        // Its FAR is FORW to Access and knows no tunnel yet.
        assertThat(downlink(SmfMessages.packet("dl").in())).isEmpty();
        assertThat(path.verdict(Direction.DOWNLINK, Verdict.NO_ROUTE)).isEqualTo(1);
        assertThat(smf.send("gNB tunnel 1").cause()).isEqualTo(1);
        for (String name : List.of("ul plain", "ul qfi 9", "ul sequence", "ul two extensions", "dl")) {
            passes(name);
        }
        smf.send("delete 1");
        stopsBothWays(Verdict.UNKNOWN_TEID, Verdict.UNKNOWN_UE);
        assertThat(path.plane.sessions()).isZero();
    }

    /** The gNB's TEID and the QFI of the container (none: −1) of each flavour's first session. */
    @ParameterizedTest
    @CsvSource({"free5gc,513,9", "oai,513,-1", "sdcore,513,9", "pfcpsim,257,9"})
    void packetsOfEachFlavourLeaveByItsTunnel(String flavour, int gnbTeid, int qfi) {
        SmfScript smf = new SmfScript(flavour, NO_USAGE_REPORTS, this::ask);
        smf.send("association");
        assertThat(smf.send("establish 1").cause()).isEqualTo(1);
        assertThat(smf.send("gNB tunnel 1").cause()).isEqualTo(1);
        byte[] in = SmfMessages.packet("ul qfi 9").in().clone();
        System.arraycopy(u32(smf.chosenTeids.getOrDefault("PDR 1", TEID)), 0, in, 4, 4);
        assertThat(hex(uplink(in))).isEqualTo(hex(SmfMessages.packet("ul qfi 9").out()));
        byte[] out = downlink(SmfMessages.packet("dl").in());
        byte[] inner = SmfMessages.packet("dl").in();
        assertThat(hex(Arrays.copyOfRange(out, 4, 8))).isEqualTo(hex(u32(gnbTeid)));
        assertThat(hex(Arrays.copyOfRange(out, 8, out.length - inner.length)))
                .isEqualTo(qfi < 0 ? "" : "00000085" + "0100" + hex(u8(qfi)) + "00");
        assertThat(hex(Arrays.copyOfRange(out, out.length - inner.length, out.length)))
                .isEqualTo(hex(inner));
        smf.send("delete 1");
        assertThat(uplink(in)).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.UNKNOWN_TEID)).isEqualTo(1);
    }

    @Test
    void aRefusedEstablishmentLetsNothingThrough() {
        for (String flavour : List.of("free5gc", "open5gs")) {
            SmfScript smf = new SmfScript(flavour, bytes -> bytes, this::ask);
            smf.send("association");
            assertThat(smf.send("establish 1").cause()).isEqualTo(73);
            stopsBothWays(Verdict.UNKNOWN_TEID, Verdict.UNKNOWN_UE);
        }
    }

    /** pfcpsim turns a «deny» into closed gates: its TEID 268 is for UE ports 80 to 88. */
    @Test
    void aClosedGateStopsItsFlowAndNoOther() {
        SmfScript smf = new SmfScript("pfcpsim", bytes -> bytes, this::ask);
        smf.send("association");
        assertThat(smf.send("establish 2").cause()).isEqualTo(1);
        int ue = FIRST_UE + 1;
        int server = Frames.ipv4("10.99.0.2");
        assertThat(uplink(Frames.gpdu(266, 9, Frames.udp(ue, server, 80, 6000, new byte[4]))))
                .isNotEmpty();
        assertThat(uplink(Frames.gpdu(268, 9, Frames.udp(ue, server, 80, 6000, new byte[4]))))
                .isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.GATE_CLOSED)).isEqualTo(1);
    }

    /** H1. */
    @ParameterizedTest
    @ValueSource(ints = {0, 6})
    void decapsulatesForOuterHeaderRemoval0And6(int description) {
        byte[] pdi = join(ie(20, u8(0)), Sample.fTeid(TEID));
        established(Sample.pdr(1, 1, pdi, ie(95, u8(description))), Sample.forward(1, 1));
        passes("ul plain");
    }

    /** H2. */
    @Test
    void takesAUeAddressFromCoreAsTheDestination() {
        established(Sample.rules(FIRST_UE, TEID));
        passes("ul plain");
        assertThat(downlink(SmfMessages.packet("dl").in())).isNotEmpty();
    }

    /** H3. */
    @Test
    void matchesThePortsOfAFlowDescription() {
        byte[] filter = Sample.sdf("permit out tcp from 10.99.0.2 20000 to assigned 21000");
        established(Sample.downlinkPdr(2, FIRST_UE, filter), Sample.forwardToTunnel(2, 513), Sample.qer(1));
        byte[] right = tcp(SERVER, 20000, FIRST_UE, 21000);
        byte[] out = downlink(right);
        assertThat(hex(out)).endsWith(hex(right));
        assertThat(hex(Arrays.copyOfRange(out, 4, 8))).isEqualTo("00000201");
        assertThat(downlink(tcp(SERVER, 20001, FIRST_UE, 21000))).isEmpty();
        assertThat(downlink(tcp(SERVER, 20000, FIRST_UE, 21001))).isEmpty();
        assertThat(downlink(Frames.udp(SERVER, FIRST_UE, 20000, 21000, new byte[4])))
                .isEmpty();
        assertThat(path.verdict(Direction.DOWNLINK, Verdict.NO_PDR)).isEqualTo(3);
    }

    /** H4. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void answersAnEchoRequestWithAndWithoutASession(boolean withSession) {
        if (withSession) {
            established(Sample.rules(FIRST_UE, TEID));
        }
        SmfMessages.Packet echo = SmfMessages.packet("echo");
        byte[] out = path.through(Leg.N3, Leg.N3, fromGnb(echo.in(), 40_000));
        assertThat(hex(Arrays.copyOfRange(out, 42, out.length))).isEqualTo(hex(echo.out()));
        assertThat(hex(Arrays.copyOfRange(out, 34, 38))).isEqualTo("08689c40");
    }

    /** H5. */
    @Test
    void anUpdateOfAnUnknownFarChangesNothingAndOneOfAKnownFarStopsTraffic() {
        long seid = established(Sample.rules(FIRST_UE, TEID));
        RawPfcp.Read refused = ask(sample.modification(seid, Sample.updateFar(99, ie(44, u8(1)))));
        assertThat(refused.cause()).isEqualTo(73);
        assertThat(refused.only(114)).containsExactly(1, 0, 0, 0, 99);
        passesBothWays();
        accepts(sample.modification(seid, Sample.updateFar(1, ie(44, u8(1)))));
        assertThat(uplink(SmfMessages.packet("ul plain").in())).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.FAR_DROP)).isEqualTo(1);
        accepts(sample.modification(seid, Sample.updateFar(1, ie(44, u8(2)))));
        passes("ul plain");
    }

    /** H6. */
    @Test
    void anEmptyFlowDescriptionAndAnyToAnyMatchAll() {
        established(
                Sample.uplinkPdr(1, Sample.fTeid(TEID), Sample.sdf("permit out ip from any to any")),
                Sample.downlinkPdr(2, FIRST_UE, Sample.sdf("")),
                Sample.forward(1, 1),
                Sample.forwardToTunnel(2, 513),
                Sample.qer(1));
        passesBothWays();
        assertThat(downlink(tcp(SERVER, 1, FIRST_UE, 2))).isNotEmpty();
        assertThat(downlink(Frames.ipv4(SERVER, FIRST_UE, 1, new byte[8]))).isNotEmpty();
    }

    @Test
    void aPdrWithoutAFarIsRefusedAndItsTeidStaysUnknown() {
        accepts(sample.association());
        byte[] pdi = ie(2, ie(20, u8(0)), Sample.fTeid(TEID));
        RawPfcp.Read answer = ask(sample.establishment(7, ie(1, ie(56, u16(1)), ie(29, u32(1)), pdi)));
        assertThat(answer.cause()).isEqualTo(66);
        assertThat(answer.offendingIe()).isEqualTo(108);
        stopsBothWays(Verdict.UNKNOWN_TEID, Verdict.UNKNOWN_UE);
    }

    @Test
    void destinationInterface2LeavesByN6AndANumberThatIsNoneIsRefused() {
        accepts(sample.association());
        byte[] pdr = Sample.uplinkPdr(1, Sample.fTeid(TEID));
        RawPfcp.Read answer = ask(sample.establishment(7, pdr, Sample.forward(1, 0x99), Sample.qer(1)));
        assertThat(answer.cause()).isEqualTo(69);
        assertThat(answer.offendingIe()).isEqualTo(42);
        assertThat(uplink(SmfMessages.packet("ul plain").in())).isEmpty();
        accepts(sample.establishment(7, pdr, Sample.forward(1, 2), Sample.qer(1)));
        passes("ul plain");
    }

    @Test
    void aSessionWithoutPdrsStaysAndTakesNewOnes() {
        long seid = established(Sample.rules(FIRST_UE, TEID));
        passesBothWays();
        accepts(sample.modification(seid, ie(15, ie(56, u16(1))), ie(15, ie(56, u16(2)))));
        stopsBothWays(Verdict.UNKNOWN_TEID, Verdict.UNKNOWN_UE);
        assertThat(path.plane.sessions()).isEqualTo(1);
        accepts(sample.modification(seid, Sample.uplinkPdr(1, Sample.fTeid(TEID)), Sample.downlinkPdr(2, FIRST_UE)));
        passesBothWays();
    }

    @Test
    void aStrangersMessagesAndRulesDoNotTouchTraffic() {
        long seid = established(Sample.rules(FIRST_UE, TEID));
        byte[] drop = Sample.updateFar(1, ie(44, u8(1)));
        ask(sample.association(Frames.ipv4("10.33.0.9"), 5), OTHER);
        assertThat(ask(sample.modification(seid, drop), OTHER).cause()).isEqualTo(65);
        assertThat(ask(sample.deletion(seid), OTHER).cause()).isEqualTo(65);
        for (byte[] rules : List.of(Sample.rules(FIRST_UE, TEID + 1), Sample.rules(FIRST_UE + 1, TEID))) {
            byte[] establishment = sample.establishment(8, rules);
            assertThat(ask(establishment, OTHER).cause()).isEqualTo(73);
            passesBothWays();
        }
        assertThat(path.plane.sessions()).isEqualTo(1);
    }

    @Test
    void theSessionBeyondTheLimitGets75AndTheOneAfterADeletionIsServedAtOnce() {
        accepts(sample.association());
        List<Long> seids = new ArrayList<>();
        for (int i = 0; i < MAX_SESSIONS; i++) {
            seids.add(Sample.seidOf(ask(sample.establishment(i, FIRST_UE + i, TEID + i))));
        }
        assertThat(ask(sample.establishment(9, FIRST_UE + 9, TEID + 9)).cause()).isEqualTo(75);
        passesBothWays();
        accepts(sample.deletion(seids.get(0)));
        accepts(sample.establishment(9, FIRST_UE + 9, TEID + 9));
        assertThat(uplink(Frames.gpdu(TEID + 9, 9, tcp(FIRST_UE + 9, 1, SERVER, 2))))
                .isNotEmpty();
        stopsBothWays(Verdict.UNKNOWN_TEID, Verdict.UNKNOWN_UE);
    }

    @Test
    void aFloodOfErrorIndicationsStopsNothing() {
        established(Sample.rules(FIRST_UE, TEID));
        byte[] indication = SmfMessages.packet("error indication in").in();
        for (int i = 0; i < 1000; i++) {
            assertThat(uplink(indication)).isEmpty();
        }
        assertThat(path.verdict(Direction.UPLINK, Verdict.GTPU_ERROR_INDICATION))
                .isEqualTo(1000);
        passesBothWays();
    }

    @Test
    void aNewAssociationAndAReleaseStopTheTrafficOfTheirSessions() {
        established(Sample.rules(FIRST_UE, TEID));
        accepts(sample.association(Sample.SMF, 9));
        stopsBothWays(Verdict.UNKNOWN_TEID, Verdict.UNKNOWN_UE);
        accepts(sample.establishment(7, Sample.rules(FIRST_UE, TEID)));
        passesBothWays();
        accepts(sample.release(Sample.SMF));
        stopsBothWays(Verdict.UNKNOWN_TEID, Verdict.UNKNOWN_UE);
        assertThat(path.plane.sessions()).isZero();
    }
}
