package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.FarSpec;
import io.upfdataplane.dataplane.pfcp.FarSpec.ForwardingParameters;
import io.upfdataplane.dataplane.pfcp.FarSpec.OuterHeader;
import io.upfdataplane.dataplane.pfcp.FarSpec.RequestFlags;
import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.Outcome.Kind;
import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A FAR as the message has it → {@link Far}, or a rejection that names it. Stateless. */
final class FarMaking {
    private FarMaking() {}

    /**
     * @param old what the rule was before, null for a Create FAR
     */
    static Far make(@Nullable Far old, FarSpec spec) throws Rejection {
        refuse(spec.id(), spec.others(), NotBuilt.IN_FAR);
        ForwardingParameters asked = spec.parameters();
        Far.Action action = spec.applyAction() != null ? action(spec.id(), spec.applyAction()) : actionOf(old);
        DestinationInterface destination = old == null ? null : old.destination();
        String networkInstance = old == null ? "" : old.networkInstance();
        OuterHeaderCreation outer = old == null ? null : old.outerHeaderCreation();
        if (asked != null) {
            refuse(spec.id(), asked.others(), NotBuilt.IN_FORWARDING_PARAMETERS);
            if ((asked.requestFlags() & RequestFlags.SNDEM) != 0) {
                throw Rejection.ofRule(Kind.FAR, spec.id(), IeType.PFCPSM_REQ_FLAGS, "end markers (SNDEM): not built");
            }
            if (asked.destinationInterface() != null) {
                destination = destination(spec.id(), asked.destinationInterface());
            }
            if (asked.networkInstance() != null) {
                networkInstance = name(spec.id(), asked.networkInstance());
            }
            if (asked.outerHeaderCreation() != null) {
                outer = outerHeader(spec.id(), asked.outerHeaderCreation());
            }
        }
        if (action == Far.Action.FORWARD && destination == null) {
            throw Rejection.ofRule(
                    Cause.CONDITIONAL_IE_MISSING,
                    Kind.FAR,
                    spec.id(),
                    IeType.FORWARDING_PARAMETERS,
                    "FORW without Forwarding Parameters");
        }
        if (action == Far.Action.FORWARD && outer != null && outer.peerIpv4() == 0) {
            throw Rejection.ofRule(
                    Cause.MANDATORY_IE_INCORRECT,
                    Kind.FAR,
                    spec.id(),
                    IeType.OUTER_HEADER_CREATION,
                    "FORW into a tunnel to 0.0.0.0");
        }
        return new Far(spec.id(), action, destination, networkInstance, outer);
    }

    private static Far.Action action(long id, int flags) throws Rejection {
        if ((flags & (FarSpec.BUFF | FarSpec.NOCP)) != 0) {
            throw Rejection.ofRule(Kind.FAR, id, IeType.APPLY_ACTION, "downlink buffering (BUFF, NOCP): not built");
        }
        if ((flags & ~(FarSpec.DROP | FarSpec.FORW)) != 0) {
            throw Rejection.ofRule(
                    Kind.FAR, id, IeType.APPLY_ACTION, "apply action 0x" + Integer.toHexString(flags) + ": not built");
        }
        return switch (flags) {
            case FarSpec.DROP -> Far.Action.DROP;
            case FarSpec.FORW -> Far.Action.FORWARD;
            default ->
                throw Rejection.ofRule(
                        Cause.MANDATORY_IE_INCORRECT,
                        Kind.FAR,
                        id,
                        IeType.APPLY_ACTION,
                        "apply action " + flags + ", one of DROP and FORW needed");
        };
    }

    private static DestinationInterface destination(long id, int value) throws Rejection {
        return switch (value) {
            case 0 -> DestinationInterface.ACCESS;
            case 1 -> DestinationInterface.CORE;
            case 2 -> DestinationInterface.SGI_LAN_N6_LAN;
            case 3 ->
                throw Rejection.ofRule(
                        Kind.FAR, id, IeType.DESTINATION_INTERFACE, "packets to the CP function: not built");
            default ->
                throw Rejection.ofRule(
                        Kind.FAR, id, IeType.DESTINATION_INTERFACE, "destination interface " + value + ": not built");
        };
    }

    private static OuterHeaderCreation outerHeader(long id, OuterHeader asked) throws Rejection {
        if (asked.description() == 0) {
            throw Rejection.ofRule(
                    Cause.MANDATORY_IE_INCORRECT,
                    Kind.FAR,
                    id,
                    IeType.OUTER_HEADER_CREATION,
                    "outer header creation that names no header");
        }
        if (asked.description() != OuterHeader.GTPU_UDP_IPV4) {
            throw Rejection.ofRule(
                    Kind.FAR,
                    id,
                    IeType.OUTER_HEADER_CREATION,
                    "outer header creation 0x" + Integer.toHexString(asked.description()) + ": not built");
        }
        return new OuterHeaderCreation(asked.teid(), asked.ipv4());
    }

    private static String name(long id, String name) throws Rejection {
        if (name.length() > PdrMaking.LONGEST_NAME) {
            throw Rejection.ofRule(
                    Cause.MANDATORY_IE_INCORRECT,
                    Kind.FAR,
                    id,
                    IeType.NETWORK_INSTANCE,
                    "Network Instance of " + name.length() + " characters, at most " + PdrMaking.LONGEST_NAME
                            + " taken");
        }
        return name;
    }

    private static void refuse(long id, List<Integer> ies, Map<Integer, NotBuilt.Feature> group) throws Rejection {
        Integer ie = NotBuilt.firstOf(ies, group);
        if (ie != null) {
            NotBuilt.Feature feature = NotBuilt.in(group, ie);
            throw Rejection.ofRule(feature.cause(), Kind.FAR, id, ie, feature.name() + ": not built");
        }
    }

    private static Far.Action actionOf(@Nullable Far old) {
        if (old == null) {
            throw new IllegalArgumentException("the decoder let a Create FAR without Apply Action through");
        }
        return old.action();
    }
}
