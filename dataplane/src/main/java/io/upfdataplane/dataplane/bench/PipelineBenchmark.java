package io.upfdataplane.dataplane.bench;

import io.upfdataplane.dataplane.apply.Link;
import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.apply.Route;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.ffi.HugeBlocks;
import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.handover.UserPlane.RulesRefused;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import io.upfdataplane.dataplane.worker.InlineWorker;
import io.upfdataplane.dataplane.worker.MadeUpFrames;
import io.upfdataplane.dataplane.worker.PollMode;
import io.upfdataplane.dataplane.worker.WorkerSettings;
import java.lang.invoke.VarHandle;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;

/**
 * Times turns of a worker over frames of random sessions, written anew outside the timed part. The C program {@code
 * pipeline.c} does the same work to the same frames. One thread.
 */
public final class PipelineBenchmark {
    private static final int BATCH = 64;
    private static final int FRAMES = 4096;
    private static final int N3 = 0x0a_63_00_02;
    private static final int GNB = 0x0a_63_00_01;
    private static final int SERVER = 0x08_08_08_08;
    private static final int GATEWAY = 0x0a_63_00_03;
    private static final int FIRST_UE = 0x0a_00_00_01;
    private static final int INNER_LENGTH = 50;
    private static final long MBR_KBPS = 900_000_000;

    private static final double WARM_UP_SECONDS = 0.5;
    private static final long LONGEST_WARM_UP_NS = 20_000_000_000L;

    private PipelineBenchmark() {}

    /**
     * @param medianNs of a packet, over all batches of the timed part
     */
    public record Result(String direction, int sessions, double medianNs, double p90Ns, long packets, long dropped) {}

    /** Warms up until three runs have brought no gain, so that what is measured is compiled; see {@link #warm}. */
    public static Result run(boolean downlink, int sessions, double seconds) throws PortRefused, RulesRefused {
        try (NextHopTable nextHops = new NextHopTable(8);
                SharedUserPlane plane =
                        new SharedUserPlane(1, sessions, nextHops, (side, address) -> {}, new HugeBlocks());
                SharedFramePool pool = SharedFramePool.open(FRAMES + 64, 2048, true)) {
            establish(plane, nextHops, sessions);
            PreparedPorts ports = new PreparedPorts(BATCH);
            FramePool.Cache cache = pool.newCache();
            long[] frames = new long[FRAMES];
            for (int i = 0; i < FRAMES; i++) {
                frames[i] = cache.take() + FramePool.HEADROOM;
            }
            WorkerSettings settings = new WorkerSettings(BATCH, PollMode.BUSY, List.of());
            try (InlineWorker worker = new InlineWorker(plane, pool, settings, ports)) {
                Timed timed = new Timed(worker, ports, frames, downlink, sessions);
                warm(timed);
                Result result = timed.run(seconds);
                cache.close();
                return result;
            }
        }
    }

    /** As long as there is gain or the compiler works: on a busy machine it needs many seconds. */
    private static void warm(Timed timed) {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        long end = System.nanoTime() + LONGEST_WARM_UP_NS;
        double best = Double.MAX_VALUE;
        long compiled = 0;
        int withoutGain = 0;
        while (withoutGain < 3 && System.nanoTime() < end) {
            double median = timed.run(WARM_UP_SECONDS).medianNs();
            long compiledNow = compiler.getTotalCompilationTime();
            withoutGain = median < best * 0.97 || compiledNow != compiled ? 0 : withoutGain + 1;
            best = Math.min(best, median);
            compiled = compiledNow;
        }
    }

    private static final class Timed {
        private final InlineWorker worker;
        private final PreparedPorts ports;
        private final long[] frames;
        private final boolean downlink;
        private final int sessions;
        private long random = 12345;
        private int position;

        Timed(InlineWorker worker, PreparedPorts ports, long[] frames, boolean downlink, int sessions) {
            this.worker = worker;
            this.ports = ports;
            this.frames = frames;
            this.downlink = downlink;
            this.sessions = sessions;
        }

        Result run(double seconds) {
            int[] histogram = new int[200_000];
            long end = System.nanoTime() + (long) (seconds * 1e9);
            long before = ports.n3.sent + ports.n6.sent;
            long batches = 0;
            while (System.nanoTime() < end) {
                prepare();
                long start = System.nanoTime();
                worker.turn();
                long elapsed = System.nanoTime() - start;
                histogram[(int) Math.min(elapsed, histogram.length - 1)]++;
                batches++;
            }
            long packets = batches * BATCH;
            long dropped = packets - (ports.n3.sent + ports.n6.sent - before);
            return new Result(
                    downlink ? "downlink" : "uplink",
                    sessions,
                    quantile(histogram, batches, 0.5),
                    quantile(histogram, batches, 0.9),
                    packets,
                    dropped);
        }

        private void prepare() {
            PreparedPorts.Port port = downlink ? ports.n6 : ports.n3;
            for (int i = 0; i < BATCH; i++) {
                random = random * 6364136223846793005L + 1442695040888963407L;
                int session = (int) ((random >>> 32) * sessions >>> 32);
                long frame = frames[position++ & FRAMES - 1];
                int length = downlink
                        ? MadeUpFrames.writeDownlink(frame, FIRST_UE + session, SERVER, INNER_LENGTH)
                        : MadeUpFrames.writeUplink(
                                frame, GNB, N3, session + 1, FIRST_UE + session, SERVER, INNER_LENGTH);
                port.prepared.add(frame, length);
            }
            // What is still on its way to memory is not the packet path's doing.
            VarHandle.fullFence();
        }

        private static double quantile(int[] histogram, long total, double q) {
            long seen = 0;
            for (int i = 0; i < histogram.length; i++) {
                seen += histogram[i];
                if (seen >= total * q) {
                    return (double) i / BATCH;
                }
            }
            return Double.NaN;
        }
    }

    private static void establish(SharedUserPlane plane, NextHopTable nextHops, int sessions) throws RulesRefused {
        nextHops.setLink(Side.ACCESS, new Link(0x02_00_00_00_00_01L, N3, 1500));
        nextHops.setLink(Side.CORE, new Link(0x02_00_00_00_00_04L, GATEWAY - 1, 1500));
        nextHops.setRoutes(Side.CORE, List.of(new Route(0, 0, GATEWAY), new Route(GATEWAY, 24, null)));
        nextHops.resolve(nextHops.entryFor(Side.CORE, GATEWAY), 0x02_00_00_00_00_03L);
        nextHops.resolve(nextHops.entryFor(Side.ACCESS, GNB), 0x02_00_00_00_00_02L);
        for (int i = 0; i < sessions; i++) {
            plane.commit(plane.prepare(session(i)));
        }
    }

    private static SessionRules session(int i) {
        int ue = FIRST_UE + i;
        Pdr uplink = new Pdr(
                1, 100, SourceInterface.ACCESS, new FTeid(i + 1, N3), ue, "", List.of(), -1, true, 1, List.of(1L));
        Pdr downlink = new Pdr(2, 100, SourceInterface.CORE, null, ue, "", List.of(), -1, false, 2, List.of(1L));
        return new SessionRules(
                i + 1L,
                Arrays.asList(uplink, downlink),
                List.of(
                        new Far(1, Far.Action.FORWARD, DestinationInterface.CORE, "", null),
                        new Far(
                                2,
                                Far.Action.FORWARD,
                                DestinationInterface.ACCESS,
                                "",
                                new OuterHeaderCreation(i + 1, GNB))),
                List.of(new Qer(1, true, true, MBR_KBPS, MBR_KBPS, 9)));
    }
}
