package io.upfdataplane.dataplane.port.kernel;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortPlan.Device;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Receive offloads of our own devices that change packets before we see them: packets merged (GRO, LRO) and VLAN tags
 * taken off. The process switches them off before any port set of a kernel mode and gives them back at its end. Control
 * thread only.
 */
public final class DeviceOffloads implements AutoCloseable {
    private static final int SIOCETHTOOL = 0x8946;
    private static final int IFREQ_BYTES = 40;
    private static final int IFREQ_DATA = 16;
    private static final int ETHTOOL_GFLAGS = 0x25;
    private static final int ETHTOOL_SFLAGS = 0x26;
    private static final int ETHTOOL_GGRO = 0x2b;
    private static final int ETHTOOL_SGRO = 0x2c;

    private enum Offload {
        GRO(ETHTOOL_GGRO, ETHTOOL_SGRO, 1),
        LRO(ETHTOOL_GFLAGS, ETHTOOL_SFLAGS, 1 << 15),
        VLAN_STRIPPING(ETHTOOL_GFLAGS, ETHTOOL_SFLAGS, 1 << 8);

        private final int get;
        private final int set;
        private final int bit;

        Offload(int get, int set, int bit) {
            this.get = get;
            this.set = set;
            this.bit = bit;
        }
    }

    private record Switched(String device, Offload offload) {}

    private final List<Switched> switchedOff = new ArrayList<>();
    private final List<String> leftOn = new ArrayList<>();

    private DeviceOffloads() {}

    /** Switches off what is on. What cannot be is named in {@link #leftOn}. */
    public static DeviceOffloads switchOff(PortPlan plan) {
        DeviceOffloads offloads = new DeviceOffloads();
        plan.devices().values().stream().map(Device::name).distinct().sorted().forEach(offloads::switchOff);
        return offloads;
    }

    private void switchOff(String device) {
        int socket = Libc.socket(Libc.AF_INET, Libc.SOCK_DGRAM | Libc.SOCK_CLOEXEC, 0);
        for (Offload offload : Offload.values()) {
            int now = ethtool(socket, device, offload.get, 0);
            if (now == -Errno.EOPNOTSUPP || now >= 0 && (now & offload.bit) == 0) {
                continue;
            }
            int result = now < 0 ? now : ethtool(socket, device, offload.set, now & ~offload.bit);
            if (result < 0) {
                leftOn.add(device + ": " + offload + " (" + Errno.name(-result) + ")");
            } else {
                switchedOff.add(new Switched(device, offload));
            }
        }
        Libc.close(socket);
    }

    /** Offloads that are still on, each as {@code device: offload (errno)}; empty when all is well. */
    public List<String> leftOn() {
        return List.copyOf(leftOn);
    }

    /** Switches on again what was switched off. */
    @Override
    public void close() {
        int socket = Libc.socket(Libc.AF_INET, Libc.SOCK_DGRAM | Libc.SOCK_CLOEXEC, 0);
        for (Switched switched : switchedOff) {
            int now = ethtool(socket, switched.device, switched.offload.get, 0);
            // A device that is gone meanwhile has nothing to give back.
            if (now >= 0) {
                ethtool(socket, switched.device, switched.offload.set, now | switched.offload.bit);
            }
        }
        switchedOff.clear();
        Libc.close(socket);
    }

    /** Asks or tells the driver (linux/ethtool.h); the value asked for, or the negative errno. */
    private static int ethtool(int socket, String device, int command, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_INT, command, value);
            MemorySegment ifreq = arena.allocate(IFREQ_BYTES, 8);
            ifreq.setString(0, device);
            ifreq.set(ValueLayout.JAVA_LONG, IFREQ_DATA, data.address());
            int result = Libc.ioctl(socket, SIOCETHTOOL, ifreq.address());
            // Flags use bit 31 of nothing, so a value is never negative.
            return result < 0 ? result : data.get(ValueLayout.JAVA_INT, 4);
        }
    }
}
