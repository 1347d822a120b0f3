package io.upfdataplane.dataplane.pfcp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages that we take or send, as values (TS 29.244 §7.4, §7.5). */
public sealed interface PfcpMessage {

    /**
     * @param recoveryTimeStamp seconds since 1900; null when absent or unreadable, which costs nobody an answer
     */
    record HeartbeatRequest(@Nullable Long recoveryTimeStamp) implements PfcpMessage {}

    record HeartbeatResponse(long recoveryTimeStamp) implements PfcpMessage {}

    /**
     * @param upFunctionFeatures octets of §8.2.25, first one lowest; not read from a request
     */
    record AssociationSetupRequest(NodeId nodeId, long recoveryTimeStamp, int upFunctionFeatures)
            implements PfcpMessage {}

    /**
     * @param cause as it came: another entity may know more causes than we do
     * @param recoveryTimeStamp null when a refusal has none
     */
    record AssociationSetupResponse(
            NodeId nodeId,
            int cause,
            int offendingIe,
            @Nullable Long recoveryTimeStamp,
            int upFunctionFeatures) implements PfcpMessage {}

    record AssociationReleaseRequest(NodeId nodeId) implements PfcpMessage {}

    record SessionEstablishmentRequest(NodeId nodeId, FSeid cpFSeid, RuleChanges changes) implements PfcpMessage {}

    /**
     * @param cpFSeid present when the CP function moves its endpoint, or for no reason
     */
    record SessionModificationRequest(@Nullable FSeid cpFSeid, RuleChanges changes) implements PfcpMessage {}

    record SessionDeletionRequest() implements PfcpMessage {}

    /** A request of a kind that is not served here; answered with {@link Cause#SERVICE_NOT_SUPPORTED}. */
    record UnservedRequest(int type) implements PfcpMessage {}

    /** The answer to a node request other than Association Setup: release, update, session set, PFD management. */
    record NodeAnswer(int type, NodeId nodeId, Outcome outcome) implements PfcpMessage {}

    /**
     * The answer to a session request.
     *
     * @param nodeId in an establishment response only
     * @param upFSeid in an accepted establishment only
     */
    record SessionAnswer(
            int type,
            @Nullable NodeId nodeId,
            Outcome outcome,
            @Nullable FSeid upFSeid,
            List<CreatedPdr> createdPdrs) implements PfcpMessage {}

    /** Created PDR (§7.5.3.2): what we chose for a PDR. */
    record CreatedPdr(int pdrId, int teid, int ipv4) {}

    record VersionNotSupported() implements PfcpMessage {}
}
