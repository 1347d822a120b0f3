package io.upfdataplane.dataplane.nexthop;

import io.upfdataplane.dataplane.apply.Link;
import io.upfdataplane.dataplane.apply.NeighbourWanted;
import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.apply.Route;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the table of next hops as the kernel knows them: follows links and neighbours by netlink, has the kernel ask for
 * those that packets need, and has it ask again before they grow old. Control thread; {@link #hops} and {@link #links}
 * any thread.
 */
public final class NextHops implements NeighbourWanted, AutoCloseable {
    /** An unresolved hop is asked for again after this time: the kernel itself asks three times within it. */
    private static final long ASK_AGAIN_NS = 1_000_000_000L;

    /** A resolved hop is used this often, so that a stale one is probed although its packets pass the kernel by. */
    private static final long KEEP_FRESH_NS = 2_000_000_000L;

    /** Hops on the link that packets named. More would let a UE's address scan fill the kernel's table. */
    private static final int MOST_LEARNT = 4096;

    private static final int MOST_QUESTIONS_A_POLL = 64;
    private static final Logger LOG = LoggerFactory.getLogger(NextHops.class);

    private final NextHopTable table;
    private final Map<Side, LegPlan> legs = new HashMap<>();
    private final Map<Side, Rtnetlink.Device> devices = new HashMap<>();
    private final Map<Key, Known> known = new LinkedHashMap<>();
    private final Rtnetlink kernel;
    private final Clock clock;
    private final Nudge nudge;
    private int entriesSeen;
    private boolean mayUse = true;
    private volatile List<Hop> hops = List.of();
    private volatile List<LinkState> links = List.of();
    private volatile List<LearntRoute> kernelRoutes = List.of();

    private record Key(Side side, int ipv4) {}

    /** A leg's device as the kernel shows it. */
    public record LinkState(Side side, String device, boolean up, String mac, int mtuBytes) {}

    /** A route of the kernel's, for show: the configuration decides where packets go. */
    public record LearntRoute(
            String device, String to, @Nullable String via) {}

    private NextHops(NextHopTable table, Rtnetlink kernel, Nudge nudge, Clock clock) {
        this.table = table;
        this.kernel = kernel;
        this.nudge = nudge;
        this.clock = clock;
    }

    /** Learns links and neighbours, sets the routes of each leg and begins to resolve the gateways. */
    public static NextHops open(List<LegPlan> legs, NextHopTable table, Clock clock) throws CallFailed {
        Rtnetlink kernel = Rtnetlink.open();
        NextHops hops = new NextHops(table, kernel, new Nudge(), clock);
        try {
            hops.plan(legs);
            hops.askAll();
            return hops;
        } catch (CallFailed e) {
            hops.close();
            throw e;
        }
    }

    private void plan(List<LegPlan> plans) {
        Instant now = clock.instant();
        long nowNs = System.nanoTime();
        for (LegPlan leg : plans) {
            legs.put(leg.side(), leg);
            List<Route> routes = new ArrayList<>(leg.connected());
            for (Route route : leg.routes()) {
                routes.add(route);
                Integer gateway = route.gateway();
                if (gateway != null) {
                    watch(leg.side(), gateway, Hop.Role.Router, now, nowNs);
                }
            }
            Integer gateway = leg.gateway();
            if (gateway != null) {
                routes.add(new Route(0, 0, gateway));
                known.remove(new Key(leg.side(), gateway));
                watch(leg.side(), gateway, Hop.Role.Gateway, now, nowNs);
            }
            table.setRoutes(leg.side(), routes);
        }
    }

    private void askAll() throws CallFailed {
        kernel.links().forEach(this::take);
        kernel.neighbours().forEach(this::take);
        readRoutes();
        publish();
    }

    /** A worker has a packet for this address and no link-layer address. */
    @Override
    public void wanted(Side side, int ipv4) {
        Integer neighbour = table.neighbourTowards(side, ipv4);
        if (neighbour == null) {
            return;
        }
        Key key = new Key(side, neighbour);
        Known hop = known.get(key);
        if (hop == null) {
            if (known.size() >= MOST_LEARNT) {
                return;
            }
            hop = watch(side, neighbour, Hop.Role.Peer, clock.instant(), System.nanoTime());
            learnFromKernel(hop);
        }
        // The entry of what was asked for may be new although its neighbour is long known.
        table.entryFor(side, ipv4);
        apply(hop);
        if (!hop.state.isResolved()) {
            ask(hop, System.nanoTime());
        }
    }

    private Known watch(Side side, int ipv4, Hop.Role role, Instant now, long nowNs) {
        return known.computeIfAbsent(new Key(side, ipv4), k -> {
            table.entryFor(side, ipv4);
            return new Known(side, ipv4, role, now, nowNs);
        });
    }

    /** The kernel may know it already, from traffic of others. */
    private void learnFromKernel(Known hop) {
        Rtnetlink.Device device = devices.get(hop.side);
        try {
            for (Rtnetlink.Fact fact : kernel.neighbours()) {
                if (fact instanceof Rtnetlink.Neighbour n
                        && device != null
                        && n.device() == device.index()
                        && n.ipv4() == hop.ipv4) {
                    hop.take(n.mac(), n.state(), clock.instant());
                }
            }
        } catch (CallFailed e) {
            LOG.warn("neighbours could not be listed: {}", e.getMessage());
        }
    }

    /** Takes what has changed, and asks for what is due. Called every few milliseconds. */
    public void poll(long nowNs) {
        try {
            boolean[] changed = {false};
            boolean[] rerouted = {false};
            boolean complete = kernel.changes(fact -> {
                changed[0] = true;
                rerouted[0] |= fact instanceof Rtnetlink.Rerouted;
                take(fact);
            });
            if (!complete) {
                LOG.warn("changes of neighbours were lost: all are asked for anew");
                askAll();
            } else if (rerouted[0]) {
                readRoutes();
            }
            takeNewEntries();
            int questions = 0;
            for (Known hop : known.values()) {
                long pauseNs = hop.state.isResolved() ? KEEP_FRESH_NS : ASK_AGAIN_NS;
                if (nowNs - hop.askedNs >= pauseNs && questions < MOST_QUESTIONS_A_POLL) {
                    ask(hop, nowNs);
                    questions++;
                }
            }
            if (changed[0] || questions > 0) {
                publish();
            }
        } catch (CallFailed e) {
            LOG.warn("neighbours could not be followed: {}", e.getMessage());
        }
    }

    /** Rules that were compiled since have made entries for their peers. */
    private void takeNewEntries() {
        int entries = table.entries();
        for (; entriesSeen < entries; entriesSeen++) {
            Side side = table.side(entriesSeen);
            int ipv4 = table.ipv4(entriesSeen);
            Integer neighbour = table.neighbourTowards(side, ipv4);
            Known hop = neighbour == null ? null : known.get(new Key(side, neighbour));
            if (hop != null) {
                apply(hop);
            } else if (neighbour != null) {
                wanted(side, ipv4);
            }
        }
    }

    private void take(Rtnetlink.Fact fact) {
        switch (fact) {
            case Rtnetlink.Device device -> takeDevice(device);
            case Rtnetlink.Neighbour n -> {
                for (Map.Entry<Side, Rtnetlink.Device> leg : devices.entrySet()) {
                    Known hop = known.get(new Key(leg.getKey(), n.ipv4()));
                    if (leg.getValue().index() == n.device() && hop != null) {
                        boolean wasResolved = hop.state.isResolved();
                        if (hop.take(n.mac(), n.state(), clock.instant())) {
                            apply(hop);
                            log(hop, wasResolved);
                        }
                    }
                }
            }
            case Rtnetlink.Rerouted r -> {
                // poll() reads the routes once for all of them.
            }
        }
    }

    private void takeDevice(Rtnetlink.Device device) {
        for (LegPlan leg : legs.values()) {
            if (!device.name().equals(leg.device())) {
                continue;
            }
            if (device.gone() || !device.up()) {
                table.setLink(leg.side(), Link.UNKNOWN);
            } else {
                table.setLink(leg.side(), new Link(device.mac(), leg.ipv4(), device.mtuBytes()));
            }
            Rtnetlink.Device before = devices.put(leg.side(), device);
            if (before != null && before.up() != device.up()) {
                LOG.info("{} is {}", device.name(), device.up() ? "up" : "down: nothing can leave by it");
            }
        }
    }

    private static void log(Known hop, boolean wasResolved) {
        if (hop.state.isResolved()) {
            LOG.info("next hop {} on {} is at {}", text(hop.ipv4), hop.side, macText(hop.mac));
        } else if (wasResolved) {
            LOG.warn("next hop {} on {} does not answer: packets to it are dropped", text(hop.ipv4), hop.side);
        }
    }

    /** Writes a hop into its own entry and into the entries of all that lie behind it. */
    private void apply(Known hop) {
        for (int entry = 0; entry < table.entries(); entry++) {
            if (table.side(entry) != hop.side) {
                continue;
            }
            int ipv4 = table.ipv4(entry);
            Integer neighbour = ipv4 == hop.ipv4 ? (Integer) ipv4 : table.neighbourTowards(hop.side, ipv4);
            if (neighbour != null && neighbour == hop.ipv4) {
                if (hop.state.isResolved()) {
                    table.resolve(entry, hop.mac);
                } else {
                    table.unresolve(entry);
                }
            }
        }
    }

    private void ask(Known hop, long nowNs) {
        Rtnetlink.Device device = devices.get(hop.side);
        hop.askedNs = nowNs;
        if (device == null || !device.up()) {
            return;
        }
        if (mayUse) {
            try {
                kernel.use(device.index(), hop.ipv4);
                return;
            } catch (CallFailed e) {
                if (e.errno() != Errno.EPERM) {
                    LOG.warn("{} could not be asked for: {}", text(hop.ipv4), e.getMessage());
                    return;
                }
                mayUse = false;
                LOG.info("without NET_ADMIN, next hops are resolved by sending a datagram to them");
            }
        }
        LegPlan leg = legs.get(hop.side);
        if (leg != null) {
            nudge.send(leg.ipv4(), hop.ipv4);
        }
    }

    private void readRoutes() throws CallFailed {
        List<LearntRoute> routes = new ArrayList<>();
        for (Rtnetlink.KernelRoute r : kernel.routes()) {
            for (Rtnetlink.Device device : devices.values()) {
                if (device.index() == r.device()) {
                    Integer gateway = r.gateway();
                    LearntRoute route = new LearntRoute(
                            device.name(), text(r.prefix()) + "/" + r.length(), gateway == null ? null : text(gateway));
                    if (!routes.contains(route)) {
                        routes.add(route);
                    }
                }
            }
        }
        kernelRoutes = List.copyOf(routes);
    }

    private void publish() {
        List<Hop> now = new ArrayList<>();
        for (Known hop : known.values()) {
            LegPlan leg = legs.get(hop.side);
            now.add(new Hop(
                    hop.side,
                    leg == null ? "" : leg.device(),
                    text(hop.ipv4),
                    hop.role,
                    hop.state.isResolved() ? macText(hop.mac) : null,
                    hop.state,
                    hop.since));
        }
        hops = List.copyOf(now);
        List<LinkState> shown = new ArrayList<>();
        devices.forEach((side, d) -> shown.add(new LinkState(side, d.name(), d.up(), macText(d.mac()), d.mtuBytes())));
        links = List.copyOf(shown);
    }

    /** Any thread. */
    public List<Hop> hops() {
        return hops;
    }

    /** Any thread. */
    public List<LinkState> links() {
        return links;
    }

    /** Any thread. */
    public List<LearntRoute> kernelRoutes() {
        return kernelRoutes;
    }

    static String text(int ipv4) {
        return (ipv4 >>> 24) + "." + (ipv4 >>> 16 & 0xff) + "." + (ipv4 >>> 8 & 0xff) + "." + (ipv4 & 0xff);
    }

    static String macText(long mac) {
        StringBuilder text = new StringBuilder(17);
        for (int shift = 40; shift >= 0; shift -= 8) {
            text.append(String.format("%02x", mac >>> shift & 0xff));
            if (shift > 0) {
                text.append(':');
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        kernel.close();
        nudge.close();
    }
}
