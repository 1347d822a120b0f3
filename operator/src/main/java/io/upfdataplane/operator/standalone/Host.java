package io.upfdataplane.operator.standalone;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * This host, or one network namespace of it: probed, and its devices given the addresses and MTUs that the resource
 * asks for, as a CNI plugin would in a pod. A device that is no longer asked for, and every device at the end, gets back
 * what it had. Used by one thread.
 */
final class Host {
    private static final int COMMAND_SECONDS = 30;

    private final @Nullable String netns;
    private final List<String> dataplane;
    private final Screen screen;
    private final Map<String, Taken> taken = new LinkedHashMap<>();

    /** A device of ours: what it had before, and what it has been given. */
    private static final class Taken {
        private final boolean wasUp;
        private final @Nullable Integer mtuBefore;
        private @Nullable Integer mtu;
        private final Set<String> givenAddresses = new TreeSet<>();

        Taken(UpfNodeReportSpec.Device now) {
            this.wasUp = Boolean.TRUE.equals(now.up());
            this.mtuBefore = now.mtu();
            this.mtu = now.mtu();
        }
    }

    Host(@Nullable String netns, List<String> dataplane, Screen screen) {
        this.netns = netns;
        this.dataplane = List.copyOf(dataplane);
        this.screen = screen;
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
        String report = run(there(command), false);
        try {
            return NodeFacts.of(ResourceFile.parse(report));
        } catch (Malformed e) {
            throw new IOException("the probe's report cannot be read: " + e.getMessage(), e);
        }
    }

    /** The devices that were taken, under traffic or not. */
    Set<String> taken() {
        return Set.copyOf(taken.keySet());
    }

    /** Gives the devices what the model asks for and the facts do not show yet, but no larger MTU. */
    void prepare(UpfModel model, NodeFacts facts) throws IOException, InterruptedException {
        for (UpfModel.Leg leg : model.deviceLegs()) {
            String name = String.valueOf(leg.device());
            UpfNodeReportSpec.Device now =
                    facts.device(name).orElseThrow(() -> new IOException("the device " + name + " is gone"));
            Taken device = taken.computeIfAbsent(name, unused -> new Taken(now));
            device.mtu = now.mtu();
            address(leg, name, now.addresses() == null ? List.of() : now.addresses(), device, model);
            Integer wanted = mtu(leg, device);
            if (wanted != null && device.mtu != null && wanted < device.mtu) {
                setMtu(name, device, wanted);
            }
            if (!Boolean.TRUE.equals(now.up())) {
                ip("link", "set", name, "up");
            }
        }
        Set<String> gone = new TreeSet<>(taken.keySet());
        model.deviceLegs().forEach(leg -> gone.remove(String.valueOf(leg.device())));
        for (String name : gone) {
            giveBack(name);
        }
    }

    /** Raises what {@link #prepare} left: while an XDP program is attached, the kernel takes no MTU above a page. */
    void raiseMtus(UpfModel model) throws IOException, InterruptedException {
        for (UpfModel.Leg leg : model.deviceLegs()) {
            String name = String.valueOf(leg.device());
            Taken device = taken.get(name);
            Integer wanted = device == null ? null : mtu(leg, device);
            if (device != null && wanted != null && !wanted.equals(device.mtu)) {
                setMtu(name, device, wanted);
            }
        }
    }

    private void address(UpfModel.Leg leg, String name, List<String> carried, Taken device, UpfModel model)
            throws IOException, InterruptedException {
        // First, since with the first address of a network the kernel takes away all others of that network.
        for (String given : List.copyOf(device.givenAddresses)) {
            boolean stillWanted = model.deviceLegs().stream()
                    .anyMatch(other -> name.equals(other.device()) && given.equals(String.valueOf(other.address())));
            if (!stillWanted) {
                ip("address", "del", given, "dev", name);
                device.givenAddresses.remove(given);
            }
        }
        String wanted = String.valueOf(leg.address());
        if (leg.address() != null && !carried.contains(wanted)) {
            ip("address", "replace", wanted, "dev", name);
            device.givenAddresses.add(wanted);
        }
    }

    private static @Nullable Integer mtu(UpfModel.Leg leg, Taken device) {
        return leg.mtu() == null ? device.mtuBefore : leg.mtu();
    }

    private void setMtu(String name, Taken device, int mtu) throws IOException, InterruptedException {
        ip("link", "set", name, "mtu", String.valueOf(mtu));
        screen.event("MTU of " + name + ": " + device.mtu + " → " + mtu + ", in place");
        device.mtu = mtu;
    }

    /** Gives every device back what it had; what cannot be is said. */
    void restore() throws InterruptedException {
        for (String name : List.copyOf(taken.keySet()).reversed()) {
            giveBack(name);
        }
    }

    private void giveBack(String name) throws InterruptedException {
        Taken device = taken.remove(name);
        if (device == null) {
            return;
        }
        List<List<String>> commands = new ArrayList<>();
        if (!device.wasUp) {
            commands.add(List.of("link", "set", name, "down"));
        }
        if (device.mtuBefore != null && !device.mtuBefore.equals(device.mtu)) {
            commands.add(List.of("link", "set", name, "mtu", device.mtuBefore.toString()));
        }
        for (String address : device.givenAddresses) {
            commands.add(List.of("address", "del", address, "dev", name));
        }
        for (List<String> command : commands) {
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
        run(command, true);
    }

    private static String run(List<String> command, boolean withErrors) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(withErrors);
        if (!withErrors) {
            builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        }
        Process process = builder.start();
        String output;
        try (var reader = process.inputReader()) {
            output = reader.readAllAsString();
        }
        if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " did not end within " + COMMAND_SECONDS + " s");
        }
        if (process.exitValue() != 0) {
            String said = withErrors ? ": " + output.strip() : "";
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue() + said);
        }
        return output;
    }
}
