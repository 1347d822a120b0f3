package io.upfdataplane.dataplane.worker;

import static io.upfdataplane.dataplane.testbed.Frames.ipv4;
import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Link;
import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.apply.Route;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.handover.CounterPage;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.handover.UserPlane.RulesRefused;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.port.memory.MemoryPort;
import io.upfdataplane.dataplane.port.memory.MemoryPortSet;
import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import io.upfdataplane.dataplane.testbed.Frames;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A user plane on memory ports whose workers are turned by the test's own thread: gNB 10.33.0.2 — 10.33.0.1 UPF
 * 10.99.0.1 — data network 10.99.0.2, UEs from 10.60.0.1, TEIDs from 256, tunnels back from 512.
 */
final class PathFixture implements AutoCloseable {
    static final int GNB = ipv4("10.33.0.2");
    static final int N3 = ipv4("10.33.0.1");
    static final int N6 = ipv4("10.99.0.1");
    static final int SERVER = ipv4("10.99.0.2");
    static final int FIRST_UE = ipv4("10.60.0.1");
    static final int FIRST_TEID = 256;
    static final int FIRST_GNB_TEID = 512;
    static final int QFI = 9;

    static final byte[] GNB_MAC = {2, 0, 0, 0, 0, 1};
    static final byte[] N3_MAC = {2, 0, 0, 0, 0, 2};
    static final byte[] N6_MAC = {2, 0, 0, 0, 0, 3};
    static final byte[] SERVER_MAC = {2, 0, 0, 0, 0, 4};

    final List<String> wanted = new ArrayList<>();
    final NextHopTable nextHops = new NextHopTable(64);
    final SharedFramePool pool;
    final SharedUserPlane plane;
    final MemoryPortSet ports;
    final Worker[] workers;
    private final Doorbell[] doorbells;

    PathFixture(int workerCount) {
        this(workerCount, 1000);
    }

    PathFixture(int workerCount, int maxSessions) {
        pool = openPool();
        plane = new SharedUserPlane(
                workerCount, maxSessions, nextHops, (side, address) -> wanted.add(side + " " + dotted(address)));
        ports = new MemoryPortSet(pool, workerCount, 1024);
        nextHops.setLink(Side.ACCESS, new Link(0x02_00_00_00_00_02L, N3, 1500));
        nextHops.setLink(Side.CORE, new Link(0x02_00_00_00_00_03L, N6, 1500));
        nextHops.setRoutes(Side.ACCESS, List.of(new Route(ipv4("10.33.0.0"), 24, null)));
        nextHops.setRoutes(Side.CORE, List.of(new Route(0, 0, SERVER), new Route(ipv4("10.99.0.0"), 24, null)));
        nextHops.resolve(nextHops.entryFor(Side.ACCESS, GNB), 0x02_00_00_00_00_01L);
        nextHops.resolve(nextHops.entryFor(Side.CORE, SERVER), 0x02_00_00_00_00_04L);
        doorbells = new Doorbell[workerCount];
        workers = new Worker[workerCount];
        for (int i = 0; i < workerCount; i++) {
            doorbells[i] = new Doorbell();
        }
        WorkerSettings settings = new WorkerSettings(64, PollMode.BUSY, List.of());
        for (int i = 0; i < workerCount; i++) {
            workers[i] = new Worker(i, plane, pool, settings, doorbells);
            workers[i].use(new PortUse(1, ports, null, i));
        }
    }

    static SharedFramePool openPool() {
        try {
            return SharedFramePool.open(4096, 2048, false);
        } catch (PortRefused refused) {
            throw new AssertionError(refused);
        }
    }

    static String dotted(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 255) + "." + (address >>> 8 & 255) + "." + (address & 255);
    }

    static Pdr uplinkPdr(int id, int teid, Integer ue, long precedence, long farId, Long... qers) {
        return new Pdr(
                id,
                precedence,
                SourceInterface.ACCESS,
                new FTeid(teid, N3),
                ue,
                "internet",
                List.of(),
                -1,
                true,
                farId,
                List.of(qers));
    }

    static Pdr downlinkPdr(int id, int ue, long precedence, long farId, Long... qers) {
        return new Pdr(
                id, precedence, SourceInterface.CORE, null, ue, "internet", List.of(), -1, false, farId, List.of(qers));
    }

    static Pdr withFilter(Pdr pdr, SdfFilter... filters) {
        return new Pdr(
                pdr.id(),
                pdr.precedence(),
                pdr.sourceInterface(),
                pdr.localFTeid(),
                pdr.ueIpv4(),
                pdr.networkInstance(),
                List.of(filters),
                pdr.qfi(),
                pdr.removeOuterHeader(),
                pdr.farId(),
                pdr.qerIds());
    }

    static Pdr withQfi(Pdr pdr, int qfi) {
        return new Pdr(
                pdr.id(),
                pdr.precedence(),
                pdr.sourceInterface(),
                pdr.localFTeid(),
                pdr.ueIpv4(),
                pdr.networkInstance(),
                pdr.sdfFilters(),
                qfi,
                pdr.removeOuterHeader(),
                pdr.farId(),
                pdr.qerIds());
    }

    static Far toCore(long id) {
        return new Far(id, Far.Action.FORWARD, DestinationInterface.CORE, "internet", null);
    }

    static Far toGnb(long id, int teid) {
        return new Far(id, Far.Action.FORWARD, DestinationInterface.ACCESS, "", new OuterHeaderCreation(teid, GNB));
    }

    static Far drop(long id) {
        return new Far(id, Far.Action.DROP, null, "", null);
    }

    static Qer qer(long id, long mbrKbps) {
        return new Qer(id, true, true, mbrKbps, mbrKbps, QFI);
    }

    /** Session {@code i}: UE and TEIDs by number, one QER with QFI 9 and the given rate in both directions. */
    static SessionRules session(int i, long mbrKbps) {
        return new SessionRules(
                i + 1L,
                List.of(
                        uplinkPdr(1, FIRST_TEID + i, FIRST_UE + i, 100, 1, 1L),
                        downlinkPdr(2, FIRST_UE + i, 100, 2, 1L)),
                List.of(toCore(1), toGnb(2, FIRST_GNB_TEID + i)),
                List.of(qer(1, mbrKbps)));
    }

    void establish(SessionRules rules) {
        try {
            plane.commit(plane.prepare(rules));
        } catch (RulesRefused refused) {
            throw new AssertionError(refused);
        }
    }

    /** From the gNB: a UDP datagram to 2152 with this GTP-U packet. */
    static byte[] fromGnb(byte[] gtpu) {
        return fromGnb(gtpu, Frames.GTPU_PORT);
    }

    static byte[] fromGnb(byte[] gtpu, int sourcePort) {
        return Frames.ethernet(N3_MAC, GNB_MAC, Frames.udp(GNB, N3, sourcePort, Frames.GTPU_PORT, gtpu));
    }

    static byte[] fromServer(byte[] ip) {
        return Frames.ethernet(N6_MAC, SERVER_MAC, ip);
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** What leaves on {@code to} when {@code frame} arrives on {@code from} at worker 0; empty when nothing does. */
    byte[] through(Leg from, Leg to, byte[] frame) {
        assertThat(ports.port(from, 0).inject(frame)).isTrue();
        turnAll();
        byte[] out = collect(to);
        assertThat(collect(Leg.N3)).as("nothing else leaves").isEmpty();
        assertThat(collect(Leg.N6)).as("nothing else leaves").isEmpty();
        return out;
    }

    byte[] collect(Leg leg) {
        for (int worker = 0; worker < workers.length; worker++) {
            byte[] frame = ports.port(leg, worker).collect();
            if (frame.length > 0) {
                return frame;
            }
        }
        return new byte[0];
    }

    MemoryPort port(Leg leg, int worker) {
        return ports.port(leg, worker);
    }

    /** Enough turns for a packet to change workers and leave. */
    void turnAll() {
        for (int round = 0; round < 2; round++) {
            for (Worker worker : workers) {
                worker.turn();
            }
        }
    }

    long verdict(Direction direction, Verdict verdict) {
        long sum = 0;
        for (int worker = 0; worker < workers.length; worker++) {
            sum += plane.counterPage(worker).verdict(direction, verdict);
        }
        return sum;
    }

    /** Received packets equal sent ones and drops, in each direction, and what was sent is what verdicts say. */
    void assertBooksClose() {
        for (Direction direction : Direction.values()) {
            long received = 0;
            long sent = 0;
            long drops = 0;
            long rehomed = 0;
            for (int worker = 0; worker < workers.length; worker++) {
                CounterPage page = plane.counterPage(worker);
                received += page.receivedPackets(direction);
                sent += page.sentPackets(direction);
                rehomed += page.rehomedOut(direction) - page.rehomedIn(direction);
                for (Verdict verdict : Verdict.values()) {
                    drops += verdict.isDrop() ? page.verdict(direction, verdict) : 0;
                }
            }
            assertThat(rehomed).as(direction + " in rings").isZero();
            assertThat(received).as(direction + " received").isEqualTo(sent + drops);
            assertThat(sent)
                    .as(direction + " sent")
                    .isEqualTo(verdict(direction, Verdict.FORWARDED) + verdict(direction, Verdict.ECHO_ANSWERED));
        }
    }

    @Override
    public void close() {
        for (Worker worker : workers) {
            worker.close();
        }
        for (Doorbell doorbell : doorbells) {
            doorbell.close();
        }
        ports.close();
        plane.close();
        nextHops.close();
        pool.close();
    }
}
