package io.upfdataplane.dataplane.testbed;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The far end of a wire: sends and receives whole Ethernet frames on a device, and sees nothing of what its own side
 * sends. Made inside the device's namespace; then any one thread.
 */
public final class RawSocket implements AutoCloseable {
    private static final int ETH_P_ALL_BE = 0x0300;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final long SIOCGSTAMPNS = 0x8907;
    private static final int MAX_FRAME = 1 << 17;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment out = arena.allocate(MAX_FRAME);
    private final MemorySegment in = arena.allocate(MAX_FRAME);
    private final MemorySegment pollfd = arena.allocate(Libc.POLLFD_SIZE, 4);
    private final MemorySegment stamp = arena.allocate(16, 8);
    private final int fd;

    public RawSocket(String device) throws IOException {
        fd = Errno.orThrow(Libc.socket(Libc.AF_PACKET, Libc.SOCK_RAW | Libc.SOCK_CLOEXEC, 0), "socket(AF_PACKET)");
        int index = Errno.orThrow(Libc.ifNameToIndex(device), "if_nametoindex(" + device + ")");
        Libc.setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
        Libc.setsockopt(fd, Libc.SOL_SOCKET, Libc.SO_RCVBUFFORCE, 64 << 20);
        Libc.setsockopt(fd, Libc.SOL_SOCKET, Libc.SO_SNDBUFFORCE, 16 << 20);
        // struct sockaddr_ll: family, protocol, ifindex, hatype, pkttype, halen, addr[8]
        MemorySegment address = arena.allocate(20, 4);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) Libc.AF_PACKET);
        address.set(ValueLayout.JAVA_SHORT, 2, (short) ETH_P_ALL_BE);
        address.set(ValueLayout.JAVA_INT, 4, index);
        Errno.orThrow(Libc.bind(fd, address.address(), 20), "bind(" + device + ")");
        pollfd.set(ValueLayout.JAVA_INT, 0, fd);
        pollfd.set(ValueLayout.JAVA_SHORT, 4, Libc.POLLIN);
    }

    /** Sends a frame, waiting while the socket has no room. */
    public void send(byte[] frame) throws IOException {
        MemorySegment.copy(frame, 0, out, ValueLayout.JAVA_BYTE, 0, frame.length);
        int result = Libc.sendto(fd, out.address(), frame.length, 0, 0, 0);
        while (result == -Errno.ENOBUFS || result == -Errno.EINTR) {
            Thread.yield();
            result = Libc.sendto(fd, out.address(), frame.length, 0, 0, 0);
        }
        Errno.orThrow(result, "sendto(" + frame.length + " bytes)");
    }

    /** The next frame, or an empty array when none comes in time. */
    public byte[] receive(int timeoutMs) throws IOException {
        int ready = Libc.poll(pollfd.address(), 1, timeoutMs);
        if (ready == 0 || ready == -Errno.EINTR) {
            return new byte[0];
        }
        Errno.orThrow(ready, "poll()");
        int length = Libc.recv(fd, in.address(), MAX_FRAME, Libc.MSG_DONTWAIT);
        if (length == -Errno.EAGAIN) {
            return new byte[0];
        }
        return in.asSlice(0, Errno.orThrow(length, "recv()")).toArray(ValueLayout.JAVA_BYTE);
    }

    /** When the kernel received the last frame, nanoseconds since 1970; the first call only begins the stamping. */
    public long lastStampNs() {
        int result = Libc.ioctl(fd, SIOCGSTAMPNS, stamp.address());
        return result < 0
                ? 0
                : stamp.get(ValueLayout.JAVA_LONG, 0) * 1_000_000_000L + stamp.get(ValueLayout.JAVA_LONG, 8);
    }

    @Override
    public void close() {
        Libc.close(fd);
        arena.close();
    }
}
