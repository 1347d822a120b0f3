package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.handover.UserPlane;
import io.upfdataplane.dataplane.handover.UserPlane.Prepared;
import io.upfdataplane.dataplane.handover.UserPlane.RulesRefused;
import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.FSeid;
import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.MessageType;
import io.upfdataplane.dataplane.pfcp.NodeId;
import io.upfdataplane.dataplane.pfcp.Outcome;
import io.upfdataplane.dataplane.pfcp.Outcome.FailedRule;
import io.upfdataplane.dataplane.pfcp.Outcome.Kind;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionAnswer;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionEstablishmentRequest;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.SessionModificationRequest;
import io.upfdataplane.dataplane.pfcp.RuleChanges;
import org.jspecify.annotations.Nullable;

/**
 * The sessions and what a message does to one, in two steps: all that can fail, then what cannot. A refused message leaves
 * nothing behind. Control thread.
 */
final class Sessions {
    private N4Settings settings;
    private final UserPlane userPlane;
    private final SessionStore store;
    private final Tunnels tunnels;
    private final NodeId ownNodeId;

    Sessions(N4Settings settings, UserPlane userPlane, long seed) {
        this.settings = settings;
        this.userPlane = userPlane;
        this.store = new SessionStore(settings.maxSessions(), seed);
        this.tunnels = new Tunnels(
                userPlane, settings.maxSessions(), settings.n3Addresses().getFirst());
        this.ownNodeId = new NodeId(settings.nodeId());
    }

    /** For the messages to come; what is established stays. */
    void use(N4Settings changed) {
        settings = changed;
    }

    int size() {
        return store.size();
    }

    int slots() {
        return store.slots();
    }

    @Nullable
    SessionRecord find(long seid) {
        return store.find(seid);
    }

    SessionAnswer establish(SessionEstablishmentRequest request, Peer peer) throws Rejection {
        if (store.isFull()) {
            throw Rejection.of(
                    Cause.NO_RESOURCES_AVAILABLE, 0, store.size() + " sessions, at most " + settings.maxSessions());
        }
        long seid = store.take();
        Changed changed;
        try {
            changed = change(
                    null, request.changes(), seid, peer.index, request.cpFSeid().seid());
        } catch (Rejection | RuntimeException e) {
            store.giveBack(seid);
            throw e;
        }
        keep(null, changed);
        peer.sessions++;
        return new SessionAnswer(
                MessageType.SESSION_ESTABLISHMENT_RESPONSE,
                ownNodeId,
                Outcome.ACCEPTED,
                new FSeid(seid, settings.n4Address()),
                changed.tunnels.created());
    }

    SessionAnswer modify(SessionModificationRequest request, SessionRecord before) throws Rejection {
        FSeid moved = request.cpFSeid();
        long cpSeid = moved == null ? before.cpSeid() : moved.seid();
        Changed changed = change(before, request.changes(), before.seid(), before.peer(), cpSeid);
        keep(before, changed);
        return new SessionAnswer(
                MessageType.SESSION_MODIFICATION_RESPONSE, null, Outcome.ACCEPTED, null, changed.tunnels.created());
    }

    void delete(SessionRecord session, Peer owner) {
        userPlane.remove(session.seid());
        tunnels.follow(session, null);
        store.remove(session.seid());
        owner.sessions--;
    }

    /** Deletes a peer's sessions from a slot on, at most so many slots; returns the slot to go on from. */
    int deleteSome(Peer owner, int fromSlot, int slots, int deletions) {
        int slot = fromSlot;
        int end = Math.min(store.slots(), fromSlot + slots);
        for (int left = deletions; slot < end && left > 0; slot++) {
            long seid = store.ownedBy(owner.index, slot);
            SessionRecord session = seid == 0 ? null : store.find(seid);
            if (session != null) {
                delete(session, owner);
                left--;
            }
        }
        return slot;
    }

    private record Changed(SessionRecord after, Prepared prepared, Tunnels.Choice tunnels) {}

    private Changed change(@Nullable SessionRecord before, RuleChanges changes, long seid, int peer, long cpSeid)
            throws Rejection {
        SessionChange change = new SessionChange(settings, before);
        change.apply(changes);
        Tunnels.Choice choice = tunnels.choose(change, before, seid);
        SessionRecord after = new SessionRecord(
                peer, cpSeid, change.rules(seid), change.inertUrrs(), change.inertBars(), choice.chosen());
        try {
            return new Changed(after, userPlane.prepare(after.rules()), choice);
        } catch (RulesRefused refused) {
            throw refusedByUserPlane(refused);
        }
    }

    /** Cannot fail. A journal writes {@code after} between the preparation and this, and holds the answer until it is safe. */
    private void keep(@Nullable SessionRecord before, Changed changed) {
        userPlane.commit(changed.prepared);
        tunnels.follow(before, changed.after);
        store.put(changed.after);
    }

    private static Rejection refusedByUserPlane(RulesRefused refused) {
        Kind kind = switch (refused.rule()) {
            case "FAR" -> Kind.FAR;
            case "QER" -> Kind.QER;
            default -> Kind.PDR;
        };
        FailedRule rule = new FailedRule(kind, refused.ruleId());
        String message = kind + " " + refused.ruleId() + ": " + refused.getMessage();
        return switch (refused.reason()) {
            case NO_RESOURCES -> new Rejection(new Outcome(Cause.NO_RESOURCES_AVAILABLE, 0, rule), message);
            case TEID_IN_USE -> failure(IeType.F_TEID, rule, message);
            case UE_ADDRESS_IN_USE -> failure(IeType.UE_IP_ADDRESS, rule, message);
            case MISSING_RULE, UNSUPPORTED -> failure(0, rule, message);
        };
    }

    private static Rejection failure(int offendingIe, FailedRule rule, String message) {
        return new Rejection(new Outcome(Cause.RULE_CREATION_OR_MODIFICATION_FAILURE, offendingIe, rule), message);
    }
}
