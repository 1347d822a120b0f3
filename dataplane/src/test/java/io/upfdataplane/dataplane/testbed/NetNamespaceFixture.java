package io.upfdataplane.dataplane.testbed;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/**
 * Network namespaces of one test, named by roles ({@code gnb}, {@code upf}, {@code dn}) and joined by veth pairs. Their
 * real names hold the process id, so tests of several processes can run side by side; all go at {@link #close}. Any
 * thread.
 */
public final class NetNamespaceFixture implements AutoCloseable {
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final String prefix = "upf" + ProcessHandle.current().pid() + "x" + NEXT.getAndIncrement();
    private final Map<String, String> names = new LinkedHashMap<>();

    private NetNamespaceFixture(String... roles) {
        for (String role : roles) {
            String name = prefix + role;
            run("ip", "netns", "add", name);
            names.put(role, name);
            run("ip", "-n", name, "link", "set", "lo", "up");
            // Router solicitations and DAD would be frames that no test sent.
            exec(role, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1");
        }
    }

    /** Creates a namespace for each role; skips the test, with the reason, where that is impossible. */
    public static NetNamespaceFixture of(String... roles) {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "skipped: network namespaces need root");
        return new NetNamespaceFixture(roles);
    }

    /** What {@code ip netns} calls the namespace. */
    public String name(String role) {
        String name = names.get(role);
        if (name == null) {
            throw new IllegalArgumentException("no namespace for " + role);
        }
        return name;
    }

    /** A veth pair between two namespaces (or within one), up, with one queue each and without addresses. */
    public void veth(String role, String device, String peerRole, String peerDevice) {
        run(
                "ip",
                "link",
                "add",
                device,
                "netns",
                name(role),
                "numrxqueues",
                "1",
                "numtxqueues",
                "1",
                "type",
                "veth",
                "peer",
                "name",
                peerDevice,
                "netns",
                name(peerRole),
                "numrxqueues",
                "1",
                "numtxqueues",
                "1");
        ip(role, "link", "set", device, "up");
        ip(peerRole, "link", "set", peerDevice, "up");
    }

    /** {@code ip -n NAMESPACE arguments…}. */
    public String ip(String role, String... arguments) {
        return run(concat(new String[] {"ip", "-n", name(role)}, arguments));
    }

    public void address(String role, String device, String cidr) {
        ip(role, "addr", "add", cidr, "dev", device);
    }

    /** The link-layer address of a device. */
    public byte[] mac(String role, String device) {
        String line = ip(role, "-br", "link", "show", device).trim();
        String[] octets = line.split("\\s+")[2].split(":");
        byte[] mac = new byte[6];
        for (int i = 0; i < 6; i++) {
            mac[i] = (byte) Integer.parseInt(octets[i], 16);
        }
        return mac;
    }

    /** Runs a command inside; fails unless it ends with 0 within a minute. */
    public String exec(String role, String... command) {
        return run(concat(command(role), command));
    }

    /** Starts a command inside. Whoever starts it ends it. */
    public Process start(String role, String... command) throws IOException {
        return new ProcessBuilder(concat(command(role), command))
                .redirectErrorStream(true)
                .start();
    }

    /** {@code ip netns exec NAMESPACE}, to put before a command. */
    public String[] command(String role) {
        return new String[] {"ip", "netns", "exec", name(role)};
    }

    /** Calls {@code body} on a platform thread of its own inside the namespace; sockets it opens stay there. */
    public <T> T inside(String role, Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = thread(role, task);
        thread.start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** A thread, not started, that enters the namespace and then runs {@code body}. */
    public Thread thread(String role, Runnable body) {
        String name = name(role);
        return Thread.ofPlatform().name(role).unstarted(() -> {
            enter(name);
            body.run();
        });
    }

    /** Moves the calling platform thread into a namespace for good. */
    public static void enter(String namespace) {
        int fd = Libc.open("/run/netns/" + namespace, Libc.O_RDONLY | Libc.O_CLOEXEC);
        try {
            Errno.orThrow(fd, "open(/run/netns/" + namespace + ")");
            Errno.orThrow(Libc.setns(fd, Libc.CLONE_NEWNET), "setns(" + namespace + ")");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            Libc.close(fd);
        }
    }

    @Override
    public void close() {
        // A veth pair goes with either end.
        names.values().forEach(name -> run("ip", "netns", "del", name));
        names.clear();
    }

    /** Runs a command on this host; fails unless it ends with 0 within a minute. */
    public static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException(String.join(" ", command) + ": still running after 60 s");
            }
            if (process.exitValue() != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + ": exit " + process.exitValue() + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static String[] concat(String[] first, String[] second) {
        List<String> all = new ArrayList<>(Arrays.asList(first));
        all.addAll(Arrays.asList(second));
        return all.toArray(String[]::new);
    }
}
