package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.IeType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The IEs whose silent loss would change what happens to a packet, by the group they stand in. A request that has one is
 * refused whole (docs/adr/0042); every other IE that no record holds is ignored.
 */
final class NotBuilt {
    /** What is asked for, in words, and the cause that says so. */
    record Feature(String name, Cause cause) {
        private static Feature rule(String name) {
            return new Feature(name, Cause.RULE_CREATION_OR_MODIFICATION_FAILURE);
        }

        private static Feature service(String name) {
            return new Feature(name, Cause.SERVICE_NOT_SUPPORTED);
        }
    }

    static final Map<Integer, Feature> IN_MESSAGE = Map.of(
            IeType.CREATE_TRAFFIC_ENDPOINT, Feature.service("traffic endpoints"),
            IeType.UPDATE_TRAFFIC_ENDPOINT, Feature.service("traffic endpoints"),
            IeType.REMOVE_TRAFFIC_ENDPOINT, Feature.service("traffic endpoints"),
            IeType.CREATE_MAR, Feature.service("multi-access rules (MAR)"),
            IeType.CREATE_SRR, Feature.service("session reporting rules (SRR)"),
            IeType.PROVIDE_ATSSS_CONTROL_INFORMATION, Feature.service("ATSSS"),
            IeType.ETHERNET_PDU_SESSION_INFORMATION, Feature.service("Ethernet PDU sessions"),
            IeType.USER_PLANE_INACTIVITY_TIMER, Feature.service("user plane inactivity reports"));

    static final Map<Integer, Feature> IN_PDR = Map.of(
            IeType.ACTIVATE_PREDEFINED_RULES, new Feature("predefined rules", Cause.UNKNOWN_PREDEFINED_RULE),
            IeType.DEACTIVATE_PREDEFINED_RULES, new Feature("predefined rules", Cause.UNKNOWN_PREDEFINED_RULE),
            IeType.ACTIVATION_TIME, Feature.rule("activation time"),
            IeType.DEACTIVATION_TIME, Feature.rule("deactivation time"),
            IeType.MAR_ID, Feature.rule("multi-access rules (MAR)"),
            IeType.UE_IP_ADDRESS_POOL_IDENTITY, Feature.rule("UE address pools chosen here"),
            IeType.IP_MULTICAST_ADDRESSING_INFO, Feature.rule("IP multicast"));

    static final Map<Integer, Feature> IN_PDI = Map.of(
            IeType.APPLICATION_ID, new Feature("application detection", Cause.UNKNOWN_APPLICATION_ID),
            IeType.TRAFFIC_ENDPOINT_ID, Feature.rule("traffic endpoints"),
            IeType.ETHERNET_PDU_SESSION_INFORMATION, Feature.rule("Ethernet PDU sessions"),
            IeType.ETHERNET_PACKET_FILTER, Feature.rule("Ethernet packet filters"),
            IeType.FRAMED_ROUTE, Feature.rule("framed routes"),
            IeType.FRAMED_ROUTING, Feature.rule("framed routes"),
            IeType.FRAMED_IPV6_ROUTE, Feature.rule("framed routes"),
            IeType.UE_IP_ADDRESS, Feature.rule("several UE addresses in a PDI"),
            IeType.IP_MULTICAST_ADDRESSING_INFO, Feature.rule("IP multicast"),
            IeType.REDUNDANT_TRANSMISSION_DETECTION_PARAMETERS, Feature.rule("redundant transmission"));

    static final Map<Integer, Feature> IN_FAR =
            Map.of(IeType.REDUNDANT_TRANSMISSION_FORWARDING_PARAMETERS, Feature.rule("redundant transmission"));

    static final Map<Integer, Feature> IN_FORWARDING_PARAMETERS = Map.of(
            IeType.FORWARDING_POLICY, new Feature("forwarding policies", Cause.INVALID_FORWARDING_POLICY),
            IeType.REDIRECT_INFORMATION, Feature.rule("redirection"),
            IeType.TRANSPORT_LEVEL_MARKING, Feature.rule("transport level marking (DSCP)"),
            IeType.HEADER_ENRICHMENT, Feature.rule("header enrichment"),
            IeType.TRAFFIC_ENDPOINT_ID, Feature.rule("traffic endpoints"),
            IeType.PROXYING, Feature.rule("ARP and ND proxying"));

    static final Map<Integer, Feature> IN_QER = Map.of(
            IeType.PACKET_RATE, Feature.rule("packet rate limits"),
            IeType.DL_FLOW_LEVEL_MARKING, Feature.rule("downlink flow level marking"),
            IeType.RQI, Feature.rule("reflective QoS"),
            IeType.PAGING_POLICY_INDICATOR, Feature.rule("paging policy indicators"));

    private NotBuilt() {}

    /** The first of these IEs that cannot be ignored, null when there is none. */
    static @Nullable Integer firstOf(List<Integer> ies, Map<Integer, Feature> group) {
        for (Integer ie : ies) {
            if (group.containsKey(ie)) {
                return ie;
            }
        }
        return null;
    }

    /** What an IE found by {@link #firstOf} asks for. */
    static Feature in(Map<Integer, Feature> group, int ie) {
        return Objects.requireNonNull(group.get(ie));
    }
}
