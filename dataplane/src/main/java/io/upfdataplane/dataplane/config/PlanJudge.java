package io.upfdataplane.dataplane.config;

import io.upfdataplane.dataplane.config.Plan.DataNetwork;
import io.upfdataplane.dataplane.config.Plan.Interface;
import io.upfdataplane.dataplane.config.Plan.Mode;
import io.upfdataplane.dataplane.config.Plan.Observability;
import io.upfdataplane.dataplane.config.Plan.Peer;
import io.upfdataplane.dataplane.config.Plan.Pfcp;
import io.upfdataplane.dataplane.config.Plan.Poll;
import io.upfdataplane.dataplane.config.Plan.Role;
import io.upfdataplane.dataplane.config.Plan.Route;
import io.upfdataplane.dataplane.config.Plan.Tuning;
import io.upfdataplane.dataplane.config.Plan.ZeroCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Judges one plan, {@code candidate} or {@code lastGood}: first each field, then what fields say about each other. */
final class PlanJudge {
    static final int MAX_WORKERS = 64;
    static final int MAX_SESSIONS = 1 << 20;

    private static final Pattern HASH = Pattern.compile("[0-9A-Za-z][0-9A-Za-z.-]{0,63}");
    private static final Pattern NAME = Pattern.compile("[0-9A-Za-z]([0-9A-Za-z._-]{0,98}[0-9A-Za-z])?");
    private static final Pattern FQDN = Pattern.compile("(?=.{1,253}$)[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
            + "(\\.[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?)*");
    private static final Pattern DOTTED_DIGITS = Pattern.compile("[0-9.]+");
    // The kernel's IFNAMSIZ is 16 with its closing zero; '/', ':' and blanks are not allowed in names.
    private static final Pattern DEVICE = Pattern.compile("(?!\\.{1,2}$)[^\\s/:]{1,15}");
    private static final Pattern DIRECTORY = Pattern.compile("/(?!.*(/\\.\\.?(/|$)|//)).+");

    private static final Map<String, Mode> MODES = ordered("AF_PACKET", Mode.AF_PACKET, "AF_XDP", Mode.AF_XDP);
    private static final Map<String, Role> ROLES =
            ordered("Passive", Role.PASSIVE, "Active", Role.ACTIVE, "Both", Role.BOTH);
    private static final Map<String, Poll> POLLS =
            ordered("Interrupt", Poll.INTERRUPT, "Adaptive", Poll.ADAPTIVE, "Busy", Poll.BUSY);
    private static final Map<String, ZeroCopy> ZERO_COPIES =
            ordered("Prefer", ZeroCopy.PREFER, "Require", ZeroCopy.REQUIRE, "Never", ZeroCopy.NEVER);

    private final List<ConfigError> errors;

    PlanJudge(List<ConfigError> errors) {
        this.errors = errors;
    }

    Plan plan(Fields plan) {
        String hash = plan.text("planHash", HASH, "1 to 64 letters, digits, '.' or '-'");
        Mode mode = plan.oneOf("mode", MODES);
        int workers = plan.integer("workers", 1, MAX_WORKERS);
        Interface n3;
        Interface n6;
        try (Fields interfaces = plan.fields("interfaces")) {
            n3 = iface(interfaces, "n3");
            n6 = iface(interfaces, "n6");
        }
        List<DataNetwork> networks = dataNetworks(plan, List.of(n3, n6));
        Pfcp pfcp = pfcp(plan);
        int maxSessions;
        try (Fields capacity = plan.optionalFields("capacity")) {
            maxSessions = capacity.integer("maxSessions", 1, MAX_SESSIONS, 10_000);
        }
        int devices = n3.device().equals(n6.device()) ? 1 : 2;
        Tuning tuning = tuning(plan, devices);
        Observability observability;
        try (Fields o = plan.optionalFields("observability")) {
            observability = new Observability(
                    o.hostAddress("bindAddress", true, new Ipv4Address(0)), o.integer("port", 1, 65535, 9464));
        }
        String directory;
        try (Fields state = plan.optionalFields("state")) {
            directory = state.text("directory", DIRECTORY, "an absolute path without . or .. in it", "/var/lib/upf");
        }
        return new Plan(hash, mode, workers, n3, n6, networks, pfcp, maxSessions, tuning, observability, directory);
    }

    private Interface iface(Fields interfaces, String leg) {
        try (Fields f = interfaces.fields(leg)) {
            String device = f.text("device", DEVICE, "a device name of at most 15 characters");
            List<Ipv4Prefix> addresses = addresses(f);
            Ipv4Address gateway = f.optionalHostAddress("gateway");
            if (gateway != null && !addresses.isEmpty()) {
                onLink(f, "gateway", gateway, addresses);
            }
            List<Route> routes = new ArrayList<>();
            for (Fields.Item item : f.items("routes", 0, 64)) {
                try (Fields r = Fields.of(item.node(), item.line(), item.path(), errors)) {
                    Ipv4Prefix to = r.network("to");
                    Ipv4Address via = r.hostAddress("via", false);
                    if (via.isHost() && !addresses.isEmpty()) {
                        onLink(r, "via", via, addresses);
                    }
                    if (to != null) {
                        routes.add(new Route(to, via));
                    }
                }
            }
            return new Interface(device, addresses.isEmpty() ? List.of(NO_PREFIX) : addresses, gateway, routes);
        }
    }

    private static final Ipv4Prefix NO_PREFIX = new Ipv4Prefix(new Ipv4Address(0), 32);

    private List<Ipv4Prefix> addresses(Fields f) {
        List<Ipv4Prefix> addresses = new ArrayList<>();
        for (Fields.Item item : f.items("addresses", 1, 4)) {
            Ipv4Prefix prefix = item.node() instanceof YamlNode.Scalar s ? Ipv4Prefix.parse(s.text()) : null;
            if (prefix == null || !prefix.address().isHost() || prefix.length() < 8) {
                errors.add(new ConfigError(
                        item.line(),
                        item.path(),
                        item.node().shown(),
                        "an IPv4 address with its prefix length, such as 10.33.0.1/24"));
            } else if (prefix.length() < 31 && isNetworkOrBroadcast(prefix)) {
                errors.add(new ConfigError(
                        item.line(),
                        item.path(),
                        item.node().shown(),
                        "the address of a host in " + prefix.network() + ", not that of the network or of all hosts"));
            } else {
                addresses.add(prefix);
            }
        }
        return addresses;
    }

    private static boolean isNetworkOrBroadcast(Ipv4Prefix prefix) {
        int host = prefix.address().bits() & ~prefix.mask();
        return host == 0 || host == ~prefix.mask();
    }

    private static void onLink(Fields f, String name, Ipv4Address hop, List<Ipv4Prefix> addresses) {
        if (addresses.stream().noneMatch(a -> a.contains(hop))) {
            f.wrong(
                    name,
                    "an address inside "
                            + joined(addresses.stream().map(Ipv4Prefix::network).toList()));
        } else if (addresses.stream().anyMatch(a -> a.address().equals(hop))) {
            f.wrong(name, "an address of another host: this one is the interface's own");
        }
    }

    private List<DataNetwork> dataNetworks(Fields plan, List<Interface> interfaces) {
        List<DataNetwork> networks = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Map<Ipv4Prefix, String> pools = new LinkedHashMap<>();
        for (Fields.Item item : plan.items("dataNetworks", 1, 16)) {
            try (Fields f = Fields.of(item.node(), item.line(), item.path(), errors)) {
                String name = f.text("name", NAME, "a DNN of 1 to 100 letters, digits, '.', '_' or '-'");
                if (!name.isEmpty() && !names.add(name)) {
                    f.wrong("name", "a name that no other data network has");
                }
                String instance = f.text("networkInstance", NAME, "1 to 100 letters, digits, '.', '_' or '-'", name);
                Integer ueMtu = f.has("ueMtu") ? (Integer) f.integer("ueMtu", 576, 9000) : null;
                List<Ipv4Prefix> own = new ArrayList<>();
                for (Fields.Item poolItem : f.items("uePools", 1, 16)) {
                    Ipv4Prefix pool = uePool(poolItem, pools, interfaces);
                    if (pool != null) {
                        own.add(pool);
                    }
                }
                networks.add(new DataNetwork(name, instance, ueMtu, own));
            }
        }
        return networks;
    }

    private @Nullable Ipv4Prefix uePool(Fields.Item item, Map<Ipv4Prefix, String> pools, List<Interface> interfaces) {
        try (Fields f = Fields.of(item.node(), item.line(), item.path(), errors)) {
            Ipv4Prefix pool = f.network("cidr");
            if (pool == null) {
                return null;
            }
            for (Map.Entry<Ipv4Prefix, String> other : pools.entrySet()) {
                if (pool.overlaps(other.getKey())) {
                    f.wrong("cidr", "a prefix that does not overlap " + other.getKey() + " of " + other.getValue());
                }
            }
            for (Interface i : interfaces) {
                for (Ipv4Prefix address : i.addresses()) {
                    if (!address.equals(NO_PREFIX) && pool.contains(address.address())) {
                        f.wrong("cidr", "a prefix without " + address.address() + ", the address of " + i.device());
                    }
                }
            }
            pools.putIfAbsent(pool, item.path());
            return pool;
        }
    }

    private Pfcp pfcp(Fields plan) {
        try (Fields f = plan.fields("pfcp")) {
            String nodeId = f.text("nodeId", FQDN, "an IPv4 address or an FQDN");
            if (DOTTED_DIGITS.matcher(nodeId).matches() && !nodeId.isEmpty() && Ipv4Address.parse(nodeId) == null) {
                f.wrong("nodeId", "an IPv4 address or an FQDN");
            }
            Ipv4Address address = f.hostAddress("bindAddress", true);
            int port = f.integer("bindPort", 1, 65535, 8805);
            Role role = f.oneOf("role", ROLES, Role.PASSIVE);
            List<Peer> peers = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (Fields.Item item : f.items("peers", 0, 32)) {
                try (Fields p = Fields.of(item.node(), item.line(), item.path(), errors)) {
                    String name = p.text("name", NAME, "1 to 100 letters, digits, '.', '_' or '-'");
                    if (!name.isEmpty() && !names.add(name)) {
                        p.wrong("name", "a name that no other peer has");
                    }
                    peers.add(new Peer(name, p.hostAddress("address", false)));
                }
            }
            if (role != Role.PASSIVE && peers.isEmpty()) {
                f.wrong("role", role + " without a peer", "peers[] to associate with, or role Passive");
            }
            try (Fields heartbeat = f.optionalFields("heartbeat");
                    Fields retransmission = f.optionalFields("retransmission")) {
                return new Pfcp(
                        nodeId,
                        address,
                        port,
                        role,
                        peers,
                        heartbeat.duration("interval", ONE_SECOND, ONE_HOUR, Duration.ofSeconds(10)),
                        heartbeat.duration("timeout", HUNDRED_MILLIS, ONE_HOUR, Duration.ofSeconds(5)),
                        heartbeat.integer("retries", 1, 100, 3),
                        retransmission.duration("timeout", HUNDRED_MILLIS, ONE_HOUR, Duration.ofSeconds(2)),
                        retransmission.integer("retries", 0, 100, 5));
            }
        }
    }

    private static final Duration HUNDRED_MILLIS = Duration.ofMillis(100);
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);
    private static final Duration ONE_HOUR = Duration.ofHours(1);

    private Tuning tuning(Fields plan, int devices) {
        try (Fields f = plan.optionalFields("tuning");
                Fields umem = f.optionalFields("umem");
                Fields rings = f.optionalFields("rings")) {
            int before = errors.size();
            Tuning tuning = new Tuning(
                    f.integer("batchSize", 1, 256, 64),
                    f.oneOf("poll", POLLS, Poll.ADAPTIVE),
                    f.oneOf("zeroCopy", ZERO_COPIES, ZeroCopy.PREFER),
                    umem.integer("frames", 1024, 1 << 22, 32_768),
                    umem.powerOfTwo("frameSize", 2048, 4096, 2048),
                    rings.powerOfTwo("rx", 64, 32_768, 2048),
                    rings.powerOfTwo("tx", 64, 32_768, 2048),
                    rings.powerOfTwo("fill", 64, 32_768, 4096),
                    rings.powerOfTwo("completion", 64, 32_768, 4096));
            int least = 2 * tuning.fillRing() * devices;
            if (errors.size() == before && tuning.umemFrames() < least) {
                umem.wrong(
                        "frames",
                        Integer.toString(tuning.umemFrames()),
                        "at least " + least + " (twice the fill ring of " + tuning.fillRing() + " for " + devices
                                + (devices == 1 ? " device)" : " devices)"));
            }
            return tuning;
        }
    }

    private static String joined(List<Ipv4Prefix> prefixes) {
        return String.join(" or ", prefixes.stream().map(Ipv4Prefix::toString).toList());
    }

    private static <E extends Enum<E>> Map<String, E> ordered(String name1, E value1, String name2, E value2) {
        Map<String, E> map = new LinkedHashMap<>();
        map.put(name1, value1);
        map.put(name2, value2);
        return map;
    }

    private static <E extends Enum<E>> Map<String, E> ordered(
            String name1, E value1, String name2, E value2, String name3, E value3) {
        Map<String, E> map = ordered(name1, value1, name2, value2);
        map.put(name3, value3);
        return map;
    }
}
