package io.upfdataplane.operator.standalone;

import io.upfdataplane.operator.plan.Plan;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one UpfDataplane on this host, without Kubernetes. */
@Command(
        name = "standalone",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the dataplane of one UpfDataplane on this host, as the operator would in a cluster: checks the",
            "resource and the host, starts the dataplane, follows edits of the file, and shows conditions.",
            "Ends with SIGTERM or Ctrl-C."
        })
public final class StandaloneCommand implements Callable<Integer> {
    static final String STATE = "/var/lib/upf-operator";
    private static final long END_MILLIS = 20_000;

    @Option(
            names = {"-f", "--file"},
            required = true,
            description = "the UpfDataplane; editing the file is editing the resource")
    private Path resource = Path.of("");

    @Option(names = "--netns", description = "the network namespace that has the devices (as ip netns names it)")
    private @Nullable String netns;

    @Option(
            names = "--state",
            defaultValue = STATE,
            description = "directory for the dataplane's files and status.yaml (default: ${DEFAULT-VALUE})")
    private Path directory = Path.of("");

    @Option(names = "--status-file", description = "the resource with its status (default: status.yaml in --state)")
    private @Nullable Path statusFile;

    @Option(
            names = "--dataplane",
            description = "the dataplane's command (default: hack/dataplane of this repository, or $UPF_DATAPLANE)")
    private @Nullable String dataplane;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Screen screen = new Screen(System.out);
        Files.createDirectories(directory);
        Path absolute = directory.toAbsolutePath();
        List<String> command = dataplaneCommand();
        try (FileChannel lockFile = FileChannel.open(
                        absolute.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = lockFile.tryLock()) {
            if (lock == null) {
                screen.line(absolute + " is used by another standalone operator: give --state another directory");
                return 1;
            }
            return operate(screen, absolute, command);
        }
    }

    private int operate(Screen screen, Path absolute, List<String> command) throws InterruptedException {
        int[] exit = {0};
        Thread operator = new Thread(
                () -> {
                    try {
                        if (netns != null) {
                            NetworkNamespace.enter(netns);
                        }
                        Host host = new Host(netns, command, screen);
                        List<String> run = new ArrayList<>(command);
                        run.addAll(List.of(
                                "run",
                                "--config",
                                absolute.resolve("config.yaml").toString()));
                        DataplaneChild child = new DataplaneChild(
                                host.there(run), absolute.resolve("dataplane.log"), Plan.METRICS_PORT, screen);
                        Path status = statusFile == null ? absolute.resolve("status.yaml") : statusFile;
                        new Standalone(resource, absolute, status, host, child, screen).run();
                    } catch (IOException e) {
                        screen.line(String.valueOf(e.getMessage()));
                        exit[0] = 1;
                    }
                },
                "standalone");
        Thread stop = new Thread(
                () -> {
                    operator.interrupt();
                    try {
                        operator.join(END_MILLIS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(stop);
        operator.start();
        operator.join();
        return exit[0];
    }

    private List<String> dataplaneCommand() throws IOException {
        String given = dataplane != null ? dataplane : System.getenv("UPF_DATAPLANE");
        if (given != null && !given.isBlank()) {
            return List.of(given.trim().split("\\s+"));
        }
        try {
            // operator/target/quarkus-app/… lies in the repository that also has hack/.
            Path here = Path.of(StandaloneCommand.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            for (Path folder = here; folder != null; folder = folder.getParent()) {
                Path launcher = folder.resolve("hack/dataplane");
                if (Files.isExecutable(launcher)) {
                    return List.of(launcher.toString());
                }
            }
        } catch (URISyntaxException e) {
            throw new IOException("where this program lies cannot be told", e);
        }
        throw new IOException("hack/dataplane was not found beside this program: give --dataplane COMMAND");
    }
}
