package io.upfdataplane.operator.standalone;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** A named network namespace ({@code ip netns}) that one thread moves into, so that its sockets are opened there. */
final class NetworkNamespace {
    private static final Path FOLDER = Path.of("/var/run/netns");
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int CLONE_NEWNET = 0x40000000;

    private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
    private static final Linker LINKER = Linker.nativeLinker();

    /** {@code int open(const char *path, int flags)} */
    private static final MethodHandle OPEN = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("open"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));

    /** {@code int setns(int fd, int nstype)} */
    private static final MethodHandle SETNS = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("setns"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"));

    /** {@code int close(int fd)} */
    private static final MethodHandle CLOSE = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("close"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private NetworkNamespace() {}

    /** Moves the calling thread into it for good; processes that this thread starts are in it, too. */
    static void enter(String name) throws IOException {
        Path file = FOLDER.resolve(name);
        if (!Files.exists(file)) {
            throw new IOException("there is no network namespace " + name + ": `ip netns add " + name + "` makes one");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO);
            int fd = (int) OPEN.invokeExact(state, arena.allocateFrom(file.toString()), O_RDONLY_CLOEXEC);
            if (fd < 0) {
                throw new IOException("open(" + file + "): errno " + errno(state));
            }
            int answer = (int) SETNS.invokeExact(state, fd, CLONE_NEWNET);
            int ignored = (int) CLOSE.invokeExact(fd); // a descriptor that was only read: nothing can be lost
            if (answer != 0) {
                throw new IOException("setns(" + file + "): errno " + errno(state) + " (1: this must run as root)");
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static int errno(MemorySegment state) {
        return (int)
                ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno")).get(state, 0L);
    }
}
