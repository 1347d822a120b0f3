package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.probe.NodeReport;
import io.upfdataplane.dataplane.probe.Probe;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code dataplane probe}: prints what this host has, as a NodeReport in YAML. */
@Command(
        name = "probe",
        description = "Prints what this host has, as a UpfNodeReport. Asks only; changes nothing.",
        mixinStandardHelpOptions = true)
public final class ProbeCommand implements Callable<Integer> {
    @Option(
            names = "--node-name",
            description = "Name in the report; by default the environment's NODE_NAME, else the host's name.")
    private @Nullable String nodeName;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws CallFailed, java.io.IOException {
        NodeReport report = new Probe().report(name());
        PrintWriter out = java.util.Objects.requireNonNull(spec).commandLine().getOut();
        out.print(report.toYaml());
        out.flush();
        return 0;
    }

    private String name() throws java.io.IOException {
        String fromEnvironment = System.getenv("NODE_NAME");
        if (nodeName != null) {
            return nodeName;
        }
        return fromEnvironment != null && !fromEnvironment.isBlank()
                ? fromEnvironment
                : Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    }
}
