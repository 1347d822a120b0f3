package io.upfdataplane.dataplane.probe;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.Libc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a driver says of its device through SIOCETHTOOL: questions only. One thread. */
final class Ethtool implements AutoCloseable {
    private static final long SIOCETHTOOL = 0x8946;
    private static final int ETHTOOL_GSET = 0x01;
    private static final int ETHTOOL_GDRVINFO = 0x03;
    private static final int ETHTOOL_GTXCSUM = 0x16;
    private static final int ETHTOOL_GTSO = 0x1e;
    private static final int ETHTOOL_GFLAGS = 0x25;
    private static final int ETHTOOL_GGRO = 0x2b;
    private static final int ETHTOOL_GCHANNELS = 0x3c;
    private static final int FLAG_RX_VLAN = 1 << 8;
    private static final int FLAG_LRO = 1 << 15;
    private static final int IFNAMSIZ = 16;

    private final int fd;

    private Ethtool(int fd) {
        this.fd = fd;
    }

    static Ethtool open() throws CallFailed {
        return new Ethtool(Errno.orThrow(
                Libc.socket(Libc.AF_INET, Libc.SOCK_DGRAM | Libc.SOCK_CLOEXEC, 0), "socket(inet, dgram)"));
    }

    record Driver(String name, String bus) {}

    @Nullable
    Driver driver(String device) {
        try (Arena arena = Arena.ofConfined()) {
            // struct ethtool_drvinfo: u32 cmd; char driver[32], version[32], fw_version[32], bus_info[32] …
            MemorySegment info = arena.allocate(196, 8);
            return call(arena, device, ETHTOOL_GDRVINFO, info)
                    ? new Driver(text(info.asSlice(4, 32)), text(info.asSlice(100, 32)))
                    : null;
        }
    }

    /** Channels in use now: a real device may have many more than it uses. */
    NodeReport.@Nullable Queues channels(String device) {
        try (Arena arena = Arena.ofConfined()) {
            // struct ethtool_channels: u32 cmd, max_rx, max_tx, max_other, max_combined, rx, tx, other, combined
            MemorySegment channels = arena.allocate(36, 8);
            if (!call(arena, device, ETHTOOL_GCHANNELS, channels)) {
                return null;
            }
            int combined = channels.get(JAVA_INT_UNALIGNED, 32);
            int rx = channels.get(JAVA_INT_UNALIGNED, 20) + combined;
            int tx = channels.get(JAVA_INT_UNALIGNED, 24) + combined;
            return rx > 0 && tx > 0 ? new NodeReport.Queues(rx, tx) : null;
        }
    }

    @Nullable
    Integer speedMbps(String device) {
        try (Arena arena = Arena.ofConfined()) {
            // struct ethtool_cmd: … u16 speed at 12 … u16 speed_hi at 28; 44 bytes
            MemorySegment settings = arena.allocate(44, 8);
            if (!call(arena, device, ETHTOOL_GSET, settings)) {
                return null;
            }
            int speed = Short.toUnsignedInt(settings.get(JAVA_SHORT, 12))
                    | Short.toUnsignedInt(settings.get(JAVA_SHORT, 28)) << 16;
            // 0 and all ones mean «unknown», as with a link that is down.
            return speed > 0 && speed != 0xffff ? (Integer) speed : null;
        }
    }

    NodeReport.Offloads offloads(String device) {
        Integer flags = value(device, ETHTOOL_GFLAGS);
        return new NodeReport.Offloads(
                flag(value(device, ETHTOOL_GGRO)),
                flags == null ? null : (Boolean) ((flags & FLAG_LRO) != 0),
                flag(value(device, ETHTOOL_GTSO)),
                txChecksum(device),
                flags == null ? null : (Boolean) ((flags & FLAG_RX_VLAN) != 0));
    }

    @Nullable
    Boolean txChecksum(String device) {
        return flag(value(device, ETHTOOL_GTXCSUM));
    }

    private static @Nullable Boolean flag(@Nullable Integer value) {
        return value == null ? null : (Boolean) (value != 0);
    }

    private @Nullable Integer value(String device, int command) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(8, 8);
            return call(arena, device, command, value) ? (Integer) value.get(JAVA_INT_UNALIGNED, 4) : null;
        }
    }

    /** False when the driver does not answer this question. */
    private boolean call(Arena arena, String device, int command, MemorySegment argument) {
        argument.set(JAVA_INT_UNALIGNED, 0, command);
        // struct ifreq: char name[16]; void *data; 40 bytes
        MemorySegment request = arena.allocate(40, 8);
        byte[] name = device.getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(name, 0, request, JAVA_BYTE, 0, Math.min(name.length, IFNAMSIZ - 1));
        request.set(JAVA_LONG, IFNAMSIZ, argument.address());
        return Libc.ioctl(fd, SIOCETHTOOL, request.address()) >= 0;
    }

    private static String text(MemorySegment chars) {
        byte[] bytes = chars.toArray(JAVA_BYTE);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        Libc.close(fd);
    }
}
