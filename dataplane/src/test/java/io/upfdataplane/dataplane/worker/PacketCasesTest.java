package io.upfdataplane.dataplane.worker;

import static io.upfdataplane.dataplane.testbed.Frames.ipv4;
import static io.upfdataplane.dataplane.worker.PathFixture.FIRST_TEID;
import static io.upfdataplane.dataplane.worker.PathFixture.FIRST_UE;
import static io.upfdataplane.dataplane.worker.PathFixture.N3;
import static io.upfdataplane.dataplane.worker.PathFixture.SERVER;
import static io.upfdataplane.dataplane.worker.PathFixture.bytes;
import static io.upfdataplane.dataplane.worker.PathFixture.downlinkPdr;
import static io.upfdataplane.dataplane.worker.PathFixture.drop;
import static io.upfdataplane.dataplane.worker.PathFixture.fromGnb;
import static io.upfdataplane.dataplane.worker.PathFixture.fromServer;
import static io.upfdataplane.dataplane.worker.PathFixture.hex;
import static io.upfdataplane.dataplane.worker.PathFixture.qer;
import static io.upfdataplane.dataplane.worker.PathFixture.session;
import static io.upfdataplane.dataplane.worker.PathFixture.toCore;
import static io.upfdataplane.dataplane.worker.PathFixture.toGnb;
import static io.upfdataplane.dataplane.worker.PathFixture.uplinkPdr;
import static io.upfdataplane.dataplane.worker.PathFixture.withFilter;
import static io.upfdataplane.dataplane.worker.PathFixture.withQfi;
import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Link;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.handover.UserPlane.SessionCounters;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.testbed.Frames;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes in, a verdict, bytes out; one worker. */
class PacketCasesTest {
    /** UDP 10.60.0.1:5000 → 10.99.0.2:6000. */
    private static final String INNER_UPLINK =
            "4500002400014000401126270a3c00010a63000213881770001056bd75702d6361736530";

    /** UDP 10.99.0.2:6000 → 10.60.0.1:5000. */
    private static final String INNER_DOWNLINK =
            "4500002400014000401126270a6300020a3c000117701388001067bf646e2d6361736530";

    private static final String TO_SERVER = "020000000004" + "020000000003" + "0800";

    private final PathFixture path = new PathFixture(1);

    @AfterEach
    void booksCloseAndNoFrameIsLost() {
        path.assertBooksClose();
        path.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "plain header,            30ff002400000100",
        "QFI 9,                   34ff002c000001000000008501100900",
        "sequence number,         32ff00280000010012340000",
        "N-PDU number,            31ff00280000010000005500",
        "two extension headers,   36ff0030000001000001002001000085011009" + "00",
    })
    void decapsulatesOntoN6(String name, String gtpuHeader) {
        path.establish(session(0, 0));
        byte[] out = path.through(Leg.N3, Leg.N6, fromGnb(bytes(gtpuHeader + INNER_UPLINK)));
        assertThat(hex(out)).isEqualTo(TO_SERVER + INNER_UPLINK);
        assertThat(path.verdict(Direction.UPLINK, Verdict.FORWARDED)).isEqualTo(1);
    }

    @Test
    void encapsulatesTowardsTheGnb() {
        path.establish(session(1, 0));
        path.establish(session(0, 0));
        byte[] out = path.through(Leg.N6, Leg.N3, fromServer(bytes(INNER_DOWNLINK)));
        assertThat(hex(Arrays.copyOf(out, 14))).isEqualTo("020000000001" + "020000000002" + "0800");
        assertThat(Frames.checksum(out, 14, 20, 0)).as("outer IPv4 checksum").isZero();
        String outer = hex(Arrays.copyOfRange(out, 14, 34));
        // Version, total length; identification is any; no DF; TTL 64, UDP; checksum seen above; addresses.
        assertThat(outer.substring(0, 8)).isEqualTo("45000050");
        assertThat(outer.substring(12, 20)).isEqualTo("00004011");
        assertThat(outer.substring(24)).isEqualTo("0a2100010a210002");
        assertThat(hex(Arrays.copyOfRange(out, 34, out.length)))
                .isEqualTo("08680868" + "003c" + "0000" + "34ff002c0000020000000085" + "01000900" + INNER_DOWNLINK);
    }

    @Test
    void leavesOutTheContainerWithoutAQfi() {
        SessionRules rules = session(0, 0);
        path.establish(new SessionRules(1, rules.pdrs(), rules.fars(), List.of(new Qer(1, true, true, 0, 0, -1))));
        byte[] out = path.through(Leg.N6, Leg.N3, fromServer(bytes(INNER_DOWNLINK)));
        assertThat(Frames.checksum(out, 14, 20, 0)).isZero();
        assertThat(hex(Arrays.copyOfRange(out, 34, out.length)))
                .isEqualTo("08680868" + "0034" + "0000" + "30ff002400000200" + INNER_DOWNLINK);
    }

    /** H3. */
    @Test
    void matchesThePortOfAnSdfFilter() {
        SdfFilter filter = new SdfFilter(6, SERVER, -1, 0, 0, 20000, 20000, 21000, 21000);
        path.establish(new SessionRules(
                1,
                List.of(withFilter(downlinkPdr(2, FIRST_UE, 100, 2, 1L), filter)),
                List.of(toGnb(2, 512)),
                List.of(qer(1, 0))));
        assertThat(path.through(Leg.N6, Leg.N3, fromServer(tcp(SERVER, 20000, FIRST_UE, 21000))))
                .isNotEmpty();
        assertThat(path.through(Leg.N6, Leg.N3, fromServer(tcp(SERVER, 20001, FIRST_UE, 21000))))
                .isEmpty();
        assertThat(path.verdict(Direction.DOWNLINK, Verdict.NO_PDR)).isEqualTo(1);
    }

    @Test
    void exchangesTheSidesOfAFilterForUplink() {
        SdfFilter filter = new SdfFilter(6, SERVER, -1, 0, 0, 20000, 20000, 21000, 21000);
        path.establish(new SessionRules(
                1,
                List.of(withFilter(uplinkPdr(1, FIRST_TEID, FIRST_UE, 100, 1), filter)),
                List.of(toCore(1)),
                List.of()));
        assertThat(uplink(tcp(FIRST_UE, 21000, SERVER, 20000))).isNotEmpty();
        assertThat(uplink(tcp(FIRST_UE, 20000, SERVER, 21000))).isEmpty();
    }

    @Test
    void triesFurtherFiltersOfAPdr() {
        SdfFilter first = new SdfFilter(6, 0, 0, 0, 0, 1, 1, 0, 0xffff);
        SdfFilter second = new SdfFilter(6, 0, 0, 0, 0, 2, 2, 0, 0xffff);
        SdfFilter third = new SdfFilter(6, 0, 0, 0, 0, 3, 3, 0, 0xffff);
        path.establish(new SessionRules(
                1,
                List.of(withFilter(uplinkPdr(1, FIRST_TEID, FIRST_UE, 100, 1), first, second, third)),
                List.of(toCore(1)),
                List.of()));
        for (int port = 1; port <= 3; port++) {
            assertThat(uplink(tcp(FIRST_UE, 9, SERVER, port)))
                    .as("port " + port)
                    .isNotEmpty();
        }
        assertThat(uplink(tcp(FIRST_UE, 9, SERVER, 4))).isEmpty();
    }

    /** H6. */
    @Test
    void letsAllThroughAnEmptyFilterAndAnyToAny() {
        path.establish(new SessionRules(
                1,
                List.of(
                        withFilter(uplinkPdr(1, FIRST_TEID, FIRST_UE, 100, 1), SdfFilter.ANY),
                        withFilter(downlinkPdr(2, FIRST_UE, 100, 2))),
                List.of(toCore(1), toGnb(2, 512)),
                List.of()));
        byte[] icmp = Frames.ipv4(FIRST_UE, SERVER, 1, new byte[16]);
        assertThat(uplink(icmp)).isNotEmpty();
        assertThat(uplink(bytes(INNER_UPLINK))).isNotEmpty();
        assertThat(path.through(Leg.N6, Leg.N3, fromServer(bytes(INNER_DOWNLINK))))
                .isNotEmpty();
    }

    @Test
    void givesAFilterWithPortsNoLaterFragment() {
        SdfFilter filter = new SdfFilter(-1, 0, 0, 0, 0, 6000, 6000, 0, 0xffff);
        path.establish(new SessionRules(
                1,
                List.of(withFilter(uplinkPdr(1, FIRST_TEID, FIRST_UE, 100, 1), filter)),
                List.of(toCore(1)),
                List.of()));
        byte[] fragment = bytes(INNER_UPLINK);
        fragment[6] = 0;
        fragment[7] = 8;
        assertThat(uplink(bytes(INNER_UPLINK))).isNotEmpty();
        assertThat(uplink(fragment)).isEmpty();
    }

    /** H4. */
    @ParameterizedTest(name = "with sessions: {0}")
    @CsvSource({"false", "true"})
    void answersAnEchoRequest(boolean withSession) {
        if (withSession) {
            path.establish(session(0, 0));
        }
        byte[] out = path.through(Leg.N3, Leg.N3, fromGnb(bytes("320100040000000012340000"), 40000));
        assertThat(Frames.checksum(out, 14, 20, 0)).isZero();
        assertThat(hex(Arrays.copyOf(out, 14))).isEqualTo("020000000001" + "020000000002" + "0800");
        assertThat(hex(Arrays.copyOfRange(out, 26, 34))).isEqualTo("0a2100010a210002");
        assertThat(hex(Arrays.copyOfRange(out, 34, out.length)))
                .isEqualTo("08689c40" + "0016" + "0000" + "3202000600000000123400000e00");
        assertThat(path.verdict(Direction.UPLINK, Verdict.ECHO_ANSWERED)).isEqualTo(1);
    }

    @Test
    void answersAnEchoRequestWithoutSequenceNumber() {
        byte[] out = path.through(Leg.N3, Leg.N3, fromGnb(bytes("3001000000000000")));
        assertThat(hex(Arrays.copyOfRange(out, 42, out.length))).isEqualTo("3202000600000000000000000e00");
    }

    @Test
    void matchesTheQfiOfThePdi() {
        path.establish(new SessionRules(
                1, List.of(withQfi(uplinkPdr(1, FIRST_TEID, FIRST_UE, 100, 1), 9)), List.of(toCore(1)), List.of()));
        byte[] inner = bytes(INNER_UPLINK);
        assertThat(path.through(Leg.N3, Leg.N6, fromGnb(Frames.gpdu(FIRST_TEID, 9, inner))))
                .isNotEmpty();
        assertThat(path.through(Leg.N3, Leg.N6, fromGnb(Frames.gpdu(FIRST_TEID, 8, inner))))
                .isEmpty();
        assertThat(path.through(Leg.N3, Leg.N6, fromGnb(Frames.gpdu(FIRST_TEID, -1, inner))))
                .isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.NO_PDR)).isEqualTo(2);
    }

    @Test
    void triesTheLowestPrecedenceFirst() {
        path.establish(new SessionRules(
                1,
                List.of(
                        downlinkPdr(1, FIRST_UE, 0xffff_ffffL, 1),
                        downlinkPdr(2, FIRST_UE, 10, 2),
                        downlinkPdr(3, FIRST_UE, 255, 1)),
                List.of(drop(1), toGnb(2, 700)),
                List.of()));
        byte[] out = path.through(Leg.N6, Leg.N3, fromServer(bytes(INNER_DOWNLINK)));
        assertThat(hex(Arrays.copyOfRange(out, 46, 50))).isEqualTo("000002bc");
    }

    @Test
    void dropsWhatDoesNotComeFromTheUe() {
        path.establish(session(0, 0));
        assertThat(uplink(Frames.udp(FIRST_UE + 1, SERVER, 1, 2, new byte[4]))).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.UE_SOURCE_MISMATCH)).isEqualTo(1);
    }

    /** The uplink PDR of some SMFs has no UE address; the session's only one counts. */
    @Test
    void checksTheSourceWithoutAUeAddressInTheUplinkPdr() {
        path.establish(new SessionRules(
                1,
                List.of(uplinkPdr(1, FIRST_TEID, null, 100, 1), downlinkPdr(2, FIRST_UE, 100, 2)),
                List.of(toCore(1), toGnb(2, 512)),
                List.of()));
        assertThat(uplink(bytes(INNER_UPLINK))).isNotEmpty();
        assertThat(uplink(Frames.udp(FIRST_UE + 1, SERVER, 1, 2, new byte[4]))).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.UE_SOURCE_MISMATCH)).isEqualTo(1);
    }

    @Test
    void dropsByFarAndByGate() {
        path.establish(new SessionRules(
                1,
                List.of(uplinkPdr(1, FIRST_TEID, FIRST_UE, 100, 1, 1L), downlinkPdr(2, FIRST_UE, 100, 2, 1L)),
                List.of(drop(1), toGnb(2, 512)),
                List.of(new Qer(1, true, false, 0, 0, 9))));
        assertThat(uplink(bytes(INNER_UPLINK))).isEmpty();
        assertThat(path.through(Leg.N6, Leg.N3, fromServer(bytes(INNER_DOWNLINK))))
                .isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.FAR_DROP)).isEqualTo(1);
        assertThat(path.verdict(Direction.DOWNLINK, Verdict.GATE_CLOSED)).isEqualTo(1);
        assertThat(path.plane.counters(1)).isEqualTo(new SessionCounters(0, 0, 0, 0, 2));
    }

    /** An update of the FAR is seen by the next packet, and counters go on. */
    @Test
    void carriesOutAnUpdatedFar() {
        SessionRules before = session(0, 0);
        path.establish(before);
        assertThat(uplink(bytes(INNER_UPLINK))).isNotEmpty();
        path.establish(new SessionRules(1, before.pdrs(), List.of(drop(1), toGnb(2, 512)), before.qers()));
        assertThat(uplink(bytes(INNER_UPLINK))).isEmpty();
        path.establish(before);
        assertThat(uplink(bytes(INNER_UPLINK))).isNotEmpty();
        assertThat(path.plane.counters(1)).isEqualTo(new SessionCounters(2, 72, 0, 0, 1));
    }

    @Test
    void forgetsARemovedSession() {
        path.establish(session(0, 0));
        path.plane.remove(1);
        assertThat(uplink(bytes(INNER_UPLINK))).isEmpty();
        assertThat(path.through(Leg.N6, Leg.N3, fromServer(bytes(INNER_DOWNLINK))))
                .isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.UNKNOWN_TEID)).isEqualTo(1);
        assertThat(path.verdict(Direction.DOWNLINK, Verdict.UNKNOWN_UE)).isEqualTo(1);
        assertThat(path.plane.counters(1)).isEqualTo(SessionCounters.NONE);
    }

    @Test
    void cutsThePaddingAfterTheInnerPacket() {
        path.establish(session(0, 0));
        byte[] padded = Frames.gpdu(FIRST_TEID, 9, Arrays.copyOf(bytes(INNER_UPLINK), 60));
        byte[] out = path.through(Leg.N3, Leg.N6, fromGnb(padded));
        assertThat(hex(out)).isEqualTo(TO_SERVER + INNER_UPLINK);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "GTPU_VERSION,           50ff002400000100",
        "GTPU_VERSION,           20ff002400000100",
        "GTPU_LENGTH,            30ff002500000100",
        "GTPU_EXTENSION,         34ff002c000001000000008500100900",
        "GTPU_EXTENSION,         34ff002c0000010000000085ff100900",
        "GTPU_EXTENSION_UNKNOWN, 34ff002c000001000000008801100900",
        "GTPU_ECHO_RESPONSE,     3202002400000000",
        "GTPU_ERROR_INDICATION,  321a002400000000",
        "GTPU_END_MARKER,        30fe002400000100",
        "GTPU_MESSAGE_TYPE,      3063002400000100",
        "UNKNOWN_TEID,           30ff00240000dead",
    })
    void countsUnderItsOwnVerdict(Verdict verdict, String header) {
        path.establish(session(0, 0));
        assertThat(path.through(Leg.N3, Leg.N6, fromGnb(bytes(header + INNER_UPLINK))))
                .isEmpty();
        assertThat(path.verdict(Direction.UPLINK, verdict)).isEqualTo(1);
    }

    @Test
    void dropsAnOuterFragment() {
        path.establish(session(0, 0));
        byte[] frame = fromGnb(Frames.gpdu(FIRST_TEID, 9, bytes(INNER_UPLINK)));
        frame[20] = 0x20;
        assertThat(path.through(Leg.N3, Leg.N6, frame)).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.OUTER_FRAGMENT)).isEqualTo(1);
    }

    @Test
    void dropsAnInnerPacketShorterThanItSays() {
        path.establish(session(0, 0));
        byte[] cut = Arrays.copyOf(bytes(INNER_UPLINK), 35);
        assertThat(uplink(cut)).isEmpty();
        assertThat(uplink(new byte[] {0x60, 0, 0, 0})).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.INNER_TRUNCATED)).isEqualTo(1);
        assertThat(path.verdict(Direction.UPLINK, Verdict.INNER_NOT_IPV4)).isEqualTo(1);
    }

    @Test
    void dropsWhatDoesNotFitTheMtuOnceEncapsulated() {
        path.establish(session(0, 0));
        int largest = 1500 - 44;
        assertThat(path.through(Leg.N6, Leg.N3, fromServer(downlinkOf(largest))))
                .hasSize(1514);
        assertThat(path.through(Leg.N6, Leg.N3, fromServer(downlinkOf(largest + 1))))
                .isEmpty();
        assertThat(path.verdict(Direction.DOWNLINK, Verdict.MTU_EXCEEDED)).isEqualTo(1);
    }

    @Test
    void asksForAnUnresolvedNeighbourAndNotTooOften() {
        path.establish(session(0, 0));
        int gateway = path.nextHops.entryFor(Side.CORE, SERVER);
        path.nextHops.unresolve(gateway);
        for (int i = 0; i < 5; i++) {
            assertThat(uplink(Frames.udp(FIRST_UE, ipv4("192.0.2.1"), 1, 2, new byte[4])))
                    .isEmpty();
        }
        assertThat(uplink(Frames.udp(FIRST_UE, ipv4("10.99.0.77"), 1, 2, new byte[4])))
                .isEmpty();
        path.plane.reclaim();
        assertThat(path.wanted).containsExactly("CORE 10.99.0.2", "CORE 10.99.0.77");
        path.nextHops.resolve(gateway, 0x02_00_00_00_00_04L);
        path.nextHops.resolve(path.nextHops.entryFor(Side.CORE, ipv4("10.99.0.77")), 0x02_00_00_00_00_4dL);
        assertThat(uplink(Frames.udp(FIRST_UE, ipv4("192.0.2.1"), 1, 2, new byte[4])))
                .isNotEmpty();
        byte[] onLink = uplink(Frames.udp(FIRST_UE, ipv4("10.99.0.77"), 1, 2, new byte[4]));
        assertThat(hex(Arrays.copyOf(onLink, 6))).isEqualTo("02000000004d");
        assertThat(path.verdict(Direction.UPLINK, Verdict.NEIGHBOUR_UNRESOLVED)).isEqualTo(6);
    }

    @Test
    void dropsWithoutARouteOrALink() {
        path.establish(session(0, 0));
        path.nextHops.setRoutes(Side.CORE, List.of());
        assertThat(uplink(bytes(INNER_UPLINK))).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.NO_ROUTE)).isEqualTo(1);
        path.nextHops.setLink(Side.CORE, Link.UNKNOWN);
        assertThat(uplink(bytes(INNER_UPLINK))).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.LINK_UNKNOWN)).isEqualTo(1);
    }

    @Test
    void ignoresWhatIsNotForN3() {
        byte[] other = Frames.ethernet(
                PathFixture.N3_MAC,
                PathFixture.GNB_MAC,
                Frames.udp(PathFixture.GNB, N3 + 9, 2152, 2152, bytes("320100040000000012340000")));
        assertThat(path.through(Leg.N3, Leg.N3, other)).isEmpty();
        byte[] arp = new byte[42];
        arp[12] = 8;
        arp[13] = 6;
        assertThat(path.through(Leg.N3, Leg.N3, arp)).isEmpty();
        assertThat(path.verdict(Direction.UPLINK, Verdict.NOT_OURS)).isEqualTo(2);
    }

    private byte[] uplink(byte[] inner) {
        return path.through(Leg.N3, Leg.N6, fromGnb(Frames.gpdu(FIRST_TEID, 9, inner)));
    }

    private static byte[] downlinkOf(int length) {
        return Frames.udp(SERVER, FIRST_UE, 1, 2, new byte[length - 28]);
    }

    private static byte[] tcp(int source, int sourcePort, int destination, int destinationPort) {
        byte[] segment = new byte[20];
        segment[0] = (byte) (sourcePort >>> 8);
        segment[1] = (byte) sourcePort;
        segment[2] = (byte) (destinationPort >>> 8);
        segment[3] = (byte) destinationPort;
        segment[12] = 0x50;
        return Frames.ipv4(source, destination, 6, segment);
    }
}
