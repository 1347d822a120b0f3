package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The AF_XDP ports of all workers: our XDP program on each leg's device, and a socket for each queue and worker. Control
 * thread, except what the ports themselves say.
 */
public final class AfXdpPortSet implements PortSet {
    private static final long CARRIER_PATIENCE_NS = 5_000_000_000L;
    private static final int ETHERNET_BYTES = 14;

    private final XdpProgram program;
    private final XskSockets sockets;
    private final ModeFacts facts;
    private final Map<Leg, Integer> deviceOfLeg;
    private final AfXdpPort[][] ports;
    private final List<FramePool.Cache> caches = new ArrayList<>();
    private final List<Integer> pollSets = new ArrayList<>();
    private final List<NetDevice> devices;
    private final long[] macs;
    private boolean isClosed;

    /**
     * Loads and attaches the program and binds the sockets; nothing is redirected before {@link #engage}. The calling
     * thread's network namespace is where the devices are.
     *
     * @throws PortRefused when this mode cannot start here; nothing of it is left
     */
    public static AfXdpPortSet open(PortPlan plan, FramePool pool) throws PortRefused {
        Map<Leg, Integer> deviceOfLeg = new EnumMap<>(Leg.class);
        List<NetDevice> devices = devices(plan, deviceOfLeg);
        for (NetDevice device : devices) {
            requireFramesFit(device, pool.frameSize());
        }
        int framesNeeded = XskSockets.framesNeeded(devices, plan);
        if (pool.frames() < framesNeeded) {
            throw Refusals.umemSize(pool.frames(), framesNeeded);
        }
        List<XdpProgram.Duty> duties = duties(plan, devices, deviceOfLeg);
        int socketCount = devices.stream().mapToInt(NetDevice::queues).sum() * plan.workers();
        List<NetDevice> withCarrier = new ArrayList<>();
        for (NetDevice device : devices) {
            if (device.hasCarrier()) {
                withCarrier.add(device);
            }
        }
        XdpProgram program = XdpProgram.load(duties, plan.workers(), plan.uePools(), socketCount);
        XskSockets sockets = null;
        boolean isOpen = false;
        try {
            boolean isNative = attach(program, devices, plan.zeroCopy() == PortPlan.ZeroCopy.PREFER);
            sockets = bind(devices, plan, pool, isNative);
            AfXdpPortSet set = new AfXdpPortSet(
                    program,
                    sockets,
                    new ModeFacts("AF_XDP", sockets.isZeroCopy(), isNative ? "Native" : "Generic"),
                    devices,
                    duties.stream().mapToLong(XdpProgram.Duty::mac).toArray(),
                    deviceOfLeg,
                    new AfXdpPort[devices.size()][plan.workers()]);
            set.makePorts(devices, duties, plan, pool);
            for (NetDevice device : withCarrier) {
                device.awaitCarrier(CARRIER_PATIENCE_NS);
            }
            isOpen = true;
            return set;
        } finally {
            if (!isOpen) {
                program.close();
                if (sockets != null) {
                    sockets.close();
                }
            }
        }
    }

    /**
     * Loads the library and the classes that {@link #open} needs, so that the first opening is as quick as the others.
     * Nothing is opened. Any thread.
     */
    public static void preload() {
        XdpProgram.preload();
        XskSockets.preload();
    }

    private AfXdpPortSet(
            XdpProgram program,
            XskSockets sockets,
            ModeFacts facts,
            List<NetDevice> devices,
            long[] macs,
            Map<Leg, Integer> deviceOfLeg,
            AfXdpPort[][] ports) {
        this.program = program;
        this.sockets = sockets;
        this.facts = facts;
        this.devices = List.copyOf(devices);
        this.macs = macs;
        this.deviceOfLeg = deviceOfLeg;
        this.ports = ports;
    }

    private static List<NetDevice> devices(PortPlan plan, Map<Leg, Integer> deviceOfLeg) throws PortRefused {
        Map<String, Integer> indexOfName = new LinkedHashMap<>();
        List<NetDevice> devices = new ArrayList<>();
        for (Leg leg : Leg.values()) {
            PortPlan.Device wanted = plan.devices().get(leg);
            if (wanted == null) {
                continue;
            }
            Integer index = indexOfName.get(wanted.name());
            if (index == null) {
                index = devices.size();
                devices.add(NetDevice.of(wanted.name()));
                indexOfName.put(wanted.name(), index);
            }
            deviceOfLeg.put(leg, index);
        }
        return devices;
    }

    private static void requireFramesFit(NetDevice device, int frameSize) throws PortRefused {
        int largest = frameSize - FramePool.HEADROOM - ETHERNET_BYTES;
        if (device.mtuBytes() > largest) {
            throw Refusals.frameTooSmall(device, frameSize, largest);
        }
    }

    private static List<XdpProgram.Duty> duties(PortPlan plan, List<NetDevice> devices, Map<Leg, Integer> deviceOfLeg)
            throws PortRefused {
        List<XdpProgram.Duty> duties = new ArrayList<>();
        int firstSocket = 0;
        for (int i = 0; i < devices.size(); i++) {
            NetDevice device = devices.get(i);
            boolean carriesN3 = deviceOfLeg.getOrDefault(Leg.N3, -1) == i;
            PortPlan.Device n3 = plan.devices().get(Leg.N3);
            int n3Ipv4 = carriesN3 && n3 != null ? n3.ipv4() : 0;
            boolean carriesN6 = deviceOfLeg.getOrDefault(Leg.N6, -1) == i;
            duties.add(new XdpProgram.Duty(device.ifindex(), device.mac(), n3Ipv4, firstSocket, carriesN6));
            firstSocket += device.queues() * plan.workers();
        }
        return duties;
    }

    /** True when all devices have it natively. */
    private static boolean attach(XdpProgram program, List<NetDevice> devices, boolean genericAllowed)
            throws PortRefused {
        boolean isNative = true;
        for (NetDevice device : devices) {
            isNative &= program.attach(device, genericAllowed) == XdpProgram.Mode.NATIVE;
        }
        return isNative;
    }

    private static XskSockets bind(List<NetDevice> devices, PortPlan plan, FramePool pool, boolean isNative)
            throws PortRefused {
        if (plan.zeroCopy() != PortPlan.ZeroCopy.NEVER && isNative) {
            try {
                return XskSockets.open(devices, plan, pool, true);
            } catch (XskSockets.NoZeroCopy noZeroCopy) {
                if (plan.zeroCopy() == PortPlan.ZeroCopy.REQUIRE) {
                    throw noZeroCopy.refused();
                }
            }
        }
        try {
            return XskSockets.open(devices, plan, pool, false);
        } catch (XskSockets.NoZeroCopy impossible) {
            throw new IllegalStateException("zero-copy was not asked for", impossible);
        }
    }

    private void makePorts(List<NetDevice> devices, List<XdpProgram.Duty> duties, PortPlan plan, FramePool pool)
            throws PortRefused {
        boolean isMade = false;
        try {
            for (int worker = 0; worker < plan.workers(); worker++) {
                FramePool.Cache cache = pool.newCache();
                caches.add(cache);
                for (int device = 0; device < devices.size(); device++) {
                    ports[device][worker] = port(
                            device,
                            worker,
                            devices.get(device).queues(),
                            plan,
                            pool,
                            cache,
                            duties.get(device).n3Ipv4());
                    for (int queue = 0; queue < devices.get(device).queues(); queue++) {
                        program.place(
                                duties.get(device).firstSocket() + queue * plan.workers() + worker,
                                sockets.socket(device, queue, worker).descriptor);
                    }
                }
            }
            isMade = true;
        } finally {
            if (!isMade) {
                giveBackPorts();
            }
        }
    }

    private AfXdpPort port(
            int device, int worker, int queues, PortPlan plan, FramePool pool, FramePool.Cache cache, int n3Ipv4)
            throws PortRefused {
        XskSocket[] ofWorker = new XskSocket[queues];
        for (int queue = 0; queue < queues; queue++) {
            ofWorker[queue] = sockets.socket(device, queue, worker);
        }
        int senderQueue = worker % queues;
        XskSocket[] sharingSenderQueue = new XskSocket[plan.workers()];
        for (int other = 0; other < plan.workers(); other++) {
            sharingSenderQueue[other] = sockets.socket(device, senderQueue, other);
        }
        int descriptor = queues == 1 ? ofWorker[0].descriptor : pollSet(ofWorker);
        return new AfXdpPort(
                ofWorker,
                senderQueue,
                sharingSenderQueue,
                descriptor,
                pool,
                cache,
                sockets.kernelFrames(),
                n3Ipv4,
                plan.busyPoll(),
                worker == 0);
    }

    /** One descriptor that is readable when any of the sockets is. */
    private int pollSet(XskSocket[] ofWorker) throws PortRefused {
        int epoll = Libc.epollCreate1(Libc.O_CLOEXEC);
        int result = epoll;
        if (epoll >= 0) {
            pollSets.add(epoll);
            for (int i = 0; i < ofWorker.length && result >= 0; i++) {
                result = Libc.epollAdd(epoll, ofWorker[i].descriptor, Libc.POLLIN);
            }
        }
        if (result < 0) {
            throw new PortRefused(
                    "Kernel", "epoll: " + Errno.name(-result), "a descriptor for each worker", "raise LimitNOFILE");
        }
        return epoll;
    }

    @Override
    public PacketPort port(Leg leg, int worker) {
        Integer device = deviceOfLeg.get(leg);
        if (device == null) {
            throw new IllegalArgumentException("no device for " + leg);
        }
        return ports[device][worker];
    }

    @Override
    public void engage() {
        program.redirect(true);
    }

    @Override
    public void disengage() {
        program.redirect(false);
    }

    @Override
    public void usePools(List<PortPlan.Prefix> uePools) throws PortRefused {
        program.usePools(uePools);
    }

    /** The program compares destinations with the devices' own addresses. */
    @Override
    public void followDevices() {
        for (int i = 0; i < macs.length; i++) {
            try {
                long mac = devices.get(i).mac();
                if (mac != macs[i]) {
                    program.follow(devices.get(i).ifindex(), mac);
                    macs[i] = mac;
                }
            } catch (PortRefused gone) {
                // Nothing comes from a device that is not there; next hops say so in the status.
                continue;
            }
        }
    }

    @Override
    public ModeFacts facts() {
        return facts;
    }

    /** What the XDP program has done so far. Control thread, before {@link #close}. */
    public XdpCounters counters() {
        return program.counters();
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        program.redirect(false);
        // The program goes first, so that no packet is on its way to a socket that is being closed.
        program.close();
        giveBackPorts();
        sockets.close();
    }

    private void giveBackPorts() {
        for (AfXdpPort[] ofDevice : ports) {
            for (AfXdpPort port : ofDevice) {
                if (port != null) {
                    port.close();
                }
            }
        }
        pollSets.forEach(Libc::close);
        pollSets.clear();
        caches.forEach(FramePool.Cache::close);
        caches.clear();
    }
}
