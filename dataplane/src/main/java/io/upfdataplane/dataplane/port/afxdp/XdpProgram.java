package io.upfdataplane.dataplane.port.afxdp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.IfXdp;
import io.upfdataplane.dataplane.ffi.Libbpf;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The XDP program {@code upf_steer.bpf.c} in the kernel, with its maps, attached to the devices of one port set. Control
 * thread only.
 */
final class XdpProgram implements AutoCloseable {
    static final String NAME = "upf_steer";

    private static final String RESOURCE = "/bpf/upf_steer.o";
    private static final int KERNEL_LOG_BYTES = 64 << 10;
    private static final int KERNEL_LOG_SHOWN = 300;

    private static final int NO_DESCRIPTOR = -1;
    private static final int LOOPBACK = 1;
    private static final long POLL_PAUSE_NS = 20_000_000;

    // struct control and struct device of the program.
    private static final int CONTROL_SIZE = 56;
    private static final int CONTROL_REDIRECT = 0;
    private static final int CONTROL_WORKERS = 4;
    private static final int CONTROL_DEVICES = 8;
    private static final int DEVICE_SIZE = 24;
    private static final int DEVICE_IFINDEX = 0;
    private static final int DEVICE_N3_ADDRESS = 4;
    private static final int DEVICE_FIRST_SOCKET = 8;
    private static final int DEVICE_CARRIES_N6 = 12;
    private static final int DEVICE_MAC = 16;

    // enum counter of the program.
    private static final int PASSED = 0;
    private static final int PASSED_OFF = 1;
    private static final int NO_SOCKET = 2;
    private static final int FRAGMENTS = 3;
    private static final int FIRST_WORKER = 8;

    private static @Nullable Libbpf loaded;

    private final Libbpf libbpf;
    private final Arena arena = Arena.ofShared();
    private final long object;
    private final int workers;
    private final MemorySegment control = arena.allocate(CONTROL_SIZE, 8);
    private final List<Attachment> attachments = new ArrayList<>();
    private List<PortPlan.Prefix> pools = List.of();

    /**
     * @param link descriptor that holds the attachment, or -1 when it was made by netlink
     */
    private record Attachment(NetDevice device, int link, int modeFlag) {}

    /** How a device was attached. */
    enum Mode {
        NATIVE(IfXdp.XDP_FLAGS_DRV_MODE),
        GENERIC(IfXdp.XDP_FLAGS_SKB_MODE);

        private final int flag;

        Mode(int flag) {
            this.flag = flag;
        }
    }

    /**
     * What one device is for.
     *
     * @param mac the device's own: 48 bits, first octet highest
     * @param n3Ipv4 our N3 address in host order, 0 when it does not carry N3
     * @param firstSocket index of the socket of queue 0 and worker 0
     */
    record Duty(int ifindex, long mac, int n3Ipv4, int firstSocket, boolean carriesN6) {}

    private XdpProgram(Libbpf libbpf, long object, int workers) {
        this.libbpf = libbpf;
        this.object = object;
        this.workers = workers;
    }

    /** Loads the program and fills its maps; nothing is redirected yet. */
    static XdpProgram load(List<Duty> duties, int workers, List<PortPlan.Prefix> uePools, int sockets)
            throws PortRefused {
        Libbpf libbpf = libbpf();
        try (Arena loading = Arena.ofConfined()) {
            MemorySegment elf = elf(loading);
            MemorySegment log = loading.allocate(KERNEL_LOG_BYTES);
            long object = libbpf.objectOpen(elf, log);
            if (object < 0) {
                throw notLoaded("bpf_object__open_mem", (int) -object, log);
            }
            XdpProgram program = new XdpProgram(libbpf, object, workers);
            try {
                int result = libbpf.mapSetMaxEntries(object, "sockets", sockets);
                if (result == 0) {
                    result = libbpf.objectLoad(object);
                }
                if (result < 0) {
                    throw notLoaded("bpf(BPF_PROG_LOAD " + NAME + ")", -result, log);
                }
                program.write(duties, uePools);
                return program;
            } catch (PortRefused refused) {
                program.close();
                throw refused;
            }
        }
    }

    /**
     * Makes each call once that opening makes, on what does not exist where it would change something: the first use of a
     * handle is a hundred times dearer than the next. What the calls return does not matter.
     */
    static void preload() {
        try (Arena arena = Arena.ofConfined()) {
            Libbpf libbpf = libbpf();
            long object = libbpf.objectOpen(elf(arena), arena.allocate(KERNEL_LOG_BYTES));
            if (object > 0) {
                libbpf.mapSetMaxEntries(object, "sockets", 1);
                libbpf.objectLoad(object);
                libbpf.programFd(object, NAME);
                libbpf.mapFd(object, "control");
                libbpf.objectClose(object);
            }
            MemorySegment nothing = arena.allocate(64, 8);
            libbpf.mapUpdate(NO_DESCRIPTOR, nothing, nothing);
            libbpf.mapDelete(NO_DESCRIPTOR, nothing);
            libbpf.mapLookup(NO_DESCRIPTOR, nothing, nothing);
            libbpf.xdpLinkCreate(NO_DESCRIPTOR, 0, Mode.NATIVE.flag);
            libbpf.xdpProgramId(LOOPBACK, Mode.NATIVE.flag);
            libbpf.possibleCpus();
        } catch (PortRefused notInstalled) {
            // Opening says so, with what to do.
        }
    }

    private static synchronized Libbpf libbpf() throws PortRefused {
        try {
            Libbpf known = loaded;
            if (known == null) {
                known = new Libbpf();
                loaded = known;
            }
            return known;
        } catch (IllegalArgumentException notInstalled) {
            throw Refusals.library(String.valueOf(notInstalled.getMessage()));
        }
    }

    private static MemorySegment elf(SegmentAllocator allocator) {
        try (InputStream resource = XdpProgram.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException(RESOURCE + " is not on the class path: the build did not compile it");
            }
            return allocator.allocateFrom(JAVA_BYTE, resource.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PortRefused notLoaded(String call, int errno, MemorySegment log) {
        String said = log.getString(0, StandardCharsets.UTF_8).strip();
        String tail = said.length() > KERNEL_LOG_SHOWN ? said.substring(said.length() - KERNEL_LOG_SHOWN) : said;
        return Refusals.of(
                tail.isEmpty() ? call : call + " (" + tail.replace('\n', ' ') + ")",
                errno,
                "Kernel",
                "Linux 5.10 or newer with BPF and XDP_SOCKETS",
                "use a kernel that has them, or AF_PACKET");
    }

    private void write(List<Duty> duties, List<PortPlan.Prefix> uePools) throws PortRefused {
        control.set(JAVA_INT, CONTROL_WORKERS, workers);
        int at = CONTROL_DEVICES;
        for (Duty duty : duties) {
            control.set(JAVA_INT, at + DEVICE_IFINDEX, duty.ifindex);
            control.set(Native.BE_INT, at + DEVICE_N3_ADDRESS, duty.n3Ipv4);
            control.set(JAVA_INT, at + DEVICE_FIRST_SOCKET, duty.firstSocket);
            control.set(JAVA_INT, at + DEVICE_CARRIES_N6, duty.carriesN6 ? 1 : 0);
            setMac(at, duty.mac);
            at += DEVICE_SIZE;
        }
        writeControl();
        usePools(uePools);
    }

    private void setMac(int device, long mac) {
        control.set(Native.BE_INT, device + DEVICE_MAC, (int) (mac >>> 16));
        control.set(Native.BE_SHORT, device + DEVICE_MAC + 4, (short) mac);
    }

    /** A device has another address now. */
    void follow(int ifindex, long mac) {
        for (int at = CONTROL_DEVICES; at < CONTROL_SIZE; at += DEVICE_SIZE) {
            if (control.get(JAVA_INT, at + DEVICE_IFINDEX) == ifindex) {
                setMac(at, mac);
            }
        }
        try {
            writeControl();
        } catch (PortRefused impossible) {
            throw new IllegalStateException("the control map of a loaded program cannot be written", impossible);
        }
    }

    /** Adds what is new first, then removes what is gone: no packet of a pool that stays is missed. */
    void usePools(List<PortPlan.Prefix> wanted) throws PortRefused {
        try (Arena writing = Arena.ofConfined()) {
            MemorySegment key = writing.allocate(8, 8);
            MemorySegment one = writing.allocateFrom(JAVA_INT, 1);
            for (PortPlan.Prefix pool : wanted) {
                update("ue_pools", poolKey(key, pool), one);
            }
            for (PortPlan.Prefix pool : pools) {
                if (!wanted.contains(pool)) {
                    libbpf.mapDelete(libbpf.mapFd(object, "ue_pools"), poolKey(key, pool));
                }
            }
        }
        pools = List.copyOf(wanted);
    }

    /** struct bpf_lpm_trie_key: length, then the address as it stands in a packet. */
    private static MemorySegment poolKey(MemorySegment key, PortPlan.Prefix pool) {
        key.set(JAVA_INT, 0, pool.length());
        key.set(Native.BE_INT, 4, pool.address());
        return key;
    }

    /** Ours, for tests that run it on made-up packets. */
    int descriptor() {
        return libbpf.programFd(object, NAME);
    }

    /** Attaches to a device: natively, or generically where that is allowed and the driver has no XDP. */
    Mode attach(NetDevice device, boolean genericAllowed) throws PortRefused {
        makeFree(device);
        int errno = attach(device, Mode.NATIVE);
        if (errno == 0) {
            return Mode.NATIVE;
        }
        String call = "bpf_link_create(" + device.name() + ", native XDP)";
        switch (errno) {
            case Errno.EPERM, Errno.EACCES -> throw Refusals.capabilities(call, errno);
            case Errno.ERANGE -> throw Refusals.mtuTooLargeForDriver(device, call);
            case Errno.EBUSY, Errno.EEXIST -> throw Refusals.foreignProgram(device, "unknown", 0);
            case Errno.EOPNOTSUPP -> {
                if (genericAllowed && attach(device, Mode.GENERIC) == 0) {
                    return Mode.GENERIC;
                }
                throw Refusals.noNativeXdp(device, call, errno);
            }
            default -> throw Refusals.noNativeXdp(device, call, errno);
        }
    }

    /** 0, or the errno. */
    private int attach(NetDevice device, Mode mode) {
        int link = libbpf.xdpLinkCreate(descriptor(), device.ifindex(), mode.flag);
        if (link >= 0) {
            attachments.add(new Attachment(device, link, mode.flag));
            return 0;
        }
        // Before Linux 5.9 there is no link for XDP, and the kernel says EINVAL.
        if (link != -Errno.EINVAL) {
            return -link;
        }
        int result = libbpf.xdpAttach(device.ifindex(), descriptor(), mode.flag | IfXdp.XDP_FLAGS_UPDATE_IF_NOEXIST);
        if (result == 0) {
            attachments.add(new Attachment(device, -1, mode.flag));
        }
        return -result;
    }

    /** Removes what a dead dataplane left on the device; what others have there is left alone and refused. */
    private void makeFree(NetDevice device) throws PortRefused {
        for (Mode mode : Mode.values()) {
            int id = libbpf.xdpProgramId(device.ifindex(), mode.flag);
            if (id <= 0) {
                continue;
            }
            String name = libbpf.programName(id);
            if (!name.equals(NAME)) {
                throw Refusals.foreignProgram(device, name, id);
            }
            // Held by a link it belongs to a living process, and the kernel refuses to detach it.
            if (libbpf.xdpDetach(device.ifindex(), mode.flag) < 0) {
                throw Refusals.otherDataplane(device, id);
            }
        }
    }

    /** Packets for this index go to the socket from now on. */
    void place(int index, int socket) throws PortRefused {
        try (Arena placing = Arena.ofConfined()) {
            update("sockets", placing.allocateFrom(JAVA_INT, index), placing.allocateFrom(JAVA_INT, socket));
        }
    }

    /**
     * Turns redirection on or off, for all devices at once, and waits until every packet that was judged the other way
     * has come to where it was sent: the tap of an AF_PACKET socket, or the RX ring of a socket of ours.
     */
    void redirect(boolean on) {
        control.set(JAVA_INT, CONTROL_REDIRECT, on ? 1 : 0);
        try {
            writeControl();
        } catch (PortRefused impossible) {
            throw new IllegalStateException("the control map of a loaded program cannot be written", impossible);
        }
        // A device's poll runs in one RCU section from the program to tap or ring. Where the kernel does not offer the
        // wait (nohz_full), a pause much longer than a poll does.
        if (Libc.membarrier(Libc.MEMBARRIER_CMD_GLOBAL) < 0) {
            LockSupport.parkNanos(POLL_PAUSE_NS);
        }
    }

    private void writeControl() throws PortRefused {
        try (Arena writing = Arena.ofConfined()) {
            update("control", writing.allocateFrom(JAVA_INT, 0), control);
        }
    }

    private void update(String map, MemorySegment key, MemorySegment value) throws PortRefused {
        int result = libbpf.mapUpdate(libbpf.mapFd(object, map), key, value);
        if (result < 0) {
            throw Refusals.of(
                    "bpf(BPF_MAP_UPDATE_ELEM " + map + ")",
                    -result,
                    "Kernel",
                    "Linux 5.10 or newer with BPF and XDP_SOCKETS",
                    "use a kernel that has them, or AF_PACKET");
        }
    }

    XdpCounters counters() {
        List<Long> steered = new ArrayList<>(workers);
        for (int worker = 0; worker < workers; worker++) {
            steered.add(counter(FIRST_WORKER + worker));
        }
        return new XdpCounters(counter(PASSED), counter(PASSED_OFF), counter(NO_SOCKET), counter(FRAGMENTS), steered);
    }

    private long counter(int index) {
        try (Arena reading = Arena.ofConfined()) {
            int cpus = libbpf.possibleCpus();
            MemorySegment values = reading.allocate(JAVA_LONG, cpus);
            MemorySegment key = reading.allocateFrom(JAVA_INT, index);
            int result = libbpf.mapLookup(libbpf.mapFd(object, "counters"), key, values);
            if (result < 0) {
                throw new IllegalStateException("bpf(BPF_MAP_LOOKUP_ELEM counters): " + Errno.name(-result));
            }
            long sum = 0;
            for (int cpu = 0; cpu < cpus; cpu++) {
                sum += values.getAtIndex(JAVA_LONG, cpu);
            }
            return sum;
        }
    }

    /** Detaches from all devices; the program and its maps go with it. */
    @Override
    public void close() {
        for (Attachment attachment : attachments) {
            if (attachment.link >= 0) {
                Libc.close(attachment.link);
            } else {
                libbpf.xdpDetach(attachment.device.ifindex(), attachment.modeFlag);
            }
        }
        attachments.clear();
        libbpf.objectClose(object);
        arena.close();
    }
}
