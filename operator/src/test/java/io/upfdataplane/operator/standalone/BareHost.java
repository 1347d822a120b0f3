package io.upfdataplane.operator.standalone;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.upfdataplane.operator.model.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A host with n3 and n6 in a network namespace, the neighbours of both in another, and {@code hack/operator standalone}
 * on it with the built dataplane. One thread.
 */
final class BareHost implements AutoCloseable {
    private static final Path DATAPLANE = Path.of("../dataplane/target/dataplane.jar");
    private static final Path OPERATOR = Path.of("target/quarkus-app/quarkus-run.jar");
    private static final Pattern STARTED = Pattern.compile("dataplane started, process (\\d+)");
    private static final int PATIENCE_SECONDS = 120;

    final String host = "upf" + ProcessHandle.current().pid() + "-host";
    final String beyond = "upf" + ProcessHandle.current().pid() + "-beyond";
    final Path folder;
    final Path resource;
    private final Path log;
    private Process operator;

    private BareHost(Path folder) throws IOException {
        this.folder = folder;
        this.resource = folder.resolve("upfdataplane.yaml");
        this.log = folder.resolve("operator.log");
    }

    static BareHost open() throws Exception {
        skipUnless("root".equals(System.getProperty("user.name")), "network namespaces need root");
        skipUnless(Files.exists(DATAPLANE), DATAPLANE + " is not built: `mvn -pl dataplane package` does it");
        skipUnless(Files.exists(OPERATOR), OPERATOR + " is not built: `mvn -pl operator package` does it");
        BareHost bare = new BareHost(Files.createTempDirectory(Path.of("target").toAbsolutePath(), "standalone"));
        try {
            bare.build();
        } catch (IOException | RuntimeException e) {
            bare.close();
            throw e;
        }
        return bare;
    }

    private static void skipUnless(boolean holds, String reason) {
        if (!holds) {
            System.out.println("SKIPPED: StandaloneIT: " + reason);
        }
        assumeTrue(holds, reason);
    }

    private void build() throws Exception {
        for (String name : List.of(host, beyond)) {
            run("ip", "netns", "add", name);
            run("ip", "-n", name, "link", "set", "lo", "up");
        }
        for (String leg : List.of("n3", "n6")) {
            run("ip", "link", "add", leg, "netns", host, "type", "veth", "peer", "name", leg, "netns", beyond);
            ip("link", "set", leg, "up");
            run("ip", "-n", beyond, "link", "set", leg, "up");
            // A redirected frame is delivered by the peer's NAPI, which GRO brings.
            run("ip", "netns", "exec", beyond, "ethtool", "-K", leg, "gro", "on");
        }
        run("ip", "-n", beyond, "address", "add", "10.33.0.9/24", "dev", "n3");
        run("ip", "-n", beyond, "address", "add", "10.99.0.2/24", "dev", "n6");
    }

    void start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                "../hack/operator",
                "standalone",
                "-f",
                resource.toString(),
                "--netns",
                host,
                "--state",
                folder.resolve("state").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        operator = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** SIGTERM; whether it ended in time. */
    boolean stop() throws InterruptedException {
        operator.destroy();
        return operator.waitFor(60, TimeUnit.SECONDS);
    }

    /** As editors and Git write a file: beside it, then by a rename. */
    void edit(String text) throws IOException {
        Path next = folder.resolve("next.yaml");
        Files.writeString(next, text);
        Files.move(next, resource, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    JsonNode status() throws IOException {
        Path file = folder.resolve("state/status.yaml");
        return Files.exists(file) ? Yaml.MAPPER.readTree(file.toFile()).path("status") : MissingNode.getInstance();
    }

    JsonNode condition(String type) throws IOException {
        for (JsonNode condition : status().path("conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }

    boolean is(String type, String status, String reason) throws IOException {
        JsonNode condition = condition(type);
        return condition.path("status").asText().equals(status)
                && condition.path("reason").asText().equals(reason);
    }

    /** What the operator has printed. */
    String log() throws IOException {
        return Files.exists(log) ? Files.readString(log) : "";
    }

    long timesLogged(String words) throws IOException {
        return Pattern.compile(Pattern.quote(words)).matcher(log()).results().count();
    }

    /** The dataplane that was started last. */
    long dataplanePid() throws IOException {
        Optional<MatchResult> last = STARTED.matcher(log()).results().reduce((first, second) -> second);
        return last.map(match -> Long.parseLong(match.group(1))).orElse(-1L);
    }

    boolean dataplaneLives() throws IOException {
        return ProcessHandle.of(dataplanePid()).map(ProcessHandle::isAlive).orElse(false);
    }

    JsonNode link(String device) throws IOException, InterruptedException {
        return Yaml.MAPPER
                .readTree(ip("-json", "address", "show", "dev", device))
                .path(0);
    }

    List<String> addresses(String device) throws IOException, InterruptedException {
        List<String> addresses = new ArrayList<>();
        for (JsonNode address : link(device).path("addr_info")) {
            if (address.path("family").asText().equals("inet")) {
                addresses.add(address.path("local").asText());
            }
        }
        return addresses;
    }

    /** Waits, for a loaded machine; the failure says what the operator and the dataplane said last. */
    void until(String what, Callable<Boolean> holds) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!holds.call()) {
            if (System.nanoTime() > deadline || !operator.isAlive()) {
                Path dataplane = folder.resolve("state/dataplane.log");
                throw new AssertionError(
                        (operator.isAlive() ? "waited " + PATIENCE_SECONDS + " s" : "the operator ended while waiting")
                                + " for " + what + "\n" + tail(log()) + "\n--- dataplane ---\n"
                                + (Files.exists(dataplane) ? tail(Files.readString(dataplane)) : "nothing"));
            }
            Thread.sleep(100);
        }
    }

    private static String tail(String text) {
        return text.substring(Math.max(0, text.length() - 4000));
    }

    /** {@code ip -n HOST arguments…}. */
    String ip(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip", "-n", host));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output;
        try (var reader = process.inputReader()) {
            output = reader.readAllAsString();
        }
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output.strip());
        }
        return output;
    }

    @Override
    public void close() throws Exception {
        if (operator != null && operator.isAlive() && !stop()) {
            operator.destroyForcibly().waitFor();
        }
        for (String name : List.of(host, beyond)) {
            if (Files.exists(Path.of("/var/run/netns", name))) {
                run("ip", "netns", "delete", name);
            }
        }
    }
}
