package io.upfdataplane.dataplane.probe;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.Libbpf;
import io.upfdataplane.dataplane.probe.Links.Link;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import io.upfdataplane.dataplane.probe.NodeReport.Peer;
import io.upfdataplane.dataplane.probe.NodeReport.Queues;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Looks at this host and writes down what it sees. Passive: it attaches, binds and changes nothing, since a throw-away
 * XDP program resets live devices. Any thread.
 */
public final class Probe {
    private static final Pattern PCI_ADDRESS =
            Pattern.compile("[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]", Pattern.CASE_INSENSITIVE);

    /** As {@code upf_steer.bpf.c} calls it. */
    static final String OWN_PROGRAM = "upf_steer";

    private final Path root;
    private final Clock clock;

    public Probe() {
        this(Path.of("/"), Clock.systemUTC());
    }

    Probe(Path root, Clock clock) {
        this.root = root;
        this.clock = clock;
    }

    /**
     * @param node name for the report
     * @throws CallFailed when the kernel does not list its devices
     */
    public NodeReport report(String node) throws CallFailed {
        Host host = new Host(root);
        List<Device> devices = devices(host);
        return NodeReport.of(
                node,
                new NodeReport.Spec(
                        Instant.now(clock).truncatedTo(ChronoUnit.SECONDS).toString(),
                        host.kernel(),
                        host.cpus(),
                        host.memlockBytes(),
                        host.capabilities(),
                        host.hugepages(),
                        host.iommu(),
                        host.vfioPciModule(),
                        devices,
                        recommended(devices)));
    }

    private static List<Device> devices(Host host) throws CallFailed {
        List<Link> links = Links.links();
        Map<Integer, Link> byIndex = new HashMap<>();
        links.forEach(l -> byIndex.put(l.index(), l));
        Map<Integer, List<String>> addresses = Links.addresses();
        Set<Integer> defaultRoutes = Links.defaultRouteDevices();
        Optional<Map<Integer, Long>> xdp = Links.xdpFeatures();
        List<Device> devices = new ArrayList<>();
        try (Ethtool ethtool = Ethtool.open()) {
            for (Link link : links) {
                if (!link.loopback()) {
                    devices.add(device(host, ethtool, link, byIndex, addresses, defaultRoutes, xdp));
                }
            }
        }
        devices.sort(Comparator.comparing(Device::name));
        return devices;
    }

    private static Device device(
            Host host,
            Ethtool ethtool,
            Link link,
            Map<Integer, Link> byIndex,
            Map<Integer, List<String>> addresses,
            Set<Integer> defaultRoutes,
            Optional<Map<Integer, Long>> xdp) {
        Ethtool.Driver asked = ethtool.driver(link.name());
        String driver = asked != null && !asked.name().isEmpty() ? asked.name() : link.kind();
        String pci = asked != null && PCI_ADDRESS.matcher(asked.bus()).matches() ? asked.bus() : null;
        Long features = xdp.isPresent() ? xdp.get().get(link.index()) : null;
        DriverTable.Xdp known = DriverTable.of(driver);
        boolean carriesDefault = defaultRoutes.contains(link.index());
        Link master = link.master() == null ? null : byIndex.get(link.master());
        Queues channels = ethtool.channels(link.name());
        return new Device(
                link.name(),
                driver,
                pci,
                pci == null ? null : host.numaNode(pci),
                link.up(),
                link.mtu(),
                link.macAddress(),
                ethtool.speedMbps(link.name()),
                addresses.getOrDefault(link.index(), List.of()),
                carriesDefault,
                master == null ? null : master.name(),
                inUseBy(link, master, carriesDefault),
                channels == null ? new Queues(link.rxQueues(), link.txQueues()) : channels,
                features == null ? known.nativeXdp() : (Boolean) ((features & 0b11) == 0b11),
                features == null ? known.zeroCopy() : (Boolean) ((features & 0b1000) != 0),
                features == null ? null : Links.featureNames(features),
                link.xdpProgram(),
                known.maxMtu(),
                ethtool.offloads(link.name()),
                peer(ethtool, link, byIndex));
    }

    private static @Nullable String inUseBy(Link link, @Nullable Link master, boolean carriesDefault) {
        if (carriesDefault) {
            return "the default route";
        }
        if (master != null) {
            return (master.kind() == null ? "master " : master.kind() + " ") + master.name();
        }
        return link.xdpProgram() == null ? null : xdpUser(link.xdpProgram());
    }

    /** Who has put the XDP program there; null when it is ours and was left by a process that is gone. */
    private static @Nullable String xdpUser(int id) {
        try {
            Libbpf libbpf = new Libbpf();
            String name = libbpf.programName(id);
            if (!name.equals(OWN_PROGRAM)) {
                return "XDP program " + (name.isEmpty() ? "" : name + " ") + "(id " + id + ")";
            }
            // AF_XDP takes away what a dead dataplane has left, so it keeps nobody from the device.
            return libbpf.isHeldByLink(id) ? "a running dataplane (XDP program " + name + ", id " + id + ")" : null;
        } catch (IllegalArgumentException notInstalled) {
            return "XDP program (id " + id + ")"; // without libbpf there is no name to know it by
        }
    }

    private static @Nullable Peer peer(Ethtool ethtool, Link link, Map<Integer, Link> byIndex) {
        Link other = link.link() == null || !"veth".equals(link.kind()) ? null : byIndex.get(link.link());
        return other == null ? null : new Peer(other.name(), ethtool.txChecksum(other.name()));
    }

    /** Best first, for the best of the devices that nobody holds. */
    static List<String> recommended(List<Device> devices) {
        List<Device> free =
                devices.stream().filter(d -> d.up() && d.inUseBy() == null).toList();
        if (free.isEmpty()) {
            return List.of();
        }
        return free.stream().anyMatch(d -> Boolean.TRUE.equals(d.nativeXdp()))
                ? List.of("AF_XDP", "AF_PACKET")
                : List.of("AF_PACKET");
    }
}
