package io.upfdataplane.dataplane.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The dataplane as a process of its own inside a namespace, as it runs in a pod. Any one thread. */
public final class DataplaneChild implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PORT = 9464;

    private final NetNamespaceFixture namespaces;
    private final String role;
    private final Path log;
    private final Process process;

    private DataplaneChild(NetNamespaceFixture namespaces, String role, Path log, Process process) {
        this.namespaces = namespaces;
        this.role = role;
        this.log = log;
        this.process = process;
    }

    /** Starts {@code dataplane run}. */
    public static DataplaneChild start(NetNamespaceFixture namespaces, String role, Path config, Path log)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(namespaces.command(role)));
        command.addAll(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xmx160m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.upfdataplane.dataplane.Dataplane",
                "run",
                "--config",
                config.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new DataplaneChild(namespaces, role, log, process);
    }

    public JsonNode status() throws Exception {
        return JSON.readTree(get("/status").body());
    }

    public record Answer(int code, String body) {}

    /** Asks the report server from inside the namespace. */
    public Answer get(String path) throws Exception {
        return namespaces.inside(role, () -> {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + PORT + path).toURL().openConnection(java.net.Proxy.NO_PROXY);
            connection.setConnectTimeout(2000);
            connection.setReadTimeout(5000);
            int code = connection.getResponseCode();
            try (InputStream in = code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                return new Answer(code, new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        });
    }

    /** Waits until the status is as wished; fails with the log when the process dies or it takes too long. */
    public JsonNode await(String what, Predicate<JsonNode> wished) throws Exception {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        JsonNode last = null;
        while (System.nanoTime() < untilNs) {
            if (!process.isAlive()) {
                throw new AssertionError(what + ": the dataplane ended with " + process.exitValue() + "\n" + log());
            }
            try {
                last = status();
                if (wished.test(last)) {
                    return last;
                }
            } catch (IOException notYet) {
                // It starts.
            }
            Thread.sleep(50);
        }
        throw new AssertionError(what + ": not within 60 s; status " + last + "\n" + log());
    }

    public JsonNode awaitReady() throws Exception {
        return await("ready", s -> s.path("ready").asBoolean());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public String log() throws IOException {
        return Files.readString(log);
    }

    /** How long workers have been ready to run and had to wait for a CPU since they began, all together. */
    public long workersWaitedNs() throws IOException {
        long waited = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("comm")).startsWith("worker-")) {
                    // schedstat: time on a CPU, time waiting for one, number of turns
                    waited += Long.parseLong(
                            Files.readString(task.resolve("schedstat")).split(" ")[1]);
                }
            }
        }
        return waited;
    }

    /** SIGTERM, as the kubelet sends it; the exit code. */
    public int terminate() throws InterruptedException {
        child().destroy();
        return exitCode();
    }

    /** SIGKILL. */
    public void kill() throws InterruptedException {
        child().destroyForcibly();
        exitCode();
    }

    public int exitCode() throws InterruptedException {
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the dataplane does not end");
        }
        return process.exitValue();
    }

    /** {@code ip netns exec} becomes the program itself, so there is one process. */
    private ProcessHandle child() {
        return process.toHandle();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
