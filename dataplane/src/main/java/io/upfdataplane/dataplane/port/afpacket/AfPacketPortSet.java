package io.upfdataplane.dataplane.port.afpacket;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PacketPort;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortPlan.Device;
import io.upfdataplane.dataplane.port.PortPlan.Prefix;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * AF_PACKET ports: for each device one socket for each worker, in a fanout group that our program steers. They see copies
 * of what the kernel receives; a {@code KernelGuard} keeps the kernel from acting on the originals. Control thread only.
 */
public final class AfPacketPortSet implements PortSet {
    private static final Logger LOG = LoggerFactory.getLogger(AfPacketPortSet.class);
    private static final int ETHERNET_BYTES = 14;
    /** Of a receive slot: struct tpacket2_hdr, sockaddr_ll, virtio_net_hdr and alignment. */
    private static final int SLOT_OVERHEAD_BYTES = 96;

    private final Map<Leg, Device> devices;
    private final Map<String, List<AfPacketPort>> ports = new LinkedHashMap<>();

    /** Each socket with the filter that lets through what is ours. */
    private final Map<PacketSocket, ClassicBpf> filters = new LinkedHashMap<>();

    private final Map<PacketSocket, String> deviceOfSocket = new LinkedHashMap<>();
    private boolean isEngaged = true;

    private AfPacketPortSet(Map<Leg, Device> devices) {
        this.devices = devices;
    }

    /** Opens all ports; from then on they receive. */
    public static AfPacketPortSet open(PortPlan plan, FramePool pool) throws PortRefused {
        AfPacketPortSet set = new AfPacketPortSet(plan.devices());
        try {
            for (Device device : plan.devices().values()) {
                if (!set.ports.containsKey(device.name())) {
                    set.openDevice(device.name(), plan, pool);
                }
            }
            return set;
        } catch (PortRefused e) {
            set.close();
            throw e;
        }
    }

    private void openDevice(String device, PortPlan plan, FramePool pool) throws PortRefused {
        List<PacketSocket> sockets = new ArrayList<>();
        try {
            for (int worker = 0; worker < plan.workers(); worker++) {
                sockets.add(PacketSocket.open(
                        device,
                        pool.frameSize(),
                        plan.ringSizes().rx(),
                        plan.ringSizes().tx()));
            }
            int mtu = checkedMtu(device, sockets.getFirst(), pool);
            group(device, plan, sockets);
            ports.put(
                    device,
                    sockets.stream()
                            .map(socket -> new AfPacketPort(socket, pool, mtu))
                            .toList());
        } catch (CallFailed e) {
            sockets.forEach(PacketSocket::close);
            throw refusal(device, e);
        } catch (PortRefused e) {
            sockets.forEach(PacketSocket::close);
            throw e;
        }
    }

    /** Sockets let nothing through until the group is whole: no frame comes twice or to a worker it is not meant for. */
    private void group(String device, PortPlan plan, List<PacketSocket> sockets) throws CallFailed {
        Device n3 = plan.devices().get(Leg.N3);
        int n3Address = n3 == null ? 0 : n3.ipv4();
        int group = sockets.getFirst().found();
        sockets.getFirst().steer(PacketPrograms.steering(n3Address, plan.workers()));
        for (PacketSocket socket : sockets.subList(1, sockets.size())) {
            socket.join(group);
        }
        ClassicBpf ours = ours(device, plan.uePools());
        for (PacketSocket socket : sockets) {
            socket.filter(ours);
            filters.put(socket, ours);
            deviceOfSocket.put(socket, device);
        }
    }

    private ClassicBpf ours(String device, List<Prefix> uePools) {
        Device n3 = devices.get(Leg.N3);
        Device n6 = devices.get(Leg.N6);
        boolean isN3 = n3 != null && n3.name().equals(device);
        boolean isN6 = n6 != null && n6.name().equals(device);
        return PacketPrograms.ours(isN3, n3 == null ? 0 : n3.ipv4(), isN6 ? uePools : List.of());
    }

    @Override
    public void usePools(List<Prefix> uePools) throws PortRefused {
        for (Map.Entry<PacketSocket, String> socket : deviceOfSocket.entrySet()) {
            ClassicBpf ours = ours(socket.getValue(), uePools);
            if (isEngaged) {
                try {
                    socket.getKey().filter(ours);
                } catch (CallFailed e) {
                    throw refusal(socket.getValue(), e);
                }
            }
            filters.put(socket.getKey(), ours);
        }
    }

    private static int checkedMtu(String device, PacketSocket socket, FramePool pool) throws CallFailed, PortRefused {
        if (!socket.isUp()) {
            throw new PortRefused(
                    "DeviceUp", device + " is down", "a device that is up", "ip link set " + device + " up");
        }
        int mtu = socket.mtu();
        int room = Math.min(pool.frameSize() - FramePool.HEADROOM, pool.frameSize() - SLOT_OVERHEAD_BYTES)
                - ETHERNET_BYTES;
        if (mtu > room) {
            throw new PortRefused(
                    "MtuFitsFrame",
                    device + " has MTU " + mtu,
                    "at most " + room + " with frames of " + pool.frameSize(),
                    pool.frameSize() < 4096 ? "set umem.frameSize to 4096 or lower the MTU" : "lower the MTU");
        }
        return mtu;
    }

    private static PortRefused refusal(String device, CallFailed e) {
        String found = Objects.requireNonNullElse(e.getMessage(), device);
        return switch (e.errno()) {
            case Errno.EPERM, Errno.EACCES ->
                new PortRefused("Capabilities", found, "CAP_NET_RAW", "add NET_RAW to the container's capabilities");
            case Errno.ENODEV, Errno.ENXIO ->
                new PortRefused(
                        "DeviceExists", found, "a network device named " + device, "check the interface's attachment");
            case Errno.ENOMEM, Errno.ENOBUFS ->
                new PortRefused("RingMemory", found, "memory for the packet rings", "set rings.rx and rings.tx lower");
            default ->
                new PortRefused(
                        "AfPacket", found, "AF_PACKET rings and fanout by program", "use a kernel that has them");
        };
    }

    @Override
    public PacketPort port(Leg leg, int worker) {
        Device device = Objects.requireNonNull(devices.get(leg), leg::name);
        return Objects.requireNonNull(ports.get(device.name())).get(worker);
    }

    @Override
    public void engage() {
        isEngaged = true;
        filters.forEach((socket, ours) -> replace(socket, ours));
    }

    /** The kernel sees every frame anyway; we no longer do, so that another set does not see them a second time. */
    @Override
    public void disengage() {
        isEngaged = false;
        filters.forEach((socket, ours) -> replace(socket, PacketPrograms.nothing()));
    }

    private static void replace(PacketSocket socket, ClassicBpf filter) {
        try {
            socket.filter(filter);
        } catch (CallFailed e) {
            // Only for want of kernel memory. Frames may come twice, or not at all, until the set is closed.
            LOG.error("filter not replaced: {}", e.getMessage());
        }
    }

    @Override
    public ModeFacts facts() {
        return new ModeFacts("AF_PACKET", false, "None");
    }

    /** The ports stay, for what they have counted. */
    @Override
    public void close() {
        ports.values().forEach(workers -> workers.forEach(AfPacketPort::close));
        filters.clear();
        deviceOfSocket.clear();
    }
}
