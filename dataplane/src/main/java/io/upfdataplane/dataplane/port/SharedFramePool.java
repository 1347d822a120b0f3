package io.upfdataplane.dataplane.port;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The frame pool over one mapping: a central stack of free frames under a try-lock, and caches that move frames to and
 * from it {@value #BULK} at a time. A cache has room for every frame of the pool, so giving never fails and never waits.
 * Opening and closing belong to the control thread, {@link #newCache} and {@link #free} to any.
 */
public final class SharedFramePool implements FramePool {
    private static final int BULK = 128;
    /** Below this a cache tries to refill while it still has frames, so that a taken lock does not cost a packet. */
    private static final int LOW = 64;
    /** Above this a cache tries to give to the centre, so that one thread does not hoard. */
    private static final int HIGH = LOW + 2 * BULK;

    private static final int MAX_FRAMES = 1 << 22;
    private static final long HUGEPAGE_BYTES = 2 << 20;

    private final long baseAddress;
    private final long mappedBytes;
    private final boolean hugepages;
    private final int frames;
    private final int frameShift;
    private final AtomicBoolean lock = new AtomicBoolean();
    private final int[] stack;
    private int top;
    private final List<WorkerCache> caches = new CopyOnWriteArrayList<>();

    private SharedFramePool(long baseAddress, long mappedBytes, boolean hugepages, int frames, int frameSize) {
        this.baseAddress = baseAddress;
        this.mappedBytes = mappedBytes;
        this.hugepages = hugepages;
        this.frames = frames;
        this.frameShift = Integer.numberOfTrailingZeros(frameSize);
        this.stack = new int[frames];
        for (int i = 0; i < frames; i++) {
            stack[i] = frames - 1 - i;
        }
        this.top = frames;
    }

    /**
     * Maps the region, from 2 MiB hugepages if they are wished and there.
     *
     * @param frameSize 2048 or 4096
     */
    public static SharedFramePool open(int frames, int frameSize, boolean hugepagesWished) throws PortRefused {
        if (frameSize != 2048 && frameSize != 4096) {
            throw new PortRefused("FramePool", "frame size " + frameSize, "2048 or 4096", "set umem.frameSize");
        }
        if (frames < 1 || frames > MAX_FRAMES) {
            throw new PortRefused("FramePool", frames + " frames", "1 to " + MAX_FRAMES, "set umem.frames");
        }
        long bytes = (long) frames * frameSize;
        if (hugepagesWished) {
            int flags = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS;
            long rounded = (bytes + HUGEPAGE_BYTES - 1) / HUGEPAGE_BYTES * HUGEPAGE_BYTES;
            long address = map(rounded, flags | Libc.MAP_HUGETLB);
            if (address > 0) {
                return new SharedFramePool(address, rounded, true, frames, frameSize);
            }
        }
        long rounded = (bytes + 4095) / 4096 * 4096;
        long address = mapSmall(rounded);
        if (address < 0) {
            throw new PortRefused(
                    "FramePool",
                    "mmap(" + rounded + " bytes): " + Errno.name((int) -address),
                    frames + " frames of " + frameSize + " bytes",
                    "give the pod more memory or set umem.frames lower");
        }
        return new SharedFramePool(address, rounded, false, frames, frameSize);
    }

    /** Maps and fills: a page that a cgroup does not grant is refused here, not with SIGBUS at its first packet. */
    private static long map(long bytes, int flags) {
        long address = Libc.mmap(bytes, Libc.PROT_READ | Libc.PROT_WRITE, flags, -1, 0);
        if (address < 0) {
            return address;
        }
        return fill(address, bytes);
    }

    /**
     * The same where no hugepages are reserved: aligned so that the kernel can use transparent ones. Every packet
     * touches a page of its own, and with small pages most of them miss the TLB.
     */
    private static long mapSmall(long bytes) {
        int flags = Libc.MAP_PRIVATE | Libc.MAP_ANONYMOUS;
        long mapped = Libc.mmap(bytes + HUGEPAGE_BYTES, Libc.PROT_READ | Libc.PROT_WRITE, flags, -1, 0);
        if (mapped < 0) {
            return mapped;
        }
        long address = (mapped + HUGEPAGE_BYTES - 1) & -HUGEPAGE_BYTES;
        if (address > mapped) {
            Libc.munmap(mapped, address - mapped);
        }
        if (address < mapped + HUGEPAGE_BYTES) {
            Libc.munmap(address + bytes, mapped + HUGEPAGE_BYTES - address);
        }
        // A kernel without them refuses the advice, and small pages do as well, only slower.
        Libc.madvise(address, bytes, Libc.MADV_HUGEPAGE);
        return fill(address, bytes);
    }

    private static long fill(long address, long bytes) {
        int filled = Libc.madvise(address, bytes, Libc.MADV_POPULATE_WRITE);
        // EINVAL: a kernel before 5.14, which does not know it.
        if (filled < 0 && filled != -Errno.EINVAL) {
            Libc.munmap(address, bytes);
            return filled;
        }
        return address;
    }

    /** True when the region lies in hugepages. */
    public boolean hasHugepages() {
        return hugepages;
    }

    @Override
    public long baseAddress() {
        return baseAddress;
    }

    @Override
    public long sizeBytes() {
        return (long) frames << frameShift;
    }

    @Override
    public int frames() {
        return frames;
    }

    @Override
    public int frameSize() {
        return 1 << frameShift;
    }

    @Override
    public Cache newCache() {
        WorkerCache cache = new WorkerCache();
        caches.add(cache);
        return cache;
    }

    @Override
    public int free() {
        lockPatiently();
        int free = top;
        unlock();
        for (WorkerCache cache : caches) {
            free += cache.count;
        }
        return free;
    }

    @Override
    public void close() {
        Libc.munmap(baseAddress, mappedBytes);
    }

    private boolean tryLock() {
        return !lock.getPlain() && lock.compareAndSet(false, true);
    }

    private void lockPatiently() {
        while (!tryLock()) {
            Thread.onSpinWait();
        }
    }

    private void unlock() {
        lock.setRelease(false);
    }

    private final class WorkerCache implements Cache {
        private final int[] held = new int[frames];
        private int count;

        @Override
        public long take() {
            if (count < LOW) {
                refill();
                if (count == 0) {
                    return 0;
                }
            }
            return baseAddress + ((long) held[--count] << frameShift);
        }

        @Override
        public void give(long address) {
            held[count++] = (int) (address - baseAddress >>> frameShift);
            if (count > HIGH) {
                spill();
            }
        }

        @Override
        public void close() {
            lockPatiently();
            System.arraycopy(held, 0, stack, top, count);
            top += count;
            count = 0;
            unlock();
            caches.remove(this);
        }

        private void refill() {
            if (tryLock()) {
                int moved = Math.min(BULK, top);
                top -= moved;
                System.arraycopy(stack, top, held, count, moved);
                unlock();
                count += moved;
            }
        }

        private void spill() {
            if (tryLock()) {
                int moved = count - LOW - BULK;
                System.arraycopy(held, count - moved, stack, top, moved);
                top += moved;
                unlock();
                count -= moved;
            }
        }
    }
}
