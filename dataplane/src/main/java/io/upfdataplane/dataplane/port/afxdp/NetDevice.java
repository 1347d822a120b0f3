package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.port.PortRefused;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.LockSupport;

/**
 * A network device of the calling thread's namespace, as the kernel described it. Control thread.
 *
 * @param queues receive queues in use
 */
record NetDevice(String name, int ifindex, int mtuBytes, int queues) {
    private static final long SIOCGIFFLAGS = 0x8913;
    private static final long SIOCGIFMTU = 0x8921;
    private static final long SIOCGIFHWADDR = 0x8927;
    private static final long SIOCETHTOOL = 0x8946;
    private static final int ETHTOOL_GCHANNELS = 0x3c;
    private static final int IFF_RUNNING = 0x40;

    /** struct ifreq: char name[16], then a union. */
    private static final int IFREQ_SIZE = 40;

    private static final int IFREQ_VALUE = 16;

    private static final long CARRIER_LOOK_NS = 20_000_000;

    static NetDevice of(String name) throws PortRefused {
        int ifindex = Libc.ifNameToIndex(name);
        if (ifindex < 0) {
            throw new PortRefused(
                    "InterfaceExists",
                    "if_nametoindex(" + name + "): " + Errno.name(-ifindex),
                    "the device " + name,
                    "name a device that is in this network namespace");
        }
        return new NetDevice(name, ifindex, intOf(name, SIOCGIFMTU), queuesOf(name));
    }

    /** The device's address now: 48 bits, first octet highest. */
    long mac() throws PortRefused {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ifreq = arena.allocate(IFREQ_SIZE);
            ifreq.setString(0, name);
            ioctl(name, SIOCGIFHWADDR, ifreq);
            // struct sockaddr: u16 family, then the octets
            long mac = 0;
            for (int octet = 0; octet < 6; octet++) {
                mac = mac << 8 | ifreq.get(ValueLayout.JAVA_BYTE, IFREQ_VALUE + 2 + octet) & 0xff;
            }
            return mac;
        }
    }

    /** True when the link is up at both ends. */
    boolean hasCarrier() throws PortRefused {
        return (intOf(name, SIOCGIFFLAGS) & IFF_RUNNING) != 0;
    }

    /** Waits until the link is up again: some devices reset theirs when a program or a socket is attached. */
    void awaitCarrier(long patienceNs) throws PortRefused {
        long deadline = System.nanoTime() + patienceNs;
        while (!hasCarrier() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(CARRIER_LOOK_NS);
        }
    }

    private static int intOf(String name, long request) throws PortRefused {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ifreq = arena.allocate(IFREQ_SIZE);
            ifreq.setString(0, name);
            ioctl(name, request, ifreq);
            int value = ifreq.get(ValueLayout.JAVA_INT, IFREQ_VALUE);
            return request == SIOCGIFFLAGS ? value & 0xffff : value;
        }
    }

    private static void ioctl(String name, long request, MemorySegment ifreq) throws PortRefused {
        int result = requestFrom(request, ifreq);
        if (result < 0) {
            throw new PortRefused(
                    "InterfaceExists",
                    "ioctl(" + name + ", 0x" + Long.toHexString(request) + "): " + Errno.name(-result),
                    "a network device that can be asked",
                    "see that the device stays while the mode starts");
        }
    }

    private static int requestFrom(long request, MemorySegment ifreq) {
        int socket = Libc.socket(Libc.AF_INET, Libc.SOCK_DGRAM | Libc.SOCK_CLOEXEC, 0);
        if (socket < 0) {
            return socket;
        }
        int result = Libc.ioctl(socket, request, ifreq.address());
        Libc.close(socket);
        return result;
    }

    private static int queuesOf(String name) {
        try (Arena arena = Arena.ofConfined()) {
            // struct ethtool_channels: u32 cmd, max_rx, max_tx, max_other, max_combined, rx, tx, other, combined
            MemorySegment channels = arena.allocate(36, 8);
            channels.set(ValueLayout.JAVA_INT, 0, ETHTOOL_GCHANNELS);
            MemorySegment ifreq = arena.allocate(IFREQ_SIZE, 8);
            ifreq.setString(0, name);
            ifreq.set(ValueLayout.JAVA_LONG, IFREQ_VALUE, channels.address());
            // A driver that cannot be asked has one queue.
            if (requestFrom(SIOCETHTOOL, ifreq) < 0) {
                return 1;
            }
            return Math.max(1, channels.get(ValueLayout.JAVA_INT, 20) + channels.get(ValueLayout.JAVA_INT, 32));
        }
    }
}
