package io.upfdataplane.dataplane.pfcp;

import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationReleaseRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionDeletionRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionEstablishmentRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionModificationRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.UnservedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of the messages that we read → records. Stateless. Lenient in what it does not need, strict in every length; the
 * work is bounded by the datagram.
 */
public final class PfcpDecoder {
    private static final int LAST_PDN_TYPE = 5;

    private PfcpDecoder() {}

    /** Empty for a message type that we neither take nor refuse: it is discarded (TS 29.244 §7.6.1). */
    public static Optional<PfcpMessage> decode(PfcpHeader header, byte[] datagram) throws PfcpFault {
        IeReader in = new IeReader(datagram, header.bodyStart(), header.bodyEnd(), 0);
        return Optional.ofNullable(
                switch (header.type()) {
                    case MessageType.HEARTBEAT_REQUEST -> new HeartbeatRequest(lenientStamp(in));
                    case MessageType.HEARTBEAT_RESPONSE -> heartbeatResponse(in);
                    case MessageType.ASSOCIATION_SETUP_REQUEST -> associationSetupRequest(in);
                    case MessageType.ASSOCIATION_SETUP_RESPONSE -> associationSetupResponse(in);
                    case MessageType.ASSOCIATION_RELEASE_REQUEST -> new AssociationReleaseRequest(nodeId(in));
                    case MessageType.SESSION_ESTABLISHMENT_REQUEST -> establishment(in);
                    case MessageType.SESSION_MODIFICATION_REQUEST -> modification(in);
                    case MessageType.SESSION_DELETION_REQUEST -> new SessionDeletionRequest();
                    case MessageType.PFD_MANAGEMENT_REQUEST,
                            MessageType.ASSOCIATION_UPDATE_REQUEST,
                            MessageType.SESSION_SET_DELETION_REQUEST,
                            MessageType.SESSION_SET_MODIFICATION_REQUEST -> new UnservedRequest(header.type());
                    default -> null;
                });
    }

    /** The CP function's SEID, for the header of a refusal; 0 when it cannot be read. */
    public static long cpSeidOf(PfcpHeader header, byte[] datagram) {
        IeReader in = new IeReader(datagram, header.bodyStart(), header.bodyEnd(), 0);
        try {
            while (in.next()) {
                if (in.type() == IeType.F_SEID) {
                    return FSeid.read(in).seid();
                }
            }
        } catch (PfcpFault unreadable) {
            return 0; // the refusal itself says what is wrong with the message
        }
        return 0;
    }

    private static @Nullable Long lenientStamp(IeReader in) {
        try {
            while (in.next()) {
                if (in.type() == IeType.RECOVERY_TIME_STAMP) {
                    return in.u32(0);
                }
            }
        } catch (PfcpFault unreadable) {
            return null; // a heartbeat is answered whatever is in it
        }
        return null;
    }

    private static HeartbeatResponse heartbeatResponse(IeReader in) throws PfcpFault {
        Long stamp = lenientStamp(in);
        if (stamp == null) {
            throw PfcpFault.missing(IeType.RECOVERY_TIME_STAMP, "Heartbeat Response");
        }
        return new HeartbeatResponse(stamp);
    }

    private static NodeId nodeId(IeReader in) throws PfcpFault {
        NodeId nodeId = null;
        while (in.next()) {
            if (in.type() == IeType.NODE_ID) {
                nodeId = NodeId.read(in);
            }
        }
        if (nodeId == null) {
            throw PfcpFault.missing(IeType.NODE_ID, "message");
        }
        return nodeId;
    }

    private static AssociationSetupRequest associationSetupRequest(IeReader in) throws PfcpFault {
        NodeId nodeId = null;
        Long stamp = null;
        while (in.next()) {
            switch (in.type()) {
                case IeType.NODE_ID -> nodeId = NodeId.read(in);
                case IeType.RECOVERY_TIME_STAMP -> stamp = in.u32(0);
                default -> {
                    // CP Function Features and the like: nothing that we would do otherwise.
                }
            }
        }
        if (nodeId == null) {
            throw PfcpFault.missing(IeType.NODE_ID, "Association Setup Request");
        }
        if (stamp == null) {
            throw PfcpFault.missing(IeType.RECOVERY_TIME_STAMP, "Association Setup Request");
        }
        return new AssociationSetupRequest(nodeId, stamp, 0);
    }

    private static AssociationSetupResponse associationSetupResponse(IeReader in) throws PfcpFault {
        NodeId nodeId = null;
        Integer cause = null;
        int offending = 0;
        Long stamp = null;
        while (in.next()) {
            switch (in.type()) {
                case IeType.NODE_ID -> nodeId = NodeId.read(in);
                case IeType.CAUSE -> cause = in.u8(0);
                case IeType.OFFENDING_IE -> offending = in.u16(0);
                case IeType.RECOVERY_TIME_STAMP -> stamp = in.u32(0);
                default -> {
                    // as in the request
                }
            }
        }
        if (nodeId == null) {
            throw PfcpFault.missing(IeType.NODE_ID, "Association Setup Response");
        }
        if (cause == null) {
            throw PfcpFault.missing(IeType.CAUSE, "Association Setup Response");
        }
        return new AssociationSetupResponse(nodeId, cause, offending, stamp, 0);
    }

    private static SessionEstablishmentRequest establishment(IeReader in) throws PfcpFault {
        NodeId nodeId = null;
        FSeid cpFSeid = null;
        ChangesReader changes = new ChangesReader();
        while (in.next()) {
            switch (in.type()) {
                case IeType.NODE_ID -> nodeId = NodeId.read(in);
                case IeType.F_SEID -> cpFSeid = FSeid.read(in);
                case IeType.PDN_TYPE -> {
                    int type = in.u8(0) & 0x07;
                    if (type == 0 || type > LAST_PDN_TYPE) {
                        throw PfcpFault.incorrect(IeType.PDN_TYPE, "PDN Type " + type + " is unknown");
                    }
                }
                default -> changes.read(in);
            }
        }
        if (nodeId == null) {
            throw PfcpFault.missing(IeType.NODE_ID, "Session Establishment Request");
        }
        if (cpFSeid == null) {
            throw PfcpFault.missing(IeType.F_SEID, "Session Establishment Request");
        }
        RuleChanges read = changes.toChanges();
        if (read.createPdrs().isEmpty()) {
            throw PfcpFault.missing(IeType.CREATE_PDR, "Session Establishment Request");
        }
        if (read.createFars().isEmpty()) {
            throw PfcpFault.missing(IeType.CREATE_FAR, "Session Establishment Request");
        }
        return new SessionEstablishmentRequest(nodeId, cpFSeid, read);
    }

    private static SessionModificationRequest modification(IeReader in) throws PfcpFault {
        FSeid cpFSeid = null;
        ChangesReader changes = new ChangesReader();
        while (in.next()) {
            if (in.type() == IeType.F_SEID) {
                cpFSeid = FSeid.read(in);
            } else {
                changes.read(in);
            }
        }
        return new SessionModificationRequest(cpFSeid, changes.toChanges());
    }

    /** Gathers the rule groups of one message. */
    private static final class ChangesReader {
        private final List<PdrSpec> createPdrs = new ArrayList<>(4);
        private final List<FarSpec> createFars = new ArrayList<>(4);
        private final List<QerSpec> createQers = new ArrayList<>(4);
        private final List<Long> createUrrs = new ArrayList<>(0);
        private final List<Integer> createBars = new ArrayList<>(0);
        private final List<PdrSpec> updatePdrs = new ArrayList<>(0);
        private final List<FarSpec> updateFars = new ArrayList<>(1);
        private final List<QerSpec> updateQers = new ArrayList<>(0);
        private final List<Long> updateUrrs = new ArrayList<>(0);
        private final List<Integer> updateBars = new ArrayList<>(0);
        private final List<Integer> removePdrs = new ArrayList<>(0);
        private final List<Long> removeFars = new ArrayList<>(0);
        private final List<Long> removeQers = new ArrayList<>(0);
        private final List<Long> removeUrrs = new ArrayList<>(0);
        private final List<Integer> removeBars = new ArrayList<>(0);
        private final List<Long> queryUrrs = new ArrayList<>(0);
        private final List<Integer> others = new ArrayList<>(0);
        private int requestFlags;

        void read(IeReader in) throws PfcpFault {
            switch (in.type()) {
                case IeType.CREATE_PDR -> createPdrs.add(RuleDecoder.createPdr(in.group()));
                case IeType.CREATE_FAR -> createFars.add(RuleDecoder.createFar(in.group()));
                case IeType.CREATE_QER -> createQers.add(RuleDecoder.createQer(in.group()));
                case IeType.CREATE_URR -> createUrrs.add(RuleDecoder.createUrr(in.group()));
                case IeType.CREATE_BAR ->
                    createBars.add((int) RuleDecoder.id(in.group(), IeType.BAR_ID, 1, "Create BAR"));
                case IeType.UPDATE_PDR -> updatePdrs.add(RuleDecoder.pdr(in.group(), "Update PDR"));
                case IeType.UPDATE_FAR -> updateFars.add(RuleDecoder.updateFar(in.group()));
                case IeType.UPDATE_QER -> updateQers.add(RuleDecoder.qer(in.group(), "Update QER"));
                case IeType.UPDATE_URR -> updateUrrs.add(RuleDecoder.id(in.group(), IeType.URR_ID, 4, "Update URR"));
                case IeType.UPDATE_BAR ->
                    updateBars.add((int) RuleDecoder.id(in.group(), IeType.BAR_ID, 1, "Update BAR"));
                case IeType.REMOVE_PDR -> removePdrs.add((int) removed(in, IeType.PDR_ID, 2, IeType.CREATE_PDR));
                case IeType.REMOVE_FAR -> removeFars.add(removed(in, IeType.FAR_ID, 4, IeType.CREATE_FAR));
                case IeType.REMOVE_QER -> removeQers.add(removed(in, IeType.QER_ID, 4, IeType.CREATE_QER));
                case IeType.REMOVE_URR -> removeUrrs.add(removed(in, IeType.URR_ID, 4, IeType.CREATE_URR));
                case IeType.REMOVE_BAR -> removeBars.add((int) removed(in, IeType.BAR_ID, 1, IeType.CREATE_BAR));
                case IeType.QUERY_URR -> queryUrrs.add(RuleDecoder.id(in.group(), IeType.URR_ID, 4, "Query URR"));
                case IeType.PFCPSM_REQ_FLAGS -> requestFlags = in.u8(0);
                default -> others.add(in.type());
            }
        }

        private static long removed(IeReader in, int idType, int octets, int wholeRule) throws PfcpFault {
            return RuleDecoder.removedId(in.group(), idType, octets, wholeRule, "Remove group " + in.type());
        }

        RuleChanges toChanges() {
            return new RuleChanges(
                    createPdrs,
                    createFars,
                    createQers,
                    createUrrs,
                    createBars,
                    updatePdrs,
                    updateFars,
                    updateQers,
                    updateUrrs,
                    updateBars,
                    removePdrs,
                    removeFars,
                    removeQers,
                    removeUrrs,
                    removeBars,
                    queryUrrs,
                    requestFlags,
                    others);
        }
    }
}
