package io.upfdataplane.dataplane.nexthop;

import io.upfdataplane.dataplane.apply.Route;
import io.upfdataplane.dataplane.apply.Side;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a leg before the kernel is asked.
 *
 * @param ipv4 the leg's own address in host order
 * @param connected prefixes of the leg's addresses: what lies in them is on the link
 * @param gateway host order
 * @param routes further routes, each with its gateway
 */
public record LegPlan(
        Side side,
        String device,
        int ipv4,
        List<Route> connected,
        @Nullable Integer gateway,
        List<Route> routes) {
    public LegPlan {
        connected = List.copyOf(connected);
        routes = List.copyOf(routes);
    }
}
