package io.upfdataplane.dataplane.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The C library: one method for each function. Pointers are plain addresses, so that nothing is allocated for a call;
 * whoever passes one keeps its memory alive meanwhile. A failed call returns the negative errno. Any thread.
 */
public final class Libc {
    public static final int AF_INET = 2;
    public static final int AF_NETLINK = 16;
    public static final int AF_PACKET = 17;
    public static final int AF_XDP = 44;
    public static final int SOCK_STREAM = 1;
    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_RAW = 3;
    public static final int SOCK_CLOEXEC = 0x80000;
    public static final int SOCK_NONBLOCK = 0x800;

    public static final int SOL_SOCKET = 1;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_BINDTODEVICE = 25;
    public static final int SO_ATTACH_FILTER = 26;
    public static final int SO_SNDBUFFORCE = 32;
    public static final int SO_RCVBUFFORCE = 33;
    public static final int SO_BUSY_POLL = 46;
    public static final int SO_PREFER_BUSY_POLL = 69;
    public static final int SO_BUSY_POLL_BUDGET = 70;

    public static final int MSG_TRUNC = 0x20;
    public static final int MSG_DONTWAIT = 0x40;

    public static final int PROT_READ = 1;
    public static final int PROT_WRITE = 2;
    public static final int MAP_SHARED = 1;
    public static final int MAP_PRIVATE = 2;
    public static final int MAP_ANONYMOUS = 0x20;
    public static final int MAP_LOCKED = 0x2000;
    public static final int MAP_POPULATE = 0x8000;
    public static final int MAP_HUGETLB = 0x40000;
    public static final int MADV_POPULATE_WRITE = 23;

    public static final int MADV_HUGEPAGE = 14;

    public static final short POLLIN = 1;
    public static final short POLLOUT = 4;
    public static final short POLLERR = 8;

    /** sizeof(struct pollfd): int fd; short events; short revents. */
    public static final int POLLFD_SIZE = 8;

    public static final int O_RDONLY = 0;
    public static final int O_RDWR = 2;
    public static final int O_CLOEXEC = 0x80000;
    public static final int CLONE_NEWNET = 0x4000_0000;

    public static final int MEMBARRIER_CMD_GLOBAL = 1;

    private static final int EPOLL_CTL_ADD = 1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");

    /** Where the linker leaves errno: one word for each thread. */
    private static final ThreadLocal<MemorySegment> CAPTURED =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout().byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    // int socket(int domain, int type, int protocol)
    private static final MethodHandle SOCKET = function("socket", of(JAVA_INT, JAVA_INT, JAVA_INT));

    public static int socket(int domain, int type, int protocol) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) SOCKET.invokeExact(captured, domain, type, protocol), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
    private static final MethodHandle SETSOCKOPT =
            function("setsockopt", of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));

    public static int setsockopt(int fd, int level, int name, long value, int lengthBytes) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) SETSOCKOPT.invokeExact(captured, fd, level, name, value, lengthBytes), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    /** {@code setsockopt} with an int as its value. */
    public static int setsockopt(int fd, int level, int name, int value) {
        try (Arena arena = Arena.ofConfined()) {
            return setsockopt(
                    fd, level, name, arena.allocateFrom(JAVA_INT, value).address(), Integer.BYTES);
        }
    }

    // int getsockopt(int fd, int level, int name, void *value, socklen_t *length)
    private static final MethodHandle GETSOCKOPT =
            function("getsockopt", of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));

    /**
     * @param lengthAddress of an int: the room at {@code value} going in, the length of the value coming out
     */
    public static int getsockopt(int fd, int level, int name, long value, long lengthAddress) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) GETSOCKOPT.invokeExact(captured, fd, level, name, value, lengthAddress), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int bind(int fd, const struct sockaddr *address, socklen_t length)
    private static final MethodHandle BIND = function("bind", of(JAVA_INT, JAVA_LONG, JAVA_INT));

    public static int bind(int fd, long address, int lengthBytes) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) BIND.invokeExact(captured, fd, address, lengthBytes), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // ssize_t sendto(int fd, const void *buf, size_t length, int flags, const struct sockaddr *to, socklen_t toLength)
    private static final MethodHandle SENDTO =
            functionReturning(JAVA_LONG, "sendto", of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));

    public static int sendto(int fd, long buffer, long lengthBytes, int flags, long to, int toLengthBytes) {
        MemorySegment captured = CAPTURED.get();
        try {
            return (int) result(
                    (long) SENDTO.invokeExact(captured, fd, buffer, lengthBytes, flags, to, toLengthBytes), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // ssize_t recv(int fd, void *buf, size_t length, int flags)
    private static final MethodHandle RECV =
            functionReturning(JAVA_LONG, "recv", of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    public static int recv(int fd, long buffer, long lengthBytes, int flags) {
        MemorySegment captured = CAPTURED.get();
        try {
            return (int) result((long) RECV.invokeExact(captured, fd, buffer, lengthBytes, flags), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int close(int fd)
    private static final MethodHandle CLOSE = function("close", of(JAVA_INT));

    public static int close(int fd) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) CLOSE.invokeExact(captured, fd), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
    private static final MethodHandle MMAP =
            functionReturning(JAVA_LONG, "mmap", of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));

    /** The address of the mapping. */
    public static long mmap(long lengthBytes, int protection, int flags, int fd, long offset) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((long) MMAP.invokeExact(captured, 0L, lengthBytes, protection, flags, fd, offset), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int munmap(void *address, size_t length)
    private static final MethodHandle MUNMAP = function("munmap", of(JAVA_LONG, JAVA_LONG));

    public static int munmap(long address, long lengthBytes) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) MUNMAP.invokeExact(captured, address, lengthBytes), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int madvise(void *address, size_t length, int advice)
    private static final MethodHandle MADVISE = function("madvise", of(JAVA_LONG, JAVA_LONG, JAVA_INT));

    public static int madvise(long address, long lengthBytes, int advice) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) MADVISE.invokeExact(captured, address, lengthBytes, advice), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int poll(struct pollfd *fds, nfds_t count, int timeout)
    private static final MethodHandle POLL = function("poll", of(JAVA_LONG, JAVA_LONG, JAVA_INT));

    public static int poll(long pollfds, int count, int timeoutMs) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) POLL.invokeExact(captured, pollfds, (long) count, timeoutMs), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
    private static final MethodHandle PPOLL = function("ppoll", of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /**
     * @param timespec seconds and nanoseconds, two longs, or 0 to wait for ever
     */
    public static int ppoll(long pollfds, int count, long timespec) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) PPOLL.invokeExact(captured, pollfds, (long) count, timespec, 0L), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // long syscall(long number, ...); glibc has no membarrier()
    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("syscall"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            ERRNO,
            Linker.Option.firstVariadicArg(1));

    /**
     * {@code membarrier(2)}. With {@link #MEMBARRIER_CMD_GLOBAL} the kernel waits for an RCU grace period: whatever was
     * being worked on in a soft interrupt when it was called is done when it returns.
     */
    public static int membarrier(int command) {
        MemorySegment captured = CAPTURED.get();
        long number = System.getProperty("os.arch").equals("aarch64") ? 283 : 324;
        try {
            return (int) result((long) SYSCALL.invokeExact(captured, number, (long) command, 0L, 0L), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int epoll_create1(int flags)
    private static final MethodHandle EPOLL_CREATE1 = function("epoll_create1", of(JAVA_INT));

    public static int epollCreate1(int flags) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) EPOLL_CREATE1.invokeExact(captured, flags), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
    private static final MethodHandle EPOLL_CTL = function("epoll_ctl", of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));

    /** Watches one more descriptor. */
    public static int epollAdd(int epoll, int fd, short events) {
        MemorySegment captured = CAPTURED.get();
        try (Arena arena = Arena.ofConfined()) {
            // struct epoll_event: u32 events, u64 data (packed on x86)
            MemorySegment event = arena.allocate(16, 8);
            event.set(JAVA_INT, 0, events);
            return result((int) EPOLL_CTL.invokeExact(captured, epoll, EPOLL_CTL_ADD, fd, event.address()), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int eventfd(unsigned int value, int flags)
    private static final MethodHandle EVENTFD = function("eventfd", of(JAVA_INT, JAVA_INT));

    public static int eventfd(int value, int flags) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) EVENTFD.invokeExact(captured, value, flags), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // ssize_t read(int fd, void *buf, size_t length)
    private static final MethodHandle READ = functionReturning(JAVA_LONG, "read", of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    public static int read(int fd, long buffer, long lengthBytes) {
        MemorySegment captured = CAPTURED.get();
        try {
            return (int) result((long) READ.invokeExact(captured, fd, buffer, lengthBytes), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // ssize_t write(int fd, const void *buf, size_t length)
    private static final MethodHandle WRITE = functionReturning(JAVA_LONG, "write", of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    public static int write(int fd, long buffer, long lengthBytes) {
        MemorySegment captured = CAPTURED.get();
        try {
            return (int) result((long) WRITE.invokeExact(captured, fd, buffer, lengthBytes), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int ioctl(int fd, unsigned long request, ...)
    private static final MethodHandle IOCTL =
            function("ioctl", of(JAVA_INT, JAVA_LONG, JAVA_LONG), Linker.Option.firstVariadicArg(2));

    public static int ioctl(int fd, long request, long argument) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) IOCTL.invokeExact(captured, fd, request, argument), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int open(const char *path, int flags, ...)
    private static final MethodHandle OPEN =
            function("open", of(JAVA_LONG, JAVA_INT), Linker.Option.firstVariadicArg(2));

    public static int open(String path, int flags) {
        MemorySegment captured = CAPTURED.get();
        try (Arena arena = Arena.ofConfined()) {
            return result(
                    (int) OPEN.invokeExact(captured, arena.allocateFrom(path).address(), flags), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int setns(int fd, int nstype)
    private static final MethodHandle SETNS = function("setns", of(JAVA_INT, JAVA_INT));

    /** Moves the calling thread, which must be a platform thread, into a namespace. */
    public static int setns(int fd, int kind) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) SETNS.invokeExact(captured, fd, kind), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // unsigned int if_nametoindex(const char *name)
    private static final MethodHandle IF_NAMETOINDEX = function("if_nametoindex", of(JAVA_LONG));

    /** The index of a device of the calling thread's network namespace. */
    public static int ifNameToIndex(String device) {
        MemorySegment captured = CAPTURED.get();
        try (Arena arena = Arena.ofConfined()) {
            int index = (int) IF_NAMETOINDEX.invokeExact(
                    captured, arena.allocateFrom(device).address());
            return index == 0 ? -captured.get(JAVA_INT, ERRNO_OFFSET) : index;
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    // int sched_setaffinity(pid_t pid, size_t length, const cpu_set_t *mask)
    private static final MethodHandle SCHED_SETAFFINITY =
            function("sched_setaffinity", of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    /**
     * @param thread 0 for the calling one
     */
    public static int schedSetaffinity(int thread, long maskLengthBytes, long mask) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) SCHED_SETAFFINITY.invokeExact(captured, thread, maskLengthBytes, mask), captured);
        } catch (Throwable t) {
            throw impossible(t);
        }
    }

    private Libc() {}

    private static int result(int returned, MemorySegment captured) {
        return returned >= 0 ? returned : -captured.get(JAVA_INT, ERRNO_OFFSET);
    }

    private static long result(long returned, MemorySegment captured) {
        return returned >= 0 ? returned : -captured.get(JAVA_INT, ERRNO_OFFSET);
    }

    private static MemoryLayout[] of(MemoryLayout... arguments) {
        return arguments;
    }

    private static MethodHandle function(String name, MemoryLayout[] arguments, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        all[0] = ERRNO;
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_INT, arguments), all);
    }

    private static MethodHandle functionReturning(MemoryLayout returned, String name, MemoryLayout[] arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name), FunctionDescriptor.of(returned, arguments), ERRNO);
    }

    /** A handle's own types never fail; what else comes out of it is an error of the virtual machine. */
    private static AssertionError impossible(Throwable thrown) {
        return new AssertionError("call into the C library", thrown);
    }
}
