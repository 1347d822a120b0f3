package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.Ipv4Prefix;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.afpacket.AfPacketPortSet;
import io.upfdataplane.dataplane.port.afxdp.AfXdpPortSet;
import io.upfdataplane.dataplane.preflight.Facts;
import io.upfdataplane.dataplane.preflight.Finding;
import io.upfdataplane.dataplane.preflight.Preflight;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Opens the ports of a mode for a plan. */
final class Ports {
    private Ports() {}

    static PortSet open(Plan.Mode mode, PortPlan plan, FramePool pool) throws PortRefused {
        return switch (mode) {
            case AF_PACKET -> AfPacketPortSet.open(plan, pool);
            case AF_XDP -> AfXdpPortSet.open(plan, pool);
        };
    }

    /**
     * Judges a plan as {@code dataplane preflight} does, with the same names, just before its ports are opened.
     *
     * @param held names of checks about what this process holds itself
     * @throws PortRefused for the first check that fails
     */
    static void judge(Plan plan, Facts facts, Set<String> held) throws PortRefused {
        for (Finding finding : Preflight.judge(plan, facts)) {
            if (finding.refuses() && !held.contains(finding.name())) {
                throw new PortRefused(finding.name(), finding.observed(), finding.required(), finding.hint());
            }
        }
    }

    /** Loads what the first opening of any mode needs. Any thread. */
    static void preload() {
        AfXdpPortSet.preload();
    }

    static PortPlan plan(Plan plan, Plan.Poll poll) {
        Plan.Tuning t = plan.tuning();
        return new PortPlan(
                Map.of(Leg.N3, device(plan.n3()), Leg.N6, device(plan.n6())),
                plan.workers(),
                uePools(plan),
                switch (t.zeroCopy()) {
                    case PREFER -> PortPlan.ZeroCopy.PREFER;
                    case REQUIRE -> PortPlan.ZeroCopy.REQUIRE;
                    case NEVER -> PortPlan.ZeroCopy.NEVER;
                },
                new PortPlan.RingSizes(t.rxRing(), t.txRing(), t.fillRing(), t.completionRing()),
                poll == Plan.Poll.BUSY);
    }

    private static PortPlan.Device device(Plan.Interface leg) {
        return new PortPlan.Device(leg.device(), leg.address().bits());
    }

    private static List<PortPlan.Prefix> uePools(Plan plan) {
        return plan.dataNetworks().stream()
                .flatMap(n -> n.uePools().stream())
                .map(Ipv4Prefix::network)
                .map(p -> new PortPlan.Prefix(p.address().bits(), p.length()))
                .toList();
    }
}
