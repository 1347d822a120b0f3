package io.upfdataplane.dataplane.pfcp;

import io.upfdataplane.dataplane.pfcp.FarSpec.ForwardingParameters;
import io.upfdataplane.dataplane.pfcp.FarSpec.OuterHeader;
import io.upfdataplane.dataplane.pfcp.QerSpec.BitRates;
import io.upfdataplane.dataplane.pfcp.QerSpec.GateStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rule groups of session messages → records. Stateless. What a group holds beside is kept by its type only. */
final class RuleDecoder {
    private static final int VALUE_OF_INTERFACE = 0x0f;
    private static final int LAST_INTERFACE = 5;

    private RuleDecoder() {}

    static PdrSpec createPdr(IeReader in) throws PfcpFault {
        PdrSpec pdr = pdr(in, "Create PDR");
        if (pdr.precedence() == null) {
            throw PfcpFault.missing(IeType.PRECEDENCE, "Create PDR");
        }
        if (pdr.pdi() == null) {
            throw PfcpFault.missing(IeType.PDI, "Create PDR");
        }
        if (pdr.farId() == null) {
            throw PfcpFault.missing(IeType.FAR_ID, "Create PDR");
        }
        return pdr;
    }

    static PdrSpec pdr(IeReader in, String group) throws PfcpFault {
        int id = -1;
        Long precedence = null;
        Pdi pdi = null;
        Integer removal = null;
        Long farId = null;
        List<Long> urrIds = null;
        List<Long> qerIds = null;
        List<Integer> others = new ArrayList<>(0);
        while (in.next()) {
            switch (in.type()) {
                case IeType.PDR_ID -> id = in.u16(0);
                case IeType.PRECEDENCE -> precedence = in.u32(0);
                case IeType.PDI -> pdi = pdi(in.group());
                case IeType.OUTER_HEADER_REMOVAL -> removal = in.u8(0);
                case IeType.FAR_ID -> farId = in.u32(0);
                case IeType.URR_ID -> urrIds = append(urrIds, in.u32(0));
                case IeType.QER_ID -> qerIds = append(qerIds, in.u32(0));
                default -> others.add(in.type());
            }
        }
        if (id < 0) {
            throw PfcpFault.missing(IeType.PDR_ID, group);
        }
        return new PdrSpec(id, precedence, pdi, removal, farId, urrIds, qerIds, others);
    }

    private static Pdi pdi(IeReader in) throws PfcpFault {
        int sourceInterface = -1;
        LocalFTeid localFTeid = null;
        String networkInstance = "";
        UeIpAddress ueIpAddress = null;
        List<SdfFilterIe> sdfFilters = new ArrayList<>(1);
        List<Integer> qfis = new ArrayList<>(1);
        List<Integer> others = new ArrayList<>(0);
        while (in.next()) {
            switch (in.type()) {
                case IeType.SOURCE_INTERFACE -> sourceInterface = interfaceValue(in);
                case IeType.F_TEID -> localFTeid = LocalFTeid.read(in);
                case IeType.NETWORK_INSTANCE -> networkInstance = networkInstance(in);
                case IeType.UE_IP_ADDRESS -> {
                    if (ueIpAddress != null) {
                        others.add(IeType.UE_IP_ADDRESS);
                    }
                    ueIpAddress = UeIpAddress.read(in);
                }
                case IeType.SDF_FILTER -> sdfFilters.add(SdfFilterIe.read(in));
                case IeType.QFI -> qfis.add(in.u8(0) & 0x3f);
                default -> others.add(in.type());
            }
        }
        if (sourceInterface < 0) {
            throw PfcpFault.missing(IeType.SOURCE_INTERFACE, "PDI");
        }
        return new Pdi(sourceInterface, localFTeid, networkInstance, ueIpAddress, sdfFilters, qfis, others);
    }

    static FarSpec createFar(IeReader in) throws PfcpFault {
        FarSpec far = far(in, "Create FAR", true);
        if (far.applyAction() == null) {
            throw PfcpFault.missing(IeType.APPLY_ACTION, "Create FAR");
        }
        return far;
    }

    static FarSpec updateFar(IeReader in) throws PfcpFault {
        return far(in, "Update FAR", false);
    }

    private static FarSpec far(IeReader in, String group, boolean isCreated) throws PfcpFault {
        long id = -1;
        Integer applyAction = null;
        ForwardingParameters parameters = null;
        Integer barId = null;
        List<Integer> others = new ArrayList<>(0);
        while (in.next()) {
            switch (in.type()) {
                case IeType.FAR_ID -> id = in.u32(0);
                case IeType.APPLY_ACTION -> applyAction = in.length() > 1 ? in.u8(0) | in.u8(1) << 8 : in.u8(0);
                // Older SD-Core puts the group of a Create FAR into an Update FAR, so both are read in both.
                case IeType.FORWARDING_PARAMETERS, IeType.UPDATE_FORWARDING_PARAMETERS ->
                    parameters = forwardingParameters(in.group(), isCreated);
                case IeType.BAR_ID -> barId = in.u8(0);
                default -> others.add(in.type());
            }
        }
        if (id < 0) {
            throw PfcpFault.missing(IeType.FAR_ID, group);
        }
        return new FarSpec(id, applyAction, parameters, barId, others);
    }

    private static ForwardingParameters forwardingParameters(IeReader in, boolean isCreated) throws PfcpFault {
        Integer destination = null;
        String networkInstance = null;
        OuterHeader outerHeader = null;
        int requestFlags = 0;
        List<Integer> others = new ArrayList<>(0);
        while (in.next()) {
            switch (in.type()) {
                case IeType.DESTINATION_INTERFACE -> destination = interfaceValue(in);
                case IeType.NETWORK_INSTANCE -> networkInstance = networkInstance(in);
                case IeType.OUTER_HEADER_CREATION -> outerHeader = OuterHeader.read(in);
                case IeType.PFCPSM_REQ_FLAGS -> requestFlags = in.u8(0);
                default -> others.add(in.type());
            }
        }
        if (isCreated && destination == null) {
            throw PfcpFault.missing(IeType.DESTINATION_INTERFACE, "Forwarding Parameters");
        }
        return new ForwardingParameters(destination, networkInstance, outerHeader, requestFlags, others);
    }

    static QerSpec createQer(IeReader in) throws PfcpFault {
        QerSpec qer = qer(in, "Create QER");
        if (qer.gates() == null) {
            throw PfcpFault.missing(IeType.GATE_STATUS, "Create QER");
        }
        return qer;
    }

    static QerSpec qer(IeReader in, String group) throws PfcpFault {
        long id = -1;
        GateStatus gates = null;
        BitRates mbr = null;
        Integer qfi = null;
        List<Integer> others = new ArrayList<>(0);
        while (in.next()) {
            switch (in.type()) {
                case IeType.QER_ID -> id = in.u32(0);
                // Only 0 is open: 2 and 3 are reserved and read as closed (§8.2.7).
                case IeType.GATE_STATUS -> gates = new GateStatus((in.u8(0) >> 2 & 3) == 0, (in.u8(0) & 3) == 0);
                case IeType.MBR -> mbr = new BitRates(in.u40(0), in.u40(5));
                case IeType.QFI -> qfi = in.u8(0) & 0x3f;
                default -> others.add(in.type());
            }
        }
        if (id < 0) {
            throw PfcpFault.missing(IeType.QER_ID, group);
        }
        return new QerSpec(id, gates, mbr, qfi, others);
    }

    static long createUrr(IeReader in) throws PfcpFault {
        boolean hasMethod = false;
        boolean hasTriggers = false;
        long id = -1;
        while (in.next()) {
            switch (in.type()) {
                case IeType.URR_ID -> id = in.u32(0);
                case IeType.MEASUREMENT_METHOD -> {
                    in.need(0, 1);
                    hasMethod = true;
                }
                case IeType.REPORTING_TRIGGERS -> {
                    in.need(0, 1);
                    hasTriggers = true;
                }
                case IeType.VOLUME_THRESHOLD, IeType.VOLUME_QUOTA -> in.need(1, 8 * Integer.bitCount(in.u8(0) & 0x07));
                default -> {
                    // What is measured and when is not kept: see NotBuilt in the session room.
                }
            }
        }
        if (id < 0) {
            throw PfcpFault.missing(IeType.URR_ID, "Create URR");
        }
        if (!hasMethod) {
            throw PfcpFault.missing(IeType.MEASUREMENT_METHOD, "Create URR");
        }
        if (!hasTriggers) {
            throw PfcpFault.missing(IeType.REPORTING_TRIGGERS, "Create URR");
        }
        return id;
    }

    /** The rule's id, from a group in which nothing else matters. */
    static long id(IeReader in, int idType, int octets, String group) throws PfcpFault {
        Long id = findId(in, idType, octets, -1);
        if (id == null) {
            throw PfcpFault.missing(idType, group);
        }
        return id;
    }

    /** The id in a Remove group; pfcpsim puts the whole created rule inside it, so the id is one level deeper. */
    static long removedId(IeReader in, int idType, int octets, int wholeRule, String group) throws PfcpFault {
        Long id = findId(in, idType, octets, wholeRule);
        if (id == null) {
            throw PfcpFault.missing(idType, group);
        }
        return id;
    }

    private static @Nullable Long findId(IeReader in, int idType, int octets, int inside) throws PfcpFault {
        Long id = null;
        while (in.next()) {
            if (in.type() == idType) {
                id = switch (octets) {
                    case 1 -> (long) in.u8(0);
                    case 2 -> (long) in.u16(0);
                    default -> in.u32(0);
                };
            } else if (in.type() == inside && id == null) {
                id = findId(in.group(), idType, octets, -1);
            }
        }
        return id;
    }

    private static int interfaceValue(IeReader in) throws PfcpFault {
        int octet = in.u8(0);
        int value = octet & VALUE_OF_INTERFACE;
        if (value > LAST_INTERFACE || octet != value) {
            throw PfcpFault.incorrect(in.type(), "interface value 0x" + Integer.toHexString(octet) + " is unknown");
        }
        return value;
    }

    private static String networkInstance(IeReader in) throws PfcpFault {
        in.need(0, 1);
        String name = DomainName.read(in.bytes(0, in.length()));
        if (name == null) {
            throw PfcpFault.incorrect(
                    IeType.NETWORK_INSTANCE, "Network Instance is neither labels that fill it nor text");
        }
        return name;
    }

    private static List<Long> append(@Nullable List<Long> list, long value) {
        List<Long> longer = list == null ? new ArrayList<>(2) : list;
        longer.add(value);
        return longer;
    }
}
