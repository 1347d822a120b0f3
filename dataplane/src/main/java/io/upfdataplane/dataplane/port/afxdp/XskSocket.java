package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.ffi.IfXdp;
import io.upfdataplane.dataplane.ffi.Libc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;

/** One bound AF_XDP socket: the RX and TX ring of one worker on one queue. The worker, except {@link #counts}. */
final class XskSocket {
    /** Calls in one turn to push out a full TX ring where the kernel takes 32 descriptors each time. */
    private static final int MOST_KICKS = 64;

    final int descriptor;
    final XskRing.Consumer rx;
    final XskRing.Producer tx;
    final QueueRings queue;
    private final AtomicLong submitted = new AtomicLong();

    XskSocket(int descriptor, XskRing.Consumer rx, XskRing.Producer tx, QueueRings queue) {
        this.descriptor = descriptor;
        this.rx = rx;
        this.tx = tx;
        this.queue = queue;
    }

    /** Shows the kernel {@code count} descriptors that were added to {@link #tx}. */
    void submit(int count) {
        tx.publish();
        submitted.setRelease(submitted.getPlain() + count);
    }

    /** Descriptors shown to the kernel so far. Any thread. */
    long submitted() {
        return submitted.getAcquire();
    }

    /** Calls the kernel to send what is in the TX ring, if it wants to be called. */
    void kick() {
        int left = tx.filled();
        for (int kicks = 0; left > 0 && kicks < MOST_KICKS && tx.needsWakeup(); kicks++) {
            Libc.sendto(descriptor, 0, 0, Libc.MSG_DONTWAIT, 0, 0);
            int before = left;
            left = tx.filled();
            // EAGAIN with progress means that there is more; without progress the device or the completion ring is
            // full, and all kicks are used up. No branch: warm-up sees one outcome only, and compiled code that meets
            // the other for the first time is thrown away in the middle of traffic.
            kicks += MOST_KICKS & (before - left - 1) >> 31;
        }
    }

    /** Calls the kernel to receive: for drivers that sleep, and to poll the device in our own time. */
    void callForPackets() {
        Libc.recv(descriptor, 0, 0, Libc.MSG_DONTWAIT);
    }

    /** The kernel's own counts of a socket ({@code struct xdp_statistics}). */
    record Counts(long dropped, long invalidRx, long invalidTx, long ringFull, long fillEmpty, long txRingEmpty) {
        static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);
    }

    /** Any thread, while the socket is open. */
    Counts counts() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(IfXdp.STATISTICS_SIZE, 8);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, IfXdp.STATISTICS_SIZE);
            if (Libc.getsockopt(descriptor, IfXdp.SOL_XDP, IfXdp.XDP_STATISTICS, value.address(), length.address())
                    < 0) {
                return Counts.NONE;
            }
            return new Counts(
                    value.getAtIndex(ValueLayout.JAVA_LONG, 0),
                    value.getAtIndex(ValueLayout.JAVA_LONG, 1),
                    value.getAtIndex(ValueLayout.JAVA_LONG, 2),
                    value.getAtIndex(ValueLayout.JAVA_LONG, 3),
                    value.getAtIndex(ValueLayout.JAVA_LONG, 4),
                    value.getAtIndex(ValueLayout.JAVA_LONG, 5));
        }
    }
}
