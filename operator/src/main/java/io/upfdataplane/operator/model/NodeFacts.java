package io.upfdataplane.operator.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.api.UpfNodeReportSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the node that a UPF is to run on, and of the other UPFs beside it. An empty answer means «could not
 * ask», never «no».
 */
public final class NodeFacts {
    private static final Crd CRD = Crd.named("upfnodereports.upfdataplane.io");
    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+).*");

    private final String node;
    private final UpfNodeReportSpec report;
    private final Map<String, String> takenAddresses;
    private final Set<String> ownDevices;

    private NodeFacts(
            String node, UpfNodeReportSpec report, Map<String, String> takenAddresses, Set<String> ownDevices) {
        this.node = node;
        this.report = report;
        this.takenAddresses = new TreeMap<>(takenAddresses);
        this.ownDevices = Set.copyOf(ownDevices);
    }

    /** The facts in a UpfNodeReport; throws with every fault when it is none. */
    public static NodeFacts of(JsonNode nodeReport) throws Malformed {
        ObjectNode admitted = CRD.admitReport(nodeReport);
        try {
            UpfNodeReportSpec report = Yaml.MAPPER.treeToValue(admitted.get("spec"), UpfNodeReportSpec.class);
            return new NodeFacts(admitted.at("/metadata/name").asText(), report, Map.of(), Set.of());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the schema admitted what the types cannot hold", e);
        }
    }

    /** The same node, and the addresses that other UpfDataplanes use, each with its owner. */
    public NodeFacts withTakenAddresses(Map<String, String> ownerByAddress) {
        return new NodeFacts(node, report, ownerByAddress, ownDevices);
    }

    /** The same node, with the devices that the running dataplane of this very UPF holds: to itself they are free. */
    public NodeFacts withOwnDevices(Set<String> devices) {
        return new NodeFacts(node, report, takenAddresses, devices);
    }

    public boolean isOwnDevice(String name) {
        return ownDevices.contains(name);
    }

    public String node() {
        return node;
    }

    public Map<String, String> takenAddresses() {
        return takenAddresses;
    }

    public Optional<List<UpfNodeReportSpec.Device>> devices() {
        return Optional.ofNullable(report.interfaces());
    }

    /** The device of that name; empty when there is none, or none could be asked for. */
    public Optional<UpfNodeReportSpec.Device> device(@Nullable String name) {
        return devices().stream()
                .flatMap(List::stream)
                .filter(d -> d.name().equals(name))
                .findFirst();
    }

    public Optional<String> kernelRelease() {
        return Optional.ofNullable(report.kernel()).map(UpfNodeReportSpec.Kernel::release);
    }

    /** Whether the kernel is at least that version. */
    public Optional<Boolean> kernelAtLeast(int major, int minor) {
        return kernelRelease().map(RELEASE::matcher).filter(Matcher::matches).map(version -> {
            int foundMajor = Integer.parseInt(version.group(1));
            return foundMajor > major || foundMajor == major && Integer.parseInt(version.group(2)) >= minor;
        });
    }

    public Optional<Integer> allowedCpus() {
        return Optional.ofNullable(report.cpus())
                .map(UpfNodeReportSpec.Cpus::allowed)
                .map(List::size);
    }

    public Optional<List<Integer>> isolatedCpus() {
        return Optional.ofNullable(report.cpus()).map(UpfNodeReportSpec.Cpus::isolated);
    }

    /** The CFS quota in CPUs; empty when there is none. */
    public Optional<Double> cpuQuota() {
        return Optional.ofNullable(report.cpus()).map(UpfNodeReportSpec.Cpus::quota);
    }

    public Optional<Set<String>> capabilities() {
        return Optional.ofNullable(report.capabilities()).map(HashSet::new);
    }

    /** RLIMIT_MEMLOCK; -1 is unlimited. */
    public Optional<Long> memlockBytes() {
        return Optional.ofNullable(report.memlockBytes());
    }
}
