package io.upfdataplane.operator.standalone;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.Ipv4Prefix;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * This host, or one network namespace of it: probed, and its devices given the addresses and MTUs that the resource
 * asks for, as a CNI plugin would in a pod. What was changed is put back at the end. Used by one thread.
 */
final class Host {
    private static final int COMMAND_SECONDS = 30;

    private final @Nullable String netns;
    private final List<String> dataplane;
    private final Deque<List<String>> undo = new ArrayDeque<>();

    Host(@Nullable String netns, List<String> dataplane) {
        this.netns = netns;
        this.dataplane = List.copyOf(dataplane);
    }

    /** The command line of a program that runs there. */
    List<String> there(List<String> command) {
        if (netns == null) {
            return command;
        }
        List<String> inside = new ArrayList<>(List.of("ip", "netns", "exec", netns));
        inside.addAll(command);
        return inside;
    }

    NodeFacts probe() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(dataplane);
        command.add("probe");
        String report = run(there(command));
        try {
            return NodeFacts.of(ResourceFile.parse(report));
        } catch (Malformed e) {
            throw new IOException("the probe's report cannot be read: " + e.getMessage(), e);
        }
    }

    /** Gives the devices what the model asks for and the facts do not show yet. */
    void prepare(UpfModel model, NodeFacts facts) throws IOException, InterruptedException {
        for (UpfModel.Leg leg : model.deviceLegs()) {
            String device = String.valueOf(leg.device());
            UpfNodeReportSpec.Device now =
                    facts.device(device).orElseThrow(() -> new IOException("the device " + device + " is gone"));
            Ipv4Prefix address = leg.address();
            List<String> carried = now.addresses() == null ? List.of() : now.addresses();
            if (address != null && !carried.contains(address.toString())) {
                ip("address", "replace", address.toString(), "dev", device);
                undo.push(List.of("address", "del", address.toString(), "dev", device));
            }
            Integer mtu = leg.mtu();
            if (mtu != null && !mtu.equals(now.mtu())) {
                ip("link", "set", device, "mtu", mtu.toString());
                if (now.mtu() != null) {
                    undo.push(List.of("link", "set", device, "mtu", now.mtu().toString()));
                }
            }
            if (!Boolean.TRUE.equals(now.up())) {
                ip("link", "set", device, "up");
                undo.push(List.of("link", "set", device, "down"));
            }
        }
    }

    /** Puts back what {@link #prepare} changed, the last change first; what cannot be is said. */
    void restore(Screen screen) throws InterruptedException {
        while (!undo.isEmpty()) {
            List<String> command = undo.pop();
            try {
                ip(command.toArray(String[]::new));
            } catch (IOException e) {
                screen.event("could not be put back: " + e.getMessage());
            }
        }
    }

    private void ip(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        if (netns != null) {
            command.addAll(List.of("-n", netns));
        }
        command.addAll(List.of(arguments));
        run(command);
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                .redirectErrorStream(false)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output;
        try (var reader = process.inputReader()) {
            output = reader.readAllAsString();
        }
        if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " did not end within " + COMMAND_SECONDS + " s");
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
        }
        return output;
    }
}
