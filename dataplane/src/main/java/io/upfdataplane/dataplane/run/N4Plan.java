package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.Ipv4Prefix;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.session.N4Settings;
import java.net.InetSocketAddress;
import java.util.List;

/** What the PFCP agent is told of a plan. */
final class N4Plan {
    /** Where a peer listens (TS 29.244 §6.2.2). */
    private static final int PFCP_PORT = 8805;

    private N4Plan() {}

    static N4Settings settings(Plan plan) {
        Plan.Pfcp pfcp = plan.pfcp();
        int bound = pfcp.bindAddress().bits();
        List<Integer> n3 =
                plan.n3().addresses().stream().map(a -> a.address().bits()).toList();
        return new N4Settings(
                pfcp.nodeId(),
                // Bound to all addresses, an F-SEID still needs one: that of N3 is there in any case.
                bound == 0 ? n3.getFirst() : bound,
                n3,
                switch (pfcp.role()) {
                    case PASSIVE -> N4Settings.Role.PASSIVE;
                    case ACTIVE -> N4Settings.Role.ACTIVE;
                    case BOTH -> N4Settings.Role.BOTH;
                },
                pfcp.peers().stream()
                        .map(p -> new N4Settings.ConfiguredPeer(
                                p.name(), new InetSocketAddress(p.address().toString(), PFCP_PORT)))
                        .toList(),
                new N4Settings.Retries(pfcp.heartbeatTimeout(), pfcp.heartbeatRetries()),
                pfcp.heartbeatInterval(),
                new N4Settings.Retries(pfcp.retransmissionTimeout(), pfcp.retransmissionRetries()),
                plan.maxSessions(),
                plan.dataNetworks().stream()
                        .flatMap(n -> n.uePools().stream())
                        .map(Ipv4Prefix::network)
                        .map(p -> new N4Settings.Prefix(p.address().bits(), p.length()))
                        .toList(),
                N4Settings.Limits.DEFAULT);
    }
}
