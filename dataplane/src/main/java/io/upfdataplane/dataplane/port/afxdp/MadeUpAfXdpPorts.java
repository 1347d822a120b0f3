package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.ffi.IfXdp;
import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.MadeUpPortSet;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import java.util.List;

/** AF_XDP ports of one worker over rings that no kernel shares. One thread. */
public final class MadeUpAfXdpPorts implements MadeUpPortSet {
    private static final int RING = 128;
    private static final int NO_DESCRIPTOR = -1;

    private final FramePool pool;
    private final FramePool.Cache cache;
    private final KernelFrames kernelFrames;
    private final Side n3;
    private final Side n6;

    /**
     * @param n3Ipv4 where the made-up GTP-U goes, in host order
     */
    public MadeUpAfXdpPorts(FramePool pool, int n3Ipv4) {
        this.pool = pool;
        cache = pool.newCache();
        kernelFrames = new KernelFrames(pool);
        n3 = new Side(n3Ipv4);
        n6 = new Side(0);
    }

    @Override
    public PacketPort port(Leg leg, int worker) {
        return leg == Leg.N3 ? n3.port : n6.port;
    }

    @Override
    public void play(Leg leg, Maker maker, int frames) {
        (leg == Leg.N3 ? n3 : n6).play(maker, frames);
    }

    @Override
    public void engage() {
        // Frames come by play().
    }

    @Override
    public void disengage() {
        // Frames come by play().
    }

    @Override
    public void usePools(List<PortPlan.Prefix> uePools) {
        // All frames are ours.
    }

    @Override
    public ModeFacts facts() {
        return new ModeFacts("AF_XDP", false, "None");
    }

    @Override
    public void close() {
        n3.close();
        n6.close();
        kernelFrames.reclaim(cache);
        cache.close();
    }

    /** The four rings of one device, and the kernel's side of them. */
    private final class Side {
        private final Ring rx = new Ring(IfXdp.DESCRIPTOR_SIZE);
        private final Ring tx = new Ring(IfXdp.DESCRIPTOR_SIZE);
        private final Ring fill = new Ring(Long.BYTES);
        private final Ring completion = new Ring(Long.BYTES);
        private final AfXdpPort port;
        private int plays;

        Side(int n3Ipv4) {
            QueueRings queue = new QueueRings(
                    new XskRing.Producer(fill.base, 0, Ring.OFFSETS, RING, Long.BYTES),
                    new XskRing.Consumer(completion.base, 0, Ring.OFFSETS, RING, Long.BYTES),
                    pool,
                    kernelFrames,
                    RING);
            XskSocket socket = new XskSocket(
                    NO_DESCRIPTOR,
                    new XskRing.Consumer(rx.base, 0, Ring.OFFSETS, RING, IfXdp.DESCRIPTOR_SIZE),
                    new XskRing.Producer(tx.base, 0, Ring.OFFSETS, RING, IfXdp.DESCRIPTOR_SIZE),
                    queue);
            XskSocket[] sockets = {socket};
            port = new AfXdpPort(sockets, 0, sockets, NO_DESCRIPTOR, pool, cache, kernelFrames, n3Ipv4, false, true);
        }

        void play(MadeUpPortSet.Maker maker, int frames) {
            // A copying driver always wants to be called, another now and then: both must be compiled.
            tx.wantCalls(plays++ % 8 != 0);
            while (tx.filled() > 0 && completion.filled() < RING) {
                long sent = Native.MEMORY.get(Native.LONG, tx.take(IfXdp.DESCRIPTOR_SIZE));
                Native.MEMORY.set(Native.LONG, completion.put(Long.BYTES), sent);
            }
            for (int i = 0; i < frames && fill.filled() > 0 && rx.filled() < RING; i++) {
                long offset = Native.MEMORY.get(Native.LONG, fill.take(Long.BYTES)) + FramePool.HEADROOM;
                int length = maker.write(pool.baseAddress() + offset);
                long entry = rx.put(IfXdp.DESCRIPTOR_SIZE);
                Native.MEMORY.set(Native.LONG, entry, offset);
                Native.MEMORY.set(Native.LONG, entry + Long.BYTES, length);
            }
        }

        void close() {
            port.close();
            rx.block.close();
            tx.block.close();
            fill.block.close();
            completion.block.close();
        }
    }

    /** Memory as the kernel lays a ring out: producer, consumer and flags each in a line, then the entries. */
    private static final class Ring {
        private static final int LINE = 64;
        private static final int FLAGS = 2 * LINE;
        private static final int ENTRIES = 3 * LINE;
        static final XskRing.Offsets OFFSETS = new XskRing.Offsets(0, LINE, ENTRIES, FLAGS);

        final Block block;
        final long base;

        Ring(int entryBytes) {
            block = new Block(ENTRIES + (long) RING * entryBytes, LINE);
            base = block.address();
        }

        void wantCalls(boolean wanted) {
            Native.MEMORY.set(Native.INT, (base + FLAGS) & Native.MASK, wanted ? IfXdp.XDP_RING_NEED_WAKEUP : 0);
        }

        int filled() {
            return index(0) - index(LINE);
        }

        /** Address of the entry that is put next. */
        long put(int entryBytes) {
            return next(0, entryBytes);
        }

        /** Address of the entry that is taken next. */
        long take(int entryBytes) {
            return next(LINE, entryBytes);
        }

        private long next(int which, int entryBytes) {
            int index = index(which);
            Native.MEMORY.set(Native.INT, (base + which) & Native.MASK, index + 1);
            return (base + ENTRIES + (long) (index & (RING - 1)) * entryBytes) & Native.MASK;
        }

        private int index(int which) {
            return Native.MEMORY.get(Native.INT, (base + which) & Native.MASK);
        }
    }
}
