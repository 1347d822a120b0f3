package io.upfdataplane.dataplane.ffi;

import java.io.IOException;
import java.util.Map;

/**
 * The error numbers of Linux by name. Calls in this room return what the C function returned, or the negative errno when
 * it failed, as the kernel itself does. Any thread.
 */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int ENXIO = 6;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENOSPC = 28;
    public static final int ERANGE = 34;
    public static final int EOPNOTSUPP = 95;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETDOWN = 100;
    public static final int ENOBUFS = 105;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(EPERM, "EPERM"),
            Map.entry(ENOENT, "ENOENT"),
            Map.entry(3, "ESRCH"),
            Map.entry(EINTR, "EINTR"),
            Map.entry(5, "EIO"),
            Map.entry(ENXIO, "ENXIO"),
            Map.entry(7, "E2BIG"),
            Map.entry(9, "EBADF"),
            Map.entry(EAGAIN, "EAGAIN"),
            Map.entry(ENOMEM, "ENOMEM"),
            Map.entry(EACCES, "EACCES"),
            Map.entry(14, "EFAULT"),
            Map.entry(EBUSY, "EBUSY"),
            Map.entry(EEXIST, "EEXIST"),
            Map.entry(ENODEV, "ENODEV"),
            Map.entry(20, "ENOTDIR"),
            Map.entry(EINVAL, "EINVAL"),
            Map.entry(23, "ENFILE"),
            Map.entry(24, "EMFILE"),
            Map.entry(25, "ENOTTY"),
            Map.entry(ENOSPC, "ENOSPC"),
            Map.entry(33, "EDOM"),
            Map.entry(ERANGE, "ERANGE"),
            Map.entry(38, "ENOSYS"),
            Map.entry(61, "ENODATA"),
            Map.entry(71, "EPROTO"),
            Map.entry(88, "ENOTSOCK"),
            Map.entry(90, "EMSGSIZE"),
            Map.entry(92, "ENOPROTOOPT"),
            Map.entry(93, "EPROTONOSUPPORT"),
            Map.entry(EOPNOTSUPP, "EOPNOTSUPP"),
            Map.entry(97, "EAFNOSUPPORT"),
            Map.entry(EADDRINUSE, "EADDRINUSE"),
            Map.entry(EADDRNOTAVAIL, "EADDRNOTAVAIL"),
            Map.entry(ENETDOWN, "ENETDOWN"),
            Map.entry(101, "ENETUNREACH"),
            Map.entry(ENOBUFS, "ENOBUFS"),
            Map.entry(106, "EISCONN"),
            Map.entry(107, "ENOTCONN"),
            Map.entry(110, "ETIMEDOUT"),
            Map.entry(111, "ECONNREFUSED"),
            Map.entry(113, "EHOSTUNREACH"));

    private Errno() {}

    /** The symbol of a positive error number, or its number where we have no name. */
    public static String name(int errno) {
        return NAMES.getOrDefault(errno, "errno " + errno);
    }

    /**
     * Passes a result on, or names the failed call.
     *
     * @param call the C function with the argument that matters, e.g. {@code bind(n3)}
     */
    public static int orThrow(int result, String call) throws CallFailed {
        if (result < 0) {
            throw new CallFailed(call, -result);
        }
        return result;
    }

    /** As {@link #orThrow(int, String)}, for calls that return an address. */
    public static long orThrow(long result, String call) throws CallFailed {
        if (result < 0) {
            throw new CallFailed(call, (int) -result);
        }
        return result;
    }

    /** A C call that failed: its name, its argument and errno. */
    public static final class CallFailed extends IOException {
        private static final long serialVersionUID = 1L;
        private final int errno;

        public CallFailed(String call, int errno) {
            super(call + ": " + name(errno));
            this.errno = errno;
        }

        public int errno() {
            return errno;
        }
    }
}
