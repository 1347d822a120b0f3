package io.upfdataplane.dataplane.nexthop;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.apply.NextHopTable;
import io.upfdataplane.dataplane.apply.Route;
import io.upfdataplane.dataplane.apply.Side;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import java.time.Clock;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Next hops as the kernel resolves them, in namespaces with a gNB and a gateway. */
class NextHopsIT {
    private static final int GNB = Frames.ipv4("10.33.0.2");
    private static final int GATEWAY = Frames.ipv4("10.99.0.2");
    private static final int BEHIND = Frames.ipv4("10.34.0.7");
    private static final int ROUTER = Frames.ipv4("10.33.0.2");

    private interface Body {
        void run(NextHops hops, NextHopTable table) throws Exception;
    }

    private static void stage(NetNamespaceFixture ns, Body body) throws Exception {
        ns.veth("upf", "n3", "gnb", "n3p");
        ns.veth("upf", "n6", "dn", "n6p");
        ns.address("upf", "n3", "10.33.0.1/24");
        ns.address("upf", "n6", "10.99.0.1/24");
        ns.address("gnb", "n3p", "10.33.0.2/24");
        ns.address("dn", "n6p", "10.99.0.2/24");
        LegPlan n3 = new LegPlan(
                Side.ACCESS,
                "n3",
                Frames.ipv4("10.33.0.1"),
                List.of(new Route(Frames.ipv4("10.33.0.0"), 24, null)),
                null,
                List.of(new Route(Frames.ipv4("10.34.0.0"), 16, ROUTER)));
        LegPlan n6 = new LegPlan(
                Side.CORE,
                "n6",
                Frames.ipv4("10.99.0.1"),
                List.of(new Route(Frames.ipv4("10.99.0.0"), 24, null)),
                GATEWAY,
                List.of());
        ns.inside("upf", () -> {
            try (NextHopTable table = new NextHopTable(64);
                    NextHops hops = NextHops.open(List.of(n3, n6), table, Clock.systemUTC())) {
                body.run(hops, table);
            }
            return null;
        });
    }

    @Test
    void resolvesTheGatewayAtTheStartWithoutATraffic() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("gnb", "upf", "dn")) {
            stage(ns, (hops, table) -> {
                int entry = table.entryFor(Side.CORE, GATEWAY);
                await(hops, () -> table.isResolved(entry));
                Hop gateway = hop(hops, "10.99.0.2");
                assertThat(gateway.role()).isEqualTo(Hop.Role.Gateway);
                assertThat(gateway.mac()).isEqualTo(text(ns.mac("dn", "n6p")));
                assertThat(gateway.device()).isEqualTo("n6");
                assertThat(table.link(Side.ACCESS).mtuBytes()).isEqualTo(1500);
                assertThat(table.link(Side.CORE).ipv4()).isEqualTo(Frames.ipv4("10.99.0.1"));
                assertThat(hops.kernelRoutes()).contains(new NextHops.LearntRoute("n3", "10.33.0.0/24", null));
            });
        }
    }

    @Test
    void resolvesATunnelsPeerOnTheLinkAndOneBehindARouterWhenTheyAreWanted() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("gnb", "upf", "dn")) {
            stage(ns, (hops, table) -> {
                int behind = table.entryFor(Side.ACCESS, BEHIND);
                hops.wanted(Side.ACCESS, BEHIND);
                await(hops, () -> table.isResolved(behind));
                int peer = table.entryFor(Side.ACCESS, GNB);
                await(hops, () -> table.isResolved(peer));
                assertThat(hop(hops, "10.33.0.2").mac()).isEqualTo(text(ns.mac("gnb", "n3p")));
                assertThat(hops.hops())
                        .as("the host behind the router is no hop")
                        .hasSize(2);
            });
        }
    }

    /** Rules are compiled with an entry for their peer; nobody has sent a packet yet. */
    @Test
    void resolvesThePeersOfNewRulesWithoutBeingAsked() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("gnb", "upf", "dn")) {
            stage(ns, (hops, table) -> {
                int peer = table.entryFor(Side.ACCESS, GNB);
                await(hops, () -> table.isResolved(peer));
            });
        }
    }

    @Test
    void aChangedLinkLayerAddressTakesEffect() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("gnb", "upf", "dn")) {
            stage(ns, (hops, table) -> {
                int entry = table.entryFor(Side.CORE, GATEWAY);
                await(hops, () -> table.isResolved(entry));
                ns.ip("dn", "link", "set", "n6p", "address", "02:00:00:00:99:02");
                // What a gateway does that has moved: it tells everybody.
                ns.exec("upf", "ip", "neigh", "flush", "dev", "n6");
                await(
                        hops,
                        () -> "02:00:00:00:99:02".equals(hop(hops, "10.99.0.2").mac()));
                assertThat(table.isResolved(entry)).isTrue();
            });
        }
    }

    @Test
    void aHopThatDoesNotAnswerIsUnresolvedAndSaysSinceWhen() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("gnb", "upf", "dn")) {
            stage(ns, (hops, table) -> {
                int entry = table.entryFor(Side.CORE, GATEWAY);
                await(hops, () -> table.isResolved(entry));
                ns.exec("dn", "ip", "addr", "flush", "dev", "n6p");
                ns.exec("upf", "ip", "neigh", "flush", "dev", "n6");
                await(hops, () -> hop(hops, "10.99.0.2").state() == Hop.State.Failed);
                assertThat(table.isResolved(entry)).isFalse();
                assertThat(hop(hops, "10.99.0.2").mac()).isNull();
                ns.address("dn", "n6p", "10.99.0.2/24");
                await(hops, () -> table.isResolved(entry));
            });
        }
    }

    @Test
    void aLinkThatIsDownSendsNothing() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("gnb", "upf", "dn")) {
            stage(ns, (hops, table) -> {
                ns.ip("gnb", "link", "set", "n3p", "down");
                await(hops, () -> table.link(Side.ACCESS).mac() == 0);
                ns.ip("gnb", "link", "set", "n3p", "up");
                await(hops, () -> table.link(Side.ACCESS).mac() != 0);
            });
        }
    }

    private static Hop hop(NextHops hops, String address) {
        return hops.hops().stream()
                .filter(h -> h.address().equals(address))
                .findFirst()
                .orElseThrow();
    }

    private static void await(NextHops hops, BooleanSupplier wished) throws InterruptedException {
        long untilNs = System.nanoTime() + 30_000_000_000L;
        hops.poll(System.nanoTime());
        while (!wished.getAsBoolean()) {
            assertThat(System.nanoTime()).as("within 30 s: %s", hops.hops()).isLessThan(untilNs);
            Thread.sleep(10);
            hops.poll(System.nanoTime());
        }
    }

    private static String text(byte[] mac) {
        StringBuilder text = new StringBuilder();
        for (byte octet : mac) {
            text.append(text.isEmpty() ? "" : ":").append(String.format("%02x", octet));
        }
        return text.toString();
    }
}
