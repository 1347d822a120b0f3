package io.upfdataplane.dataplane.apply;

import java.util.Comparator;
import java.util.List;

/** The routes of one leg, longest prefix first; immutable. Any thread. */
final class RouteTable {
    static final RouteTable EMPTY = new RouteTable(List.of(), new int[0]);

    /** The destination is its own next hop. */
    static final int ON_LINK = -1;

    static final int NO_ROUTE = -2;

    /** Prefix in the upper half, mask in the lower one. */
    private final long[] prefixAndMask;

    private final int[] gatewayEntry;

    static RouteTable of(List<Route> routes, NextHopTable nextHops, Side side) {
        List<Route> sorted = routes.stream()
                .sorted(Comparator.comparingInt(Route::length).reversed())
                .toList();
        int[] gateways = new int[sorted.size()];
        for (int i = 0; i < gateways.length; i++) {
            Integer gateway = sorted.get(i).gateway();
            int entry = gateway == null ? ON_LINK : nextHops.entryFor(side, gateway);
            gateways[i] = gateway != null && entry < 0 ? NO_ROUTE : entry;
        }
        return new RouteTable(sorted, gateways);
    }

    private RouteTable(List<Route> sorted, int[] gatewayEntry) {
        prefixAndMask = sorted.stream()
                .mapToLong(r -> (long) r.prefix() << 32 | Integer.toUnsignedLong(Route.maskOf(r.length())))
                .toArray();
        this.gatewayEntry = gatewayEntry;
    }

    /** Entry of the gateway, {@link #ON_LINK} or {@link #NO_ROUTE}. */
    int lookup(int destination) {
        long[] all = prefixAndMask;
        for (int i = 0; i < all.length; i++) {
            if ((destination & (int) all[i]) == (int) (all[i] >>> 32)) {
                return gatewayEntry[i];
            }
        }
        return NO_ROUTE;
    }
}
