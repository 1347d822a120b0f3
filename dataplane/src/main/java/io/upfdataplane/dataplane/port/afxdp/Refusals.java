package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.port.PortRefused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Why AF_XDP cannot start, said as found, needed and what to do. Control thread. */
final class Refusals {
    /** Largest MTU of a veth pair for native XDP on 4 KiB pages: a page less headroom, skb_shared_info and Ethernet. */
    static final int LARGEST_VETH_MTU = 3506;

    private static final int CAP_NET_ADMIN = 12;
    private static final int CAP_NET_RAW = 13;
    private static final int CAP_IPC_LOCK = 14;
    private static final int CAP_SYS_ADMIN = 21;
    private static final int CAP_BPF = 39;

    private Refusals() {}

    /** A failed call, judged by its errno where that says enough. */
    static PortRefused of(String call, int errno, String check, String needed, String hint) {
        return switch (errno) {
            case Errno.EPERM, Errno.EACCES -> capabilities(call, errno);
            default -> new PortRefused(check, call + ": " + Errno.name(errno), needed, hint);
        };
    }

    static PortRefused capabilities(String call, int errno) {
        return new PortRefused(
                "Capabilities",
                call + ": " + Errno.name(errno) + "; this process lacks " + missing(),
                "NET_RAW, NET_ADMIN, IPC_LOCK and BPF (SYS_ADMIN before Linux 5.8)",
                "run the container privileged or add these capabilities");
    }

    static PortRefused library(String message) {
        return new PortRefused(
                "Kernel",
                "libbpf.so.1 cannot be loaded: " + message,
                "libbpf 1.x",
                "install it: apt-get install libbpf1");
    }

    static PortRefused frameTooSmall(NetDevice device, int frameSize, int largest) {
        return new PortRefused(
                "MtuFitsXdp",
                device.name() + " has MTU " + device.mtuBytes(),
                "at most " + largest + ", so that a received frame fits a pool frame of " + frameSize + " bytes",
                frameSize < 4096 && device.mtuBytes() <= LARGEST_VETH_MTU
                        ? "set umem.frameSize to 4096, or the MTU to " + largest
                        : "set the MTU of " + device.name() + " and of its peer to " + largest + " or less");
    }

    static PortRefused mtuTooLargeForDriver(NetDevice device, String call) {
        return new PortRefused(
                "MtuFitsXdp",
                call + ": ERANGE; " + device.name() + " has MTU " + device.mtuBytes() + ", its peer may have more",
                "at most " + LARGEST_VETH_MTU + " at both ends of a veth pair for native XDP",
                "ip link set " + device.name() + " mtu " + LARGEST_VETH_MTU + ", and the same on its peer");
    }

    static PortRefused noNativeXdp(NetDevice device, String call, int errno) {
        return new PortRefused(
                "XdpDriver",
                call + ": " + Errno.name(errno),
                "a driver with native XDP",
                "attach a device whose driver has it, set zeroCopy to Prefer to accept the slow generic path, or use"
                        + " AF_PACKET");
    }

    static PortRefused noZeroCopy(NetDevice device, String call, int errno) {
        return new PortRefused(
                "XdpZeroCopy",
                call + ": " + Errno.name(errno),
                "zero-copy on " + device.name() + ", which zeroCopy: Require asks for",
                "set zeroCopy to Prefer, or attach a device whose driver has AF_XDP zero-copy");
    }

    static PortRefused foreignProgram(NetDevice device, String programName, int id) {
        return new PortRefused(
                "DeviceFree",
                device.name() + " already runs the XDP program «" + programName + "» (id " + id + ")",
                "a device without an XDP program",
                "stop whoever attached it, or remove it: ip link set dev " + device.name() + " xdp off");
    }

    static PortRefused otherDataplane(NetDevice device, int id) {
        return new PortRefused(
                "DeviceFree",
                device.name() + " runs the XDP program (id " + id + ") of another living dataplane",
                "a device that no other dataplane uses",
                "stop the other dataplane, or give this one a device of its own");
    }

    static PortRefused queueInUse(NetDevice device, String call) {
        return new PortRefused(
                "DeviceFree",
                call + ": EBUSY for 2 s",
                "queues of " + device.name() + " that no other AF_XDP socket uses",
                "stop the program that holds an AF_XDP socket there");
    }

    static PortRefused memlock(long neededBytes, String call, String limit) {
        return new PortRefused(
                "Memlock",
                call + ": ENOBUFS; RLIMIT_MEMLOCK is " + limit + " and IPC_LOCK is missing",
                mebibytes(neededBytes) + " MiB locked by the UMEM",
                "add the capability IPC_LOCK, or raise LimitMEMLOCK in the container runtime's unit");
    }

    static PortRefused umemSize(int frames, int needed) {
        return new PortRefused(
                "UmemSize",
                frames + " frames in the pool",
                "at least " + needed + " to keep the fill rings supplied",
                "set umem.frames to " + Integer.highestOneBit(needed * 2 - 1) + " or rings.fill lower");
    }

    /** RLIMIT_MEMLOCK of this process, as the kernel prints it. */
    static String memlockLimit() {
        try {
            return Files.readAllLines(Path.of("/proc/self/limits")).stream()
                    .filter(line -> line.startsWith("Max locked memory"))
                    .map(line ->
                            line.substring("Max locked memory".length()).strip().split("\\s+")[0])
                    .map(value -> value.equals("unlimited") ? value : mebibytes(Long.parseLong(value)) + " MiB")
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown (" + e.getMessage() + ")";
        }
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    private static String missing() {
        long effective;
        try {
            effective = Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                    .filter(line -> line.startsWith("CapEff:"))
                    .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return "a capability (which one could not be read: " + e.getMessage() + ")";
        }
        StringBuilder names = new StringBuilder();
        name(names, effective, CAP_NET_RAW, "NET_RAW");
        name(names, effective, CAP_NET_ADMIN, "NET_ADMIN");
        name(names, effective, CAP_IPC_LOCK, "IPC_LOCK");
        if ((effective >>> CAP_SYS_ADMIN & 1) == 0) {
            name(names, effective, CAP_BPF, "BPF");
        }
        return names.isEmpty() ? "none of the known capabilities, so a security module refuses" : names.toString();
    }

    private static void name(StringBuilder names, long effective, int capability, String name) {
        if ((effective >>> capability & 1) == 0) {
            names.append(names.isEmpty() ? "" : ", ").append(name);
        }
    }
}
