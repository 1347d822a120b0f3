package io.upfdataplane.dataplane.pfcp;

import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationReleaseRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.AssociationSetupResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.CreatedPdr;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.HeartbeatResponse;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.NodeAnswer;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionAnswer;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.VersionNotSupported;
import org.jspecify.annotations.Nullable;

/** Records of the messages that we send → bytes. Stateless. */
public final class PfcpEncoder {
    private static final int PLAIN = PfcpHeader.VERSION << 5;
    private static final int WITH_SEID = PLAIN | 1;
    private static final int LENGTH = 2;

    private PfcpEncoder() {}

    /**
     * @param seid the receiver's session endpoint; used by session messages only
     */
    public static byte[] encode(PfcpMessage message, int sequence, long seid) {
        IeWriter out = new IeWriter();
        switch (message) {
            case HeartbeatRequest m -> {
                start(out, MessageType.HEARTBEAT_REQUEST, sequence);
                recoveryTimeStamp(out, m.recoveryTimeStamp());
            }
            case HeartbeatResponse m -> {
                start(out, MessageType.HEARTBEAT_RESPONSE, sequence);
                recoveryTimeStamp(out, m.recoveryTimeStamp());
            }
            case AssociationSetupRequest m -> {
                start(out, MessageType.ASSOCIATION_SETUP_REQUEST, sequence);
                m.nodeId().write(out);
                recoveryTimeStamp(out, m.recoveryTimeStamp());
                features(out, m.upFunctionFeatures());
            }
            case AssociationSetupResponse m -> {
                start(out, MessageType.ASSOCIATION_SETUP_RESPONSE, sequence);
                m.nodeId().write(out);
                out.begin(IeType.CAUSE).u8(m.cause()).end();
                offending(out, m.offendingIe());
                recoveryTimeStamp(out, m.recoveryTimeStamp());
                features(out, m.upFunctionFeatures());
            }
            case NodeAnswer m -> {
                start(out, m.type(), sequence);
                if (m.type() != MessageType.PFD_MANAGEMENT_REQUEST + 1) {
                    m.nodeId().write(out);
                }
                out.begin(IeType.CAUSE).u8(m.outcome().cause().value()).end();
                offending(out, m.outcome().offendingIe());
            }
            case SessionAnswer m -> sessionAnswer(out, m, sequence, seid);
            case VersionNotSupported ignored -> start(out, MessageType.VERSION_NOT_SUPPORTED_RESPONSE, sequence);
            case AssociationReleaseRequest m -> {
                start(out, MessageType.ASSOCIATION_RELEASE_REQUEST, sequence);
                m.nodeId().write(out);
            }
            case PfcpMessage.SessionEstablishmentRequest m -> throw notSent(m);
            case PfcpMessage.SessionModificationRequest m -> throw notSent(m);
            case PfcpMessage.SessionDeletionRequest m -> throw notSent(m);
            case PfcpMessage.UnservedRequest m -> throw notSent(m);
        }
        out.putLength(LENGTH);
        return out.toBytes();
    }

    private static void sessionAnswer(IeWriter out, SessionAnswer m, int sequence, long seid) {
        out.u8(WITH_SEID).u8(m.type()).u16(0).u64(seid).u32(sequence << 8);
        if (m.nodeId() != null) {
            m.nodeId().write(out);
        }
        out.begin(IeType.CAUSE).u8(m.outcome().cause().value()).end();
        offending(out, m.outcome().offendingIe());
        if (m.upFSeid() != null) {
            m.upFSeid().write(out);
        }
        for (CreatedPdr pdr : m.createdPdrs()) {
            out.begin(IeType.CREATED_PDR);
            out.begin(IeType.PDR_ID).u16(pdr.pdrId()).end();
            LocalFTeid.write(out, pdr.teid(), pdr.ipv4());
            out.end();
        }
        if (m.outcome().failedRule() != null) {
            m.outcome().failedRule().write(out);
        }
    }

    private static void start(IeWriter out, int type, int sequence) {
        out.u8(PLAIN).u8(type).u16(0).u32(sequence << 8);
    }

    private static void recoveryTimeStamp(IeWriter out, @Nullable Long stamp) {
        if (stamp != null) {
            out.begin(IeType.RECOVERY_TIME_STAMP).u32(stamp.intValue()).end();
        }
    }

    private static void features(IeWriter out, int features) {
        out.begin(IeType.UP_FUNCTION_FEATURES)
                .u8(features)
                .u8(features >>> 8)
                .u8(features >>> 16)
                .u8(features >>> 24)
                .end();
    }

    private static void offending(IeWriter out, int type) {
        if (type != 0) {
            out.begin(IeType.OFFENDING_IE).u16(type).end();
        }
    }

    private static IllegalArgumentException notSent(PfcpMessage message) {
        return new IllegalArgumentException(
                message.getClass().getSimpleName() + " is a message of the control plane; it is only read here");
    }
}
