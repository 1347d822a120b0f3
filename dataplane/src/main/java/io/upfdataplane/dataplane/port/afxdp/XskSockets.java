package io.upfdataplane.dataplane.port.afxdp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.IfXdp;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * All AF_XDP sockets of a port set over one UMEM, which is the frame pool: one socket for each device, queue and worker.
 * The first socket registers the UMEM; the first one on each queue brings the queue's fill and completion ring; all
 * others share what is there. Control thread.
 */
final class XskSockets implements AutoCloseable {
    private static final long BIND_PATIENCE_NS = 2_000_000_000L;
    private static final long BIND_PAUSE_NS = 20_000_000;

    private static final int BUSY_POLL_US = 20;
    private static final int BUSY_POLL_BUDGET = 64;
    private static final int TX_BUDGET = 256;

    /** What one frame weighs in a socket's send buffer, as skb: data and bookkeeping. */
    private static final int SEND_BUFFER_BYTES_EACH = 4096;

    private final List<NetDevice> devices;
    private final PortPlan plan;
    private final FramePool pool;
    private final KernelFrames kernelFrames;
    private final boolean zeroCopy;

    /** [device][queue][worker] */
    private final XskSocket[][][] sockets;

    private final List<Integer> descriptors = new ArrayList<>();
    private final List<XskRing> rings = new ArrayList<>();
    private int umemOwner = -1;

    /** The device cannot do it without a copy. */
    static final class NoZeroCopy extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient NetDevice device;
        private final String call;
        private final int errno;

        private NoZeroCopy(NetDevice device, String call, int errno) {
            super(call + ": " + Errno.name(errno));
            this.device = device;
            this.call = call;
            this.errno = errno;
        }

        PortRefused refused() {
            return Refusals.noZeroCopy(device, call, errno);
        }
    }

    private XskSockets(List<NetDevice> devices, PortPlan plan, FramePool pool, boolean zeroCopy) {
        this.devices = devices;
        this.plan = plan;
        this.pool = pool;
        this.kernelFrames = new KernelFrames(pool);
        this.zeroCopy = zeroCopy;
        this.sockets = new XskSocket[devices.size()][][];
    }

    /** Asks for a socket of no use, so that what opening needs is loaded; that it may be refused does not matter. */
    static void preload() {
        int fd = Libc.socket(Libc.AF_XDP, Libc.SOCK_RAW | Libc.SOCK_CLOEXEC, 0);
        if (fd >= 0) {
            Libc.close(fd);
        }
    }

    /** Opens and binds all of them, or none. */
    static XskSockets open(List<NetDevice> devices, PortPlan plan, FramePool pool, boolean zeroCopy)
            throws PortRefused, NoZeroCopy {
        XskSockets all = new XskSockets(devices, plan, pool, zeroCopy);
        FramePool.Cache cache = pool.newCache();
        boolean isOpen = false;
        try {
            for (int device = 0; device < devices.size(); device++) {
                all.openDevice(device, cache);
            }
            isOpen = true;
            return all;
        } finally {
            cache.close();
            if (!isOpen) {
                all.close();
            }
        }
    }

    private void openDevice(int device, FramePool.Cache cache) throws PortRefused, NoZeroCopy {
        int queues = devices.get(device).queues();
        sockets[device] = new XskSocket[queues][plan.workers()];
        for (int queue = 0; queue < queues; queue++) {
            for (int worker = 0; worker < plan.workers(); worker++) {
                sockets[device][queue][worker] = openSocket(device, queue, worker, cache);
            }
        }
    }

    private XskSocket openSocket(int deviceIndex, int queue, int worker, FramePool.Cache cache)
            throws PortRefused, NoZeroCopy {
        NetDevice device = devices.get(deviceIndex);
        PortPlan.RingSizes sizes = plan.ringSizes();
        int fd = orRefuse(Libc.socket(Libc.AF_XDP, Libc.SOCK_RAW | Libc.SOCK_CLOEXEC, 0), "socket(AF_XDP)");
        descriptors.add(fd);
        boolean ownsUmem = umemOwner < 0;
        boolean ownsQueueRings = worker == 0;
        if (ownsUmem) {
            registerUmem(fd);
        }
        if (ownsQueueRings) {
            set(fd, IfXdp.XDP_UMEM_FILL_RING, sizes.fill(), "XDP_UMEM_FILL_RING");
            set(fd, IfXdp.XDP_UMEM_COMPLETION_RING, sizes.completion(), "XDP_UMEM_COMPLETION_RING");
        }
        set(fd, IfXdp.XDP_RX_RING, sizes.rx(), "XDP_RX_RING");
        set(fd, IfXdp.XDP_TX_RING, sizes.tx(), "XDP_TX_RING");
        tune(fd);
        Mapper mapper = new Mapper(fd);
        XskRing.Consumer rx = mapper.consumer(0, IfXdp.XDP_PGOFF_RX_RING, sizes.rx(), IfXdp.DESCRIPTOR_SIZE);
        XskRing.Producer tx = mapper.producer(1, IfXdp.XDP_PGOFF_TX_RING, sizes.tx(), IfXdp.DESCRIPTOR_SIZE);
        QueueRings queueRings;
        int sharedFd;
        if (ownsQueueRings) {
            XskRing.Producer fill = mapper.producer(2, IfXdp.XDP_UMEM_PGOFF_FILL_RING, sizes.fill(), Long.BYTES);
            XskRing.Consumer completion =
                    mapper.consumer(3, IfXdp.XDP_UMEM_PGOFF_COMPLETION_RING, sizes.completion(), Long.BYTES);
            int target = fillTarget(sizes.fill(), device.queues());
            queueRings = new QueueRings(fill, completion, pool, kernelFrames, target);
            for (int filled = 0; filled < target; filled += QueueRings.MOST_IN_ONE_TURN) {
                queueRings.refill(cache);
            }
            sharedFd = umemOwner;
        } else {
            queueRings = sockets[deviceIndex][queue][0].queue;
            sharedFd = sockets[deviceIndex][queue][0].descriptor;
        }
        bind(fd, device, queue, ownsUmem ? 0 : sharedFd, ownsUmem);
        if (ownsUmem) {
            umemOwner = fd;
        }
        return new XskSocket(fd, rx, tx, queueRings);
    }

    /** The level is the plan's for a device, divided among its queues. */
    private static int fillTarget(int fill, int queues) {
        return Math.max(Math.min(fill, 64), fill / queues);
    }

    /** Frames that a pool needs so that the fill rings never starve: as many again in RX, TX and completion rings. */
    static int framesNeeded(List<NetDevice> devices, PortPlan plan) {
        int filled = 0;
        for (NetDevice device : devices) {
            filled += fillTarget(plan.ringSizes().fill(), device.queues()) * device.queues();
        }
        return filled * 4;
    }

    private void registerUmem(int fd) throws PortRefused {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment umem = arena.allocate(IfXdp.UMEM_REG_SIZE, 8);
            umem.set(JAVA_LONG, 0, pool.baseAddress());
            umem.set(JAVA_LONG, 8, pool.sizeBytes());
            umem.set(JAVA_INT, 16, pool.frameSize());
            // No headroom of our own: the kernel's XDP_PACKET_HEADROOM is what the pool promises.
            umem.set(JAVA_INT, 20, FramePool.HEADROOM - IfXdp.XDP_PACKET_HEADROOM);
            int result = Libc.setsockopt(fd, IfXdp.SOL_XDP, IfXdp.XDP_UMEM_REG, umem.address(), IfXdp.UMEM_REG_SIZE);
            if (result == -Errno.ENOBUFS) {
                throw Refusals.memlock(pool.sizeBytes(), "setsockopt(XDP_UMEM_REG)", Refusals.memlockLimit());
            }
            orRefuse(result, "setsockopt(XDP_UMEM_REG, " + pool.sizeBytes() + " bytes)");
        }
    }

    private static void set(int fd, int option, int value, String name) throws PortRefused {
        orRefuse(Libc.setsockopt(fd, IfXdp.SOL_XDP, option, value), "setsockopt(" + name + ", " + value + ")");
    }

    private void tune(int fd) throws PortRefused {
        // Older kernels do not know this one and send 32 at a time; XskSocket.kick() then calls more often.
        if (plan.ringSizes().tx() >= TX_BUDGET) {
            Libc.setsockopt(fd, IfXdp.SOL_XDP, IfXdp.XDP_MAX_TX_SKB_BUDGET, TX_BUDGET);
        }
        // A whole TX ring may be under way; without the right to it, fewer are, and kick() continues later.
        Libc.setsockopt(
                fd, Libc.SOL_SOCKET, Libc.SO_SNDBUFFORCE, plan.ringSizes().tx() * SEND_BUFFER_BYTES_EACH);
        if (plan.busyPoll()) {
            orRefuse(
                    Libc.setsockopt(fd, Libc.SOL_SOCKET, Libc.SO_PREFER_BUSY_POLL, 1),
                    "setsockopt(SO_PREFER_BUSY_POLL, 1)");
            orRefuse(
                    Libc.setsockopt(fd, Libc.SOL_SOCKET, Libc.SO_BUSY_POLL, BUSY_POLL_US),
                    "setsockopt(SO_BUSY_POLL, " + BUSY_POLL_US + ")");
            orRefuse(
                    Libc.setsockopt(fd, Libc.SOL_SOCKET, Libc.SO_BUSY_POLL_BUDGET, BUSY_POLL_BUDGET),
                    "setsockopt(SO_BUSY_POLL_BUDGET, " + BUSY_POLL_BUDGET + ")");
        }
    }

    private void bind(int fd, NetDevice device, int queue, int sharedFd, boolean ownsUmem)
            throws PortRefused, NoZeroCopy {
        int copyFlag = zeroCopy ? IfXdp.XDP_ZEROCOPY : IfXdp.XDP_COPY;
        int flags = ownsUmem ? copyFlag | IfXdp.XDP_USE_NEED_WAKEUP : IfXdp.XDP_SHARED_UMEM;
        String call = "bind(" + device.name() + ", queue " + queue + (zeroCopy ? ", zero-copy)" : ", copy)");
        int result;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(IfXdp.SOCKADDR_XDP_SIZE, 8);
            address.set(JAVA_SHORT, 0, (short) Libc.AF_XDP);
            address.set(JAVA_SHORT, 2, (short) flags);
            address.set(JAVA_INT, 4, device.ifindex());
            address.set(JAVA_INT, 8, queue);
            address.set(JAVA_INT, 12, sharedFd);
            // The kernel lets go of a queue only some time after its socket was closed.
            long deadline = System.nanoTime() + BIND_PATIENCE_NS;
            result = Libc.bind(fd, address.address(), IfXdp.SOCKADDR_XDP_SIZE);
            while (result == -Errno.EBUSY && System.nanoTime() < deadline) {
                LockSupport.parkNanos(BIND_PAUSE_NS);
                result = Libc.bind(fd, address.address(), IfXdp.SOCKADDR_XDP_SIZE);
            }
        }
        if (result == -Errno.EBUSY) {
            throw Refusals.queueInUse(device, call);
        }
        if (result < 0 && zeroCopy && result != -Errno.EPERM) {
            throw new NoZeroCopy(device, call, -result);
        }
        orRefuse(result, call);
    }

    private static int orRefuse(int result, String call) throws PortRefused {
        if (result < 0) {
            throw Refusals.of(
                    call,
                    -result,
                    "Kernel",
                    "Linux 5.10 or newer with XDP_SOCKETS, and ring sizes that are powers of two",
                    "use a kernel that has it, or AF_PACKET");
        }
        return result;
    }

    /** Maps the rings of one socket. */
    private final class Mapper {
        private final int fd;
        private final MemorySegment offsets;

        Mapper(int fd) throws PortRefused {
            this.fd = fd;
            this.offsets = Arena.ofAuto().allocate(IfXdp.MMAP_OFFSETS_SIZE, 8);
            MemorySegment length = Arena.ofAuto().allocateFrom(JAVA_INT, IfXdp.MMAP_OFFSETS_SIZE);
            orRefuse(
                    Libc.getsockopt(fd, IfXdp.SOL_XDP, IfXdp.XDP_MMAP_OFFSETS, offsets.address(), length.address()),
                    "getsockopt(XDP_MMAP_OFFSETS)");
        }

        XskRing.Producer producer(int which, long pageOffset, int size, int entrySizeBytes) throws PortRefused {
            XskRing.Offsets at = offsetsOf(which);
            long bytes = at.entries() + (long) size * entrySizeBytes;
            XskRing.Producer ring = new XskRing.Producer(map(bytes, pageOffset), bytes, at, size, entrySizeBytes);
            rings.add(ring);
            return ring;
        }

        XskRing.Consumer consumer(int which, long pageOffset, int size, int entrySizeBytes) throws PortRefused {
            XskRing.Offsets at = offsetsOf(which);
            long bytes = at.entries() + (long) size * entrySizeBytes;
            XskRing.Consumer ring = new XskRing.Consumer(map(bytes, pageOffset), bytes, at, size, entrySizeBytes);
            rings.add(ring);
            return ring;
        }

        private XskRing.Offsets offsetsOf(int which) {
            return new XskRing.Offsets(
                    offsets.getAtIndex(JAVA_LONG, which * 4L),
                    offsets.getAtIndex(JAVA_LONG, which * 4L + 1),
                    offsets.getAtIndex(JAVA_LONG, which * 4L + 2),
                    offsets.getAtIndex(JAVA_LONG, which * 4L + 3));
        }

        private long map(long bytes, long pageOffset) throws PortRefused {
            long address = Libc.mmap(
                    bytes, Libc.PROT_READ | Libc.PROT_WRITE, Libc.MAP_SHARED | Libc.MAP_POPULATE, fd, pageOffset);
            if (address < 0) {
                throw Refusals.of(
                        "mmap(ring, " + bytes + " bytes)",
                        (int) -address,
                        "Memlock",
                        "memory for the rings",
                        "give the pod more memory or set rings lower");
            }
            return address;
        }
    }

    boolean isZeroCopy() {
        return zeroCopy;
    }

    KernelFrames kernelFrames() {
        return kernelFrames;
    }

    XskSocket socket(int device, int queue, int worker) {
        return sockets[device][queue][worker];
    }

    /** Closes all sockets and gives every frame that the kernel held back to the pool. */
    @Override
    public void close() {
        for (int i = descriptors.size() - 1; i >= 0; i--) {
            Libc.close(descriptors.get(i));
        }
        descriptors.clear();
        rings.forEach(XskRing::unmap);
        rings.clear();
        FramePool.Cache cache = pool.newCache();
        kernelFrames.reclaim(cache);
        cache.close();
    }
}
