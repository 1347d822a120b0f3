package io.upfdataplane.operator.status;

import io.upfdataplane.operator.api.ConditionType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a running dataplane makes true by itself, whatever was asked for: forwarding, and an association. */
final class DatapathConditions {
    private DatapathConditions() {}

    static void judge(Conditions conditions, @Nullable DataplaneReport report, String silence) {
        if (report == null) {
            conditions.isFalse(ConditionType.DatapathReady, "NotRunning", silence);
            conditions.isUnknown(ConditionType.AssociationEstablished, "NotRunning", silence);
            return;
        }
        if (report.ready()) {
            conditions.isTrue(ConditionType.DatapathReady, "Forwarding", "ports are open, workers poll, N4 is bound");
        } else {
            conditions.isFalse(ConditionType.DatapathReady, "NotReady", "the dataplane has not opened its ports yet");
        }
        List<DataplaneReport.Peer> associated = peers(report).stream()
                .filter(peer -> "Associated".equals(peer.state()))
                .toList();
        if (associated.isEmpty()) {
            conditions.isFalse(
                    ConditionType.AssociationEstablished, "NoAssociation", "no SMF has set up an association");
        } else {
            conditions.isTrue(
                    ConditionType.AssociationEstablished,
                    "Associated",
                    "with " + associated.getFirst().nodeId());
        }
    }

    static List<DataplaneReport.Peer> peers(DataplaneReport report) {
        List<DataplaneReport.Peer> peers = report.peers();
        return peers == null ? List.of() : peers;
    }
}
