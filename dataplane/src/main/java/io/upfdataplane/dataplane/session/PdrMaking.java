package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.LocalFTeid;
import io.upfdataplane.dataplane.pfcp.Outcome.Kind;
import io.upfdataplane.dataplane.pfcp.Pdi;
import io.upfdataplane.dataplane.pfcp.PdrSpec;
import io.upfdataplane.dataplane.pfcp.SdfFilterIe;
import io.upfdataplane.dataplane.pfcp.UeIpAddress;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SourceInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A PDR as the message has it → {@link Pdr}, or a rejection that names it. Stateless. A CHOOSE F-TEID becomes {@link #TO_BE_CHOSEN}, which the
 * caller replaces once the session's owner is known.
 */
final class PdrMaking {
    /** Stands for a TEID that is chosen later; TEID 0 belongs to GTP-U's own messages and is never a tunnel. */
    static final FTeid TO_BE_CHOSEN = new FTeid(0, 0);

    static final int LONGEST_NAME = 100;
    private static final int MOST_QERS = 16;
    private static final int MOST_FILTERS = 16;
    private static final int REMOVE_GTPU_UDP_IPV4 = 0;
    private static final int REMOVE_GTPU_UDP_IP = 6;
    private final N4Settings settings;

    PdrMaking(N4Settings settings) {
        this.settings = settings;
    }

    Pdr create(PdrSpec spec) throws Rejection {
        refuseNotBuilt(spec);
        Pdi pdi = spec.pdi();
        if (pdi == null || spec.precedence() == null || spec.farId() == null) {
            throw new IllegalArgumentException("the decoder let an incomplete Create PDR through");
        }
        Detection seen = detection(spec.id(), pdi, null);
        return make(
                spec.id(),
                spec.precedence(),
                seen,
                spec.outerHeaderRemoval() != null,
                spec.farId(),
                spec.qerIds() == null ? List.of() : spec.qerIds());
    }

    Pdr update(Pdr old, PdrSpec spec) throws Rejection {
        refuseNotBuilt(spec);
        Detection seen = spec.pdi() != null
                ? detection(spec.id(), spec.pdi(), old)
                : new Detection(
                        old.sourceInterface(),
                        old.localFTeid(),
                        old.ueIpv4(),
                        old.networkInstance(),
                        old.sdfFilters(),
                        old.qfi());
        return make(
                old.id(),
                spec.precedence() != null ? spec.precedence() : old.precedence(),
                seen,
                spec.outerHeaderRemoval() != null || old.removeOuterHeader(),
                spec.farId() != null ? spec.farId() : old.farId(),
                spec.qerIds() != null ? spec.qerIds() : old.qerIds());
    }

    private record Detection(
            SourceInterface source,
            @Nullable FTeid fTeid,
            @Nullable Integer ue,
            String networkInstance,
            List<SdfFilter> filters,
            int qfi) {}

    private static Pdr make(int id, long precedence, Detection seen, boolean remove, long farId, List<Long> qerIds)
            throws Rejection {
        if (seen.source == SourceInterface.ACCESS && seen.fTeid == null) {
            throw Rejection.ofRule(
                    Cause.CONDITIONAL_IE_MISSING,
                    Kind.PDR,
                    id,
                    IeType.F_TEID,
                    "from Access and without an F-TEID: no packet can arrive for it");
        }
        if (seen.source != SourceInterface.ACCESS && seen.fTeid == null && seen.ue == null) {
            throw Rejection.ofRule(
                    Cause.CONDITIONAL_IE_MISSING,
                    Kind.PDR,
                    id,
                    IeType.UE_IP_ADDRESS,
                    "from Core, with neither a UE IP Address nor an F-TEID: no packet can be told to be its own");
        }
        if (qerIds.size() > MOST_QERS) {
            throw Rejection.ofRule(
                    Cause.NO_RESOURCES_AVAILABLE,
                    Kind.PDR,
                    id,
                    IeType.QER_ID,
                    qerIds.size() + " QERs, at most " + MOST_QERS + " for one PDR");
        }
        return new Pdr(
                id,
                precedence,
                seen.source,
                seen.fTeid,
                seen.ue,
                seen.networkInstance,
                seen.filters,
                seen.qfi,
                remove,
                farId,
                qerIds);
    }

    private static void refuseNotBuilt(PdrSpec spec) throws Rejection {
        refuse(spec.id(), spec.others(), NotBuilt.IN_PDR);
        Integer removal = spec.outerHeaderRemoval();
        if (removal != null && removal != REMOVE_GTPU_UDP_IPV4 && removal != REMOVE_GTPU_UDP_IP) {
            throw notBuilt(spec.id(), IeType.OUTER_HEADER_REMOVAL, "outer header removal " + removal);
        }
        if (spec.pdi() != null) {
            refuse(spec.id(), spec.pdi().others(), NotBuilt.IN_PDI);
        }
    }

    private static void refuse(int id, List<Integer> ies, Map<Integer, NotBuilt.Feature> group) throws Rejection {
        Integer ie = NotBuilt.firstOf(ies, group);
        if (ie != null) {
            NotBuilt.Feature feature = NotBuilt.in(group, ie);
            throw Rejection.ofRule(feature.cause(), Kind.PDR, id, ie, feature.name() + ": not built");
        }
    }

    private Detection detection(int id, Pdi pdi, @Nullable Pdr old) throws Rejection {
        return new Detection(
                source(id, pdi.sourceInterface()),
                pdi.localFTeid() == null ? null : fTeid(id, pdi.localFTeid(), old),
                pdi.ueIpAddress() == null ? null : ueAddress(id, pdi.ueIpAddress()),
                name(id, pdi.networkInstance()),
                filters(id, pdi.sdfFilters()),
                qfi(id, pdi.qfis()));
    }

    private static SourceInterface source(int id, int value) throws Rejection {
        return switch (value) {
            case 0 -> SourceInterface.ACCESS;
            case 1 -> SourceInterface.CORE;
            case 2 -> SourceInterface.SGI_LAN_N6_LAN;
            case 3 -> throw notBuilt(id, IeType.SOURCE_INTERFACE, "packets from the CP function");
            case 4 -> throw notBuilt(id, IeType.SOURCE_INTERFACE, "5G VN internal");
            default ->
                throw Rejection.ofRule(
                        Cause.MANDATORY_IE_INCORRECT,
                        Kind.PDR,
                        id,
                        IeType.SOURCE_INTERFACE,
                        "source interface " + value);
        };
    }

    private FTeid fTeid(int id, LocalFTeid asked, @Nullable Pdr old) throws Rejection {
        if (asked.choose()) {
            if (!asked.v4()) {
                throw Rejection.ofRule(
                        Cause.INVALID_F_TEID_ALLOCATION_OPTION,
                        Kind.PDR,
                        id,
                        IeType.F_TEID,
                        "an IPv6 F-TEID is to be chosen, N3 has IPv4 only");
            }
            // SD-Core asks again in an update: the tunnel is in use at the gNB, so it stays.
            return old != null && old.localFTeid() != null ? old.localFTeid() : TO_BE_CHOSEN;
        }
        Integer ipv4 = asked.ipv4();
        if (ipv4 == null || !settings.n3Addresses().contains(ipv4)) {
            throw Rejection.ofRule(
                    Cause.MANDATORY_IE_INCORRECT,
                    Kind.PDR,
                    id,
                    IeType.F_TEID,
                    "F-TEID address " + (ipv4 == null ? "IPv6" : Ipv4.text(ipv4)) + " is not one of ours on N3: "
                            + Ipv4.text(settings.n3Addresses()));
        }
        if (asked.teid() == 0) {
            throw Rejection.ofRule(Cause.MANDATORY_IE_INCORRECT, Kind.PDR, id, IeType.F_TEID, "TEID 0 is not a tunnel");
        }
        return new FTeid(asked.teid(), ipv4);
    }

    private Integer ueAddress(int id, UeIpAddress asked) throws Rejection {
        if (asked.chooseIpv4() || asked.chooseIpv6()) {
            throw notBuilt(id, IeType.UE_IP_ADDRESS, "UE addresses chosen here (CHV4, CHV6)");
        }
        Integer ipv4 = asked.ipv4();
        if (asked.ipv6() || ipv4 == null) {
            throw notBuilt(id, IeType.UE_IP_ADDRESS, "IPv6 UE addresses");
        }
        if (!settings.isUeAddressServed(ipv4)) {
            throw Rejection.ofRule(
                    Cause.MANDATORY_IE_INCORRECT,
                    Kind.PDR,
                    id,
                    IeType.UE_IP_ADDRESS,
                    "UE address " + Ipv4.text(ipv4) + " is in none of the UE pools; no packet for it would come here");
        }
        return ipv4;
    }

    private static String name(int id, String name) throws Rejection {
        if (name.length() > LONGEST_NAME) {
            throw Rejection.ofRule(
                    Cause.MANDATORY_IE_INCORRECT,
                    Kind.PDR,
                    id,
                    IeType.NETWORK_INSTANCE,
                    "Network Instance of " + name.length() + " characters, at most " + LONGEST_NAME + " taken");
        }
        return name;
    }

    private static List<SdfFilter> filters(int id, List<SdfFilterIe> asked) throws Rejection {
        if (asked.size() > MOST_FILTERS) {
            throw Rejection.ofRule(
                    Cause.NO_RESOURCES_AVAILABLE,
                    Kind.PDR,
                    id,
                    IeType.SDF_FILTER,
                    asked.size() + " SDF filters, at most " + MOST_FILTERS + " for one PDR");
        }
        List<SdfFilter> filters = new ArrayList<>(asked.size());
        for (SdfFilterIe filter : asked) {
            filters.add(filter(id, filter));
        }
        return filters;
    }

    private static SdfFilter filter(int id, SdfFilterIe asked) throws Rejection {
        if (asked.otherMatches()) {
            throw notBuilt(id, IeType.SDF_FILTER, "SDF filters by ToS, SPI or flow label");
        }
        if (asked.flowDescription() == null) {
            throw notBuilt(id, IeType.SDF_FILTER, "SDF filters by their id alone");
        }
        try {
            // The text wins over the id: pfcpsim gives one id to different texts.
            return FlowDescription.parse(asked.flowDescription());
        } catch (FlowDescription.Unreadable e) {
            Cause cause = e.isNotBuilt() ? Cause.RULE_CREATION_OR_MODIFICATION_FAILURE : Cause.MANDATORY_IE_INCORRECT;
            throw Rejection.ofRule(
                    cause,
                    Kind.PDR,
                    id,
                    IeType.SDF_FILTER,
                    e.getMessage() + ", in «" + printable(asked.flowDescription()) + "»");
        }
    }

    /** What a peer sent, fit for a log line. */
    private static String printable(String text) {
        String shown = text.length() > 80 ? text.substring(0, 80) + "…" : text;
        return shown.replaceAll("[^ -~…]", "?");
    }

    private static int qfi(int id, List<Integer> qfis) throws Rejection {
        if (qfis.size() > 1) {
            throw notBuilt(id, IeType.QFI, "several QFIs in one PDR");
        }
        return qfis.isEmpty() ? -1 : qfis.getFirst();
    }

    private static Rejection notBuilt(int id, int ie, String feature) {
        return Rejection.ofRule(Kind.PDR, id, ie, feature + ": not built");
    }
}
