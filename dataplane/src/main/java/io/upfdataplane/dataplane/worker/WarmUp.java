package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.apply.Link;
import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.apply.Route;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.handover.UserPlane.RulesRefused;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.MadeUpPortSet;
import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs a worker's own loop over each backend's own ports with made-up rings, and over two of them as a mode change does,
 * until the virtual machine has compiled it: cold code is several times slower, and code that was compiled for one
 * backend alone is thrown away when it meets another. Uses a session table of its own. One thread, before workers start.
 */
public final class WarmUp {
    /** Where made-up GTP-U goes. */
    public static final int N3 = 0x0a_21_00_01;

    private static final int GNB = 0x0a_21_00_02;
    private static final int SERVER = 0x0a_63_00_02;
    private static final int FIRST_UE = 0x0a_3c_00_01;
    private static final int FIRST_TEID = 256;
    private static final int SESSIONS = 64;
    private static final int INNER_LENGTH = 64;

    /** Every so many frames one is of a rarer kind. */
    private static final int RARE = 16;

    /** Few frames and many turns: what is done once a turn must be compiled too. */
    private static final int FRAMES_A_TURN = 8;

    private static final int TURNS_A_USE = 200;
    private static final int LEAST_WINDOWS = 4;
    private static final long LONGEST_NS = 2_000_000_000L;
    private static final int WAITS = 500;

    private WarmUp() {}

    /**
     * @param firstNsPerTurn in the first turns, cold
     * @param lastNsPerTurn in the last turns
     */
    public record Result(long turns, long durationNs, double firstNsPerTurn, double lastNsPerTurn) {}

    /** Who sends and who is only received from; the set beside may hold the older frames. */
    private record Use(MadeUpPortSet sending, @Nullable MadeUpPortSet beside, boolean besideHoldsOlder) {}

    /**
     * Returns when two windows in a row have brought no gain worth waiting for, or after two seconds.
     *
     * @param backends the ports of each mode that may run; the caller closes them
     */
    public static Result run(FramePool pool, WorkerSettings settings, List<? extends MadeUpPortSet> backends) {
        try (NextHopTable nextHops = new NextHopTable(8);
                SharedUserPlane plane = new SharedUserPlane(1, SESSIONS, nextHops, (side, ipv4) -> {});
                Doorbell doorbell = new Doorbell()) {
            prepare(plane, nextHops);
            Worker worker = new Worker(0, plane, pool, settings, new Doorbell[] {doorbell});
            Result result = runUntilCompiled(worker, uses(backends));
            for (int i = 0; i < WAITS; i++) {
                doorbell.arm();
                doorbell.await(0);
                doorbell.disarm();
            }
            worker.close();
            return result;
        }
    }

    private static List<Use> uses(List<? extends MadeUpPortSet> backends) {
        List<Use> uses = new ArrayList<>();
        for (MadeUpPortSet sending : backends) {
            uses.add(new Use(sending, null, false));
            for (MadeUpPortSet beside : backends) {
                if (beside != sending) {
                    uses.add(new Use(sending, beside, false));
                    uses.add(new Use(sending, beside, true));
                }
            }
        }
        return uses;
    }

    private static Result runUntilCompiled(Worker worker, List<Use> uses) {
        Frames uplink = new Frames();
        Frames downlink = new Frames();
        long startNs = System.nanoTime();
        long windowStartNs = startNs;
        double first = 0;
        double best = Double.MAX_VALUE;
        double last = 0;
        int withoutGain = 0;
        int windows = 0;
        int turnsAWindow = uses.size() * TURNS_A_USE;
        while (withoutGain < 2 || windows < LEAST_WINDOWS) {
            for (int use = 0; use < uses.size(); use++) {
                turn(worker, uses.get(use), windows * uses.size() + use + 1L, uplink, downlink);
            }
            long nowNs = System.nanoTime();
            last = (double) (nowNs - windowStartNs) / turnsAWindow;
            windowStartNs = nowNs;
            first = windows == 0 ? last : first;
            withoutGain = last < best * 0.9 ? 0 : withoutGain + 1;
            best = Math.min(best, last);
            windows++;
            if (nowNs - startNs > LONGEST_NS) {
                break;
            }
        }
        return new Result((long) windows * turnsAWindow, windowStartNs - startNs, first, last);
    }

    private static void turn(Worker worker, Use use, long generation, Frames uplink, Frames downlink) {
        worker.use(new PortUse(generation, use.sending, use.beside, use.besideHoldsOlder, 0));
        for (int turn = 0; turn < TURNS_A_USE; turn++) {
            // Now and then a turn finds nothing, as most do.
            int count = turn % 4 == 0 ? 0 : FRAMES_A_TURN;
            play(use.sending, count, uplink, downlink);
            if (use.beside != null) {
                play(use.beside, count, uplink, downlink);
            }
            worker.turn();
        }
    }

    private static void play(MadeUpPortSet set, int count, Frames uplink, Frames downlink) {
        set.play(Leg.N3, uplink::uplink, count);
        set.play(Leg.N6, downlink::downlink, count);
    }

    private static void prepare(SharedUserPlane plane, NextHopTable nextHops) {
        nextHops.setLink(Side.ACCESS, new Link(0x02_00_00_00_00_02L, N3, 1500));
        nextHops.setLink(Side.CORE, new Link(0x02_00_00_00_00_04L, 0x0a_63_00_01, 1500));
        nextHops.setRoutes(Side.CORE, List.of(new Route(0, 0, SERVER)));
        nextHops.resolve(nextHops.entryFor(Side.CORE, SERVER), 0x02_00_00_00_00_05L);
        nextHops.resolve(nextHops.entryFor(Side.ACCESS, GNB), 0x02_00_00_00_00_06L);
        try {
            for (int i = 0; i < SESSIONS; i++) {
                plane.commit(plane.prepare(session(i)));
            }
        } catch (RulesRefused refused) {
            throw new AssertionError("made-up rules", refused);
        }
    }

    private static SessionRules session(int i) {
        int ue = FIRST_UE + i;
        // One in four has a filter, one in four an MBR that is soon reached, the others what most sessions have.
        List<SdfFilter> filters =
                i % 4 == 0 ? List.of(new SdfFilter(17, SERVER, -1, 0, 0, 0, 0xffff, 0, 0xffff)) : List.of();
        Pdr uplink = new Pdr(
                1,
                100,
                SourceInterface.ACCESS,
                new FTeid(FIRST_TEID + i, N3),
                ue,
                "",
                filters,
                -1,
                true,
                1,
                List.of(1L));
        Pdr downlink = new Pdr(2, 100, SourceInterface.CORE, null, ue, "", filters, -1, false, 2, List.of(1L));
        Far toCore = new Far(1, Far.Action.FORWARD, DestinationInterface.CORE, "", null);
        Far toAccess = new Far(
                2, Far.Action.FORWARD, DestinationInterface.ACCESS, "", new OuterHeaderCreation(FIRST_TEID + i, GNB));
        long mbrKbps = i % 4 == 1 ? 100 : 1_000_000;
        return new SessionRules(
                i + 1L,
                List.of(uplink, downlink),
                List.of(toCore, toAccess),
                List.of(new Qer(1, true, true, mbrKbps, mbrKbps, 9)));
    }

    /** The frames of one leg, with a rare one now and then: an echo, an unknown address, a cut packet. */
    private static final class Frames {
        private int made;

        int uplink(long at) {
            int i = made++;
            int ue = FIRST_UE + i % SESSIONS;
            int teid = FIRST_TEID + i % SESSIONS;
            int length = MadeUpFrames.writeUplink(at, GNB, N3, teid, ue, SERVER, INNER_LENGTH);
            if (i % RARE != 0) {
                return length;
            }
            switch (i / RARE % 4) {
                case 0 -> MadeUpFrames.setTeid(at, 1);
                case 1 -> Native.MEMORY.set(Native.BE_SHORT, (at & Native.MASK) + 42, (short) 0x3201);
                case 2 -> Native.MEMORY.set(Native.BE_INT, (at & Native.MASK) + MadeUpFrames.OUTER + 12, 1);
                default -> length = 40;
            }
            return length;
        }

        int downlink(long at) {
            int i = made++;
            int ue = i % RARE == 0 ? 1 : FIRST_UE + i % SESSIONS;
            return MadeUpFrames.writeDownlink(at, ue, SERVER, INNER_LENGTH);
        }
    }
}
