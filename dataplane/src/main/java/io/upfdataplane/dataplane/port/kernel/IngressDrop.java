package io.upfdataplane.dataplane.port.kernel;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortPlan.Device;
import io.upfdataplane.dataplane.port.PortPlan.Prefix;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The nft tables that drop our packets at netdev ingress, behind the tap that AF_PACKET reads: one table for each device,
 * named after it, so that what a dead process left on a device is replaced by its next owner. Control thread only.
 */
final class IngressDrop {
    private static final String TABLE_PREFIX = "upf_guard_";
    private static final int PROGRAM_TIMEOUT_S = 10;

    private final String program;

    /**
     * @param program nft, or where it is
     */
    IngressDrop(String program) {
        this.program = program;
    }

    /** nft could not do it, in its own words. */
    static final class NftFailed extends Exception {
        private static final long serialVersionUID = 1L;

        NftFailed(String message) {
            super(message);
        }
    }

    /** Puts the tables of a plan in place, in one transaction, over whatever stood there under their names. */
    List<String> put(PortPlan plan) throws NftFailed {
        List<String> devices = plan.devices().values().stream()
                .map(Device::name)
                .distinct()
                .sorted()
                .toList();
        StringBuilder script = new StringBuilder();
        for (String device : devices) {
            table(script, device, rules(plan, device));
        }
        run(script.toString());
        return devices;
    }

    /** Removes the tables of these devices. */
    void remove(List<String> devices) throws NftFailed {
        StringBuilder script = new StringBuilder();
        for (String device : devices) {
            // Declared first, so that deleting succeeds where the device, and its table with it, is gone already.
            script.append("table netdev ").append(tableOf(device)).append(" {}\n");
            script.append("delete table netdev ").append(tableOf(device)).append('\n');
        }
        run(script.toString());
    }

    private static String tableOf(String device) {
        return TABLE_PREFIX + device.replaceAll("[^A-Za-z0-9_.-]", "_");
    }

    private static List<String> rules(PortPlan plan, String device) {
        List<String> rules = new ArrayList<>();
        Device n3 = plan.devices().get(Leg.N3);
        Device n6 = plan.devices().get(Leg.N6);
        if (n3 != null && n3.name().equals(device)) {
            rules.add("ip daddr " + dotted(n3.ipv4()) + " udp dport 2152 counter drop");
        }
        if (n6 != null && n6.name().equals(device)) {
            for (Prefix pool : plan.uePools()) {
                rules.add("ip daddr " + dotted(pool.address()) + "/" + pool.length() + " counter drop");
            }
        }
        return rules;
    }

    private static void table(StringBuilder script, String device, List<String> rules) {
        String table = tableOf(device);
        script.append("table netdev ").append(table).append(" {}\n");
        script.append("delete table netdev ").append(table).append('\n');
        script.append("table netdev ").append(table).append(" {\n  chain ingress {\n");
        script.append("    type filter hook ingress device \"").append(device).append("\" priority -300;\n");
        for (String rule : rules) {
            script.append("    ").append(rule).append('\n');
        }
        script.append("  }\n}\n");
    }

    private static String dotted(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 0xff) + "." + (address >>> 8 & 0xff) + "." + (address & 0xff);
    }

    private void run(String script) throws NftFailed {
        try {
            Process nft = new ProcessBuilder(program, "-f", "-")
                    .redirectErrorStream(true)
                    .start();
            try (OutputStream in = nft.getOutputStream()) {
                in.write(script.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // nft ended before it read all; its own words follow.
            }
            String said = new String(nft.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!nft.waitFor(PROGRAM_TIMEOUT_S, TimeUnit.SECONDS)) {
                nft.destroyForcibly();
                throw new NftFailed(program + ": no end after " + PROGRAM_TIMEOUT_S + " s");
            }
            if (nft.exitValue() != 0) {
                throw new NftFailed(program + ": " + said.lines().findFirst().orElse("exit " + nft.exitValue()));
            }
        } catch (IOException e) {
            throw new NftFailed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NftFailed(program + ": interrupted");
        }
    }
}
