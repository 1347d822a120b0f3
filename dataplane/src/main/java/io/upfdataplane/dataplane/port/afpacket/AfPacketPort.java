package io.upfdataplane.dataplane.port.afpacket;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.FrameBatch;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.wire.Checksum;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One device for one worker over the rings of a {@link PacketSocket}. Frames are copied between rings and pool, so the
 * kernel never holds a pool frame. The worker's thread only, except {@link #statistics} and {@link #close}.
 *
 * <pre>
 * slot:  struct tpacket2_hdr … virtio_net_hdr | Ethernet …    (receive: where tp_mac says)
 * slot:  struct tpacket2_hdr | virtio_net_hdr | Ethernet …    (transmit: at 32)
 * </pre>
 */
final class AfPacketPort implements PacketPort {
    // struct tpacket2_hdr: u32 status, len, snaplen; u16 mac, net; …
    private static final int LENGTH = 4;
    private static final int CAPTURED = 8;
    private static final int MAC = 12;
    private static final int TX_DATA = 32;
    private static final VarHandle STATUS = ValueLayout.JAVA_INT.varHandle();

    private static final int RX_KERNEL = 0;
    private static final int RX_USER = 1;
    private static final int RX_COPY = 2;
    private static final int TX_AVAILABLE = 0;
    private static final int TX_SEND_REQUEST = 1;

    // struct virtio_net_hdr: u8 flags, gso_type; u16 hdr_len, gso_size, csum_start, csum_offset
    private static final int VNET_BYTES = 10;
    private static final int VNET_GSO_TYPE = 1;
    private static final int VNET_HEADER_LENGTH = 2;
    private static final int VNET_GSO_SIZE = 4;
    private static final int VNET_CHECKSUM_START = 6;
    private static final int VNET_CHECKSUM_OFFSET = 8;
    private static final int NEEDS_CHECKSUM = 1;

    private static final int ETHERNET_BYTES = 14;
    private static final short UDP_IN_FRAME = ETHERNET_BYTES + 20;
    private static final short CHECKSUM_IN_UDP = 6;
    /** Longer than any frame that Linux hands over unsegmented. */
    private static final int SCRATCH_BYTES = 1 << 18;

    private final PacketSocket socket;
    private final FramePool.Cache frames;
    private final int frameRoom;
    private final long rx;
    private final long tx;
    private final int slotBytes;
    private final int rxSlots;
    private final int txSlots;
    private final Arena arena = Arena.ofShared();
    private final long scratch = arena.allocate(SCRATCH_BYTES, 64).address();
    private final Segmenter segmenter = new Segmenter();

    private int rxNext;
    private int txNext;
    private int txReap;
    private int txPending;
    private volatile int longestSent;

    private final AtomicLong received = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong overruns = new AtomicLong();
    private final AtomicLong checksumsCompleted = new AtomicLong();
    private final AtomicLong segmented = new AtomicLong();
    private final AtomicLong poolEmpty = new AtomicLong();
    private final AtomicLong oversized = new AtomicLong();
    private long kernelDrops;
    private boolean closed;

    AfPacketPort(PacketSocket socket, FramePool pool, int mtu) {
        this.socket = socket;
        this.frames = pool.newCache();
        this.frameRoom = pool.frameSize() - FramePool.HEADROOM;
        this.rx = socket.rxAddress() & Native.MASK;
        this.tx = socket.txAddress() & Native.MASK;
        this.slotBytes = socket.slotBytes();
        this.rxSlots = socket.rxSlots();
        this.txSlots = socket.txSlots();
        this.longestSent = longestFor(mtu);
    }

    /** What a slot holds of frames to send, at most. */
    static int txRoom(int slotBytes) {
        return slotBytes - TX_DATA - VNET_BYTES;
    }

    private int longestFor(int mtu) {
        return Math.min(mtu + ETHERNET_BYTES, txRoom(slotBytes));
    }

    @Override
    public int receive(FrameBatch batch) {
        int before = batch.count;
        if (segmenter.hasMore()) {
            segment(batch);
        }
        while (!batch.isFull()) {
            long slot = rx + (long) rxNext * slotBytes;
            int status = (int) STATUS.getAcquire(Native.MEMORY, slot);
            if ((status & RX_USER) == 0) {
                break;
            }
            receiveSlot(slot, status, batch);
            STATUS.setRelease(Native.MEMORY, slot, RX_KERNEL);
            rxNext = rxNext + 1 == rxSlots ? 0 : rxNext + 1;
        }
        int taken = batch.count - before;
        add(received, taken);
        return taken;
    }

    private void receiveSlot(long slot, int status, FrameBatch batch) {
        int length = Native.MEMORY.get(Native.INT, slot + LENGTH);
        int captured = Native.MEMORY.get(Native.INT, slot + CAPTURED);
        long frame = slot + (Native.MEMORY.get(Native.SHORT, slot + MAC) & 0xffff);
        long vnet = frame - VNET_BYTES;
        if (captured < length) {
            receiveCopy(status, batch);
        } else if (Native.MEMORY.get(Native.BYTE, vnet + VNET_GSO_TYPE) != 0) {
            MemorySegment.copy(Native.MEMORY, vnet, Native.MEMORY, scratch, (long) VNET_BYTES + length);
            startSegments(length, batch);
        } else {
            receiveFrame(vnet, length, batch);
        }
    }

    /** A frame longer than its slot lies whole in the socket's queue, if there was room for it. */
    private void receiveCopy(int status, FrameBatch batch) {
        if ((status & RX_COPY) == 0) {
            add(overruns, 1);
            return;
        }
        int bytes = Libc.recv(socket.descriptor(), scratch, SCRATCH_BYTES, Libc.MSG_DONTWAIT | Libc.MSG_TRUNC);
        if (bytes <= VNET_BYTES) {
            add(overruns, 1);
        } else if (bytes > SCRATCH_BYTES) {
            add(oversized, 1);
        } else if (Native.MEMORY.get(Native.BYTE, scratch + VNET_GSO_TYPE) != 0) {
            startSegments(bytes - VNET_BYTES, batch);
        } else {
            receiveFrame(scratch, bytes - VNET_BYTES, batch);
        }
    }

    private void receiveFrame(long vnet, int length, FrameBatch batch) {
        if (length > frameRoom) {
            add(oversized, 1);
            return;
        }
        long chunk = frames.take();
        if (chunk == 0) {
            add(poolEmpty, 1);
            return;
        }
        long frame = (chunk & Native.MASK) + FramePool.HEADROOM;
        MemorySegment.copy(Native.MEMORY, vnet + VNET_BYTES, Native.MEMORY, frame, length);
        if ((Native.MEMORY.get(Native.BYTE, vnet) & NEEDS_CHECKSUM) != 0) {
            finishChecksum(vnet, frame, length);
        }
        batch.add(frame, length);
    }

    private void finishChecksum(long vnet, long frame, int length) {
        int start = Native.MEMORY.get(Native.SHORT, vnet + VNET_CHECKSUM_START) & 0xffff;
        int field = start + (Native.MEMORY.get(Native.SHORT, vnet + VNET_CHECKSUM_OFFSET) & 0xffff);
        if (field + 2 > length) {
            return;
        }
        // The field holds the pseudo-header's sum. 0 would say «none» in UDP; 0xffff is the same number.
        int checksum = ~Checksum.fold(Checksum.sum(frame + start, length - start)) & 0xffff;
        Native.MEMORY.set(Native.BE_SHORT, frame + field, (short) (checksum == 0 ? 0xffff : checksum));
        add(checksumsCompleted, 1);
    }

    private void startSegments(int length, FrameBatch batch) {
        int gsoType = Native.MEMORY.get(Native.BYTE, scratch + VNET_GSO_TYPE) & 0xff;
        int gsoSize = Native.MEMORY.get(Native.SHORT, scratch + VNET_GSO_SIZE) & 0xffff;
        if (!segmenter.start(scratch + VNET_BYTES, length, gsoType, gsoSize, frameRoom)) {
            add(oversized, 1);
            return;
        }
        add(segmented, 1);
        segment(batch);
    }

    private void segment(FrameBatch batch) {
        while (segmenter.hasMore() && !batch.isFull()) {
            long chunk = frames.take();
            if (chunk == 0) {
                add(poolEmpty, segmenter.abandon());
                return;
            }
            long frame = (chunk & Native.MASK) + FramePool.HEADROOM;
            batch.add(frame, segmenter.next(frame));
        }
    }

    @Override
    public int send(FrameBatch batch) {
        int refused = 0;
        int longest = longestSent;
        for (int i = 0; i < batch.count; i++) {
            if (batch.length[i] > longest) {
                add(oversized, 1);
                refused++;
            } else if (!queue(batch.address[i] & Native.MASK, batch.length[i])) {
                // Drop rather than wait: a full ring would delay every session on this core.
                refused++;
            }
            frames.give(batch.address[i]);
        }
        batch.count = 0;
        return refused;
    }

    private boolean queue(long frame, int length) {
        long slot = tx + (long) txNext * slotBytes;
        if (txPending == txSlots || (int) STATUS.getAcquire(Native.MEMORY, slot) != TX_AVAILABLE) {
            return false;
        }
        long vnet = slot + TX_DATA;
        Native.MEMORY.set(Native.LONG, vnet, 0L);
        Native.MEMORY.set(Native.SHORT, vnet + 8, (short) 0);
        // The whole frame counts as header: the kernel copies it, and the slot is free again at once.
        Native.MEMORY.set(Native.SHORT, vnet + VNET_HEADER_LENGTH, (short) length);
        MemorySegment.copy(Native.MEMORY, frame, Native.MEMORY, vnet + VNET_BYTES, length);
        Native.MEMORY.set(Native.INT, slot + LENGTH, length + VNET_BYTES);
        STATUS.setRelease(Native.MEMORY, slot, TX_SEND_REQUEST);
        txNext = txNext + 1 == txSlots ? 0 : txNext + 1;
        txPending++;
        return true;
    }

    @Override
    public void flush() {
        if (txPending > 0) {
            // A refusal (no buffers, device down) leaves the slots as they are, for the next turn.
            Libc.sendto(socket.descriptor(), 0, 0, Libc.MSG_DONTWAIT, 0, 0);
            reap();
        }
    }

    private void reap() {
        int before = txPending;
        while (txPending > 0
                && (int) STATUS.getAcquire(Native.MEMORY, tx + (long) txReap * slotBytes) == TX_AVAILABLE) {
            txReap = txReap + 1 == txSlots ? 0 : txReap + 1;
            txPending--;
        }
        add(sent, before - txPending);
    }

    // What the kernel does with slots, for made-up rings.

    /** Where a made-up kernel writes a frame. */
    static long receivedFrame(long slot) {
        return slot + TX_DATA + VNET_BYTES;
    }

    static boolean isFree(long slot) {
        return (int) STATUS.getAcquire(Native.MEMORY, slot) == RX_KERNEL;
    }

    /** Hands a received frame over. */
    static void markReceived(long slot, int length, boolean needsChecksum) {
        Native.MEMORY.set(Native.INT, slot + LENGTH, length);
        Native.MEMORY.set(Native.INT, slot + CAPTURED, length);
        Native.MEMORY.set(Native.SHORT, slot + MAC, (short) (TX_DATA + VNET_BYTES));
        long vnet = slot + TX_DATA;
        Native.MEMORY.set(Native.BYTE, vnet, (byte) (needsChecksum ? NEEDS_CHECKSUM : 0));
        Native.MEMORY.set(Native.BYTE, vnet + VNET_GSO_TYPE, (byte) 0);
        Native.MEMORY.set(Native.SHORT, vnet + VNET_CHECKSUM_START, UDP_IN_FRAME);
        Native.MEMORY.set(Native.SHORT, vnet + VNET_CHECKSUM_OFFSET, CHECKSUM_IN_UDP);
        STATUS.setRelease(Native.MEMORY, slot, RX_USER);
    }

    static boolean isToBeSent(long slot) {
        return (int) STATUS.getAcquire(Native.MEMORY, slot) == TX_SEND_REQUEST;
    }

    static void markSent(long slot) {
        STATUS.setRelease(Native.MEMORY, slot, TX_AVAILABLE);
    }

    @Override
    public int descriptor() {
        return socket.descriptor();
    }

    @Override
    public boolean hasQueued() {
        return txPending > 0;
    }

    @Override
    public boolean hasUnsent() {
        return txPending > 0;
    }

    @Override
    public synchronized PortStatistics statistics() {
        if (!closed) {
            askKernel();
        }
        return new PortStatistics(
                received.getOpaque(),
                sent.getOpaque(),
                kernelDrops + overruns.getOpaque(),
                0,
                0,
                checksumsCompleted.getOpaque(),
                segmented.getOpaque(),
                poolEmpty.getOpaque(),
                oversized.getOpaque());
    }

    private void askKernel() {
        try {
            kernelDrops += socket.takeDrops();
            socket.takeError();
            longestSent = longestFor(socket.mtu());
        } catch (CallFailed e) {
            // The device is gone: what was counted stays, and nothing is sent on it any more.
            longestSent = 0;
        }
    }

    /** What nobody took from the ring is lost. */
    synchronized void close() {
        if (closed) {
            return;
        }
        askKernel();
        add(overruns, leftBehind());
        closed = true;
        socket.close();
        frames.close();
        arena.close();
    }

    private int leftBehind() {
        int left = 0;
        for (int slot = 0; slot < rxSlots; slot++) {
            int status = (int) STATUS.getAcquire(Native.MEMORY, rx + (long) slot * slotBytes);
            left += (status & RX_USER) != 0 ? 1 : 0;
        }
        return left;
    }

    private static void add(AtomicLong counter, int more) {
        if (more != 0) {
            counter.setOpaque(counter.getPlain() + more);
        }
    }
}
