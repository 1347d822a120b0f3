package io.upfdataplane.dataplane.port.kernel;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.port.PortRefused;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A UDP socket on the N3 address and the GTP-U port whose filter drops all: where it stands the kernel has no reason to
 * answer «port unreachable», and nobody else can take the port. Control thread only.
 */
final class GtpuPortHolder implements AutoCloseable {
    private static final int GTPU_PORT = 2152;
    private static final int SOCKADDR_IN_BYTES = 16;
    private static final int RET_K = 0x06;

    private final int fd;

    private GtpuPortHolder(int fd) {
        this.fd = fd;
    }

    static GtpuPortHolder open(int n3Address) throws PortRefused {
        int fd = Libc.socket(Libc.AF_INET, Libc.SOCK_DGRAM | Libc.SOCK_CLOEXEC, 0);
        String where = dotted(n3Address) + ":" + GTPU_PORT;
        try (Arena arena = Arena.ofConfined()) {
            Errno.orThrow(fd, "socket(AF_INET, SOCK_DGRAM)");
            // One instruction, «return 0»: struct sock_filter in a struct sock_fprog
            MemorySegment instruction = arena.allocate(8, 8);
            instruction.set(ValueLayout.JAVA_SHORT, 0, (short) RET_K);
            MemorySegment program = arena.allocate(16, 8);
            program.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
            program.set(ValueLayout.JAVA_LONG, 8, instruction.address());
            Errno.orThrow(
                    Libc.setsockopt(fd, Libc.SOL_SOCKET, Libc.SO_ATTACH_FILTER, program.address(), 16),
                    "setsockopt(SO_ATTACH_FILTER)");
            // struct sockaddr_in: family, port, address
            MemorySegment address = arena.allocate(SOCKADDR_IN_BYTES, 4);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) Libc.AF_INET);
            address.set(ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) GTPU_PORT);
            address.set(ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN), 4, n3Address);
            Errno.orThrow(Libc.bind(fd, address.address(), SOCKADDR_IN_BYTES), "bind(" + where + ")");
            return new GtpuPortHolder(fd);
        } catch (CallFailed e) {
            Libc.close(fd);
            throw refusal(where, e);
        }
    }

    private static PortRefused refusal(String where, CallFailed e) {
        String found = Objects.requireNonNullElse(e.getMessage(), where);
        return switch (e.errno()) {
            case Errno.EADDRINUSE ->
                new PortRefused("GtpuPortFree", found, where + " for this dataplane alone", "stop what holds the port");
            case Errno.EADDRNOTAVAIL ->
                new PortRefused(
                        "N3Address", found, "the N3 address on one of this host's devices", "check n3.addresses");
            default -> new PortRefused("GtpuPortFree", found, "a UDP socket on " + where, "see the error");
        };
    }

    private static String dotted(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 0xff) + "." + (address >>> 8 & 0xff) + "." + (address & 0xff);
    }

    @Override
    public void close() {
        Libc.close(fd);
    }
}
