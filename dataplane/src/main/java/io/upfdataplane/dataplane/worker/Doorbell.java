package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.PacketPort;
import java.lang.invoke.VarHandle;

/**
 * How a worker waits, and how others wake it: an eventfd beside the descriptors of its ports. Its worker waits; any
 * thread rings.
 */
final class Doorbell implements AutoCloseable {
    private static final int EFD_NONBLOCK_CLOEXEC = 0x80800;
    private static final int MOST_PORTS = 4;
    private static final int EVENTS = 4;
    private static final int TIMESPEC = (MOST_PORTS + 1) * Libc.POLLFD_SIZE;
    private static final int COUNT = TIMESPEC + 16;

    /** What a ring writes; apart from {@link #COUNT}, which the worker reads into. */
    private static final int ONE = COUNT + 8;

    private final Block block = new Block(ONE + 8L, 64);
    private final long base = block.address();
    private final int eventfd;
    private int ports;
    private volatile boolean waiting;

    Doorbell() {
        eventfd = Libc.eventfd(0, EFD_NONBLOCK_CLOEXEC);
        if (eventfd < 0) {
            throw new IllegalStateException("eventfd: errno " + -eventfd + "; raise the limit of open files");
        }
        Native.MEMORY.set(Native.LONG, (base & Native.MASK) + ONE, 1L);
        watch(new PacketPort[0]);
    }

    /** Worker: waits for these ports from now on. */
    void watch(PacketPort[] watched) {
        ports = Math.min(watched.length, MOST_PORTS);
        for (int i = 0; i < ports; i++) {
            setDescriptor(i, watched[i].descriptor());
        }
        setDescriptor(ports, eventfd);
    }

    private void setDescriptor(int i, int descriptor) {
        long at = (base & Native.MASK) + (long) i * Libc.POLLFD_SIZE;
        Native.MEMORY.set(Native.INT, at, descriptor);
        Native.MEMORY.set(Native.SHORT, at + EVENTS, Libc.POLLIN);
    }

    /** Worker: from now on a ring wakes it. What it must not miss it looks for after this and before {@link #await}. */
    void arm() {
        waiting = true;
        VarHandle.fullFence();
    }

    /** Worker: waits for a frame, a ring or the time to pass. */
    void await(long timeoutNs) {
        long at = base & Native.MASK;
        Native.MEMORY.set(Native.LONG, at + TIMESPEC, timeoutNs / 1_000_000_000);
        Native.MEMORY.set(Native.LONG, at + TIMESPEC + 8, timeoutNs % 1_000_000_000);
        Libc.ppoll(base, ports + 1, base + TIMESPEC);
    }

    /** Worker: rings no longer matter. */
    void disarm() {
        waiting = false;
        Libc.read(eventfd, base + COUNT, 8);
    }

    /** Any thread: wakes the worker if it waits. What it shall find was written before. */
    void ring() {
        VarHandle.fullFence();
        if (waiting) {
            Libc.write(eventfd, base + ONE, 8);
        }
    }

    @Override
    public void close() {
        Libc.close(eventfd);
        block.close();
    }
}
