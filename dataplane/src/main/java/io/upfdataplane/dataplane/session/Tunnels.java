package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.handover.UserPlane;
import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.Outcome.Kind;
import io.upfdataplane.dataplane.pfcp.PfcpMessage.CreatedPdr;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.session.SessionRecord.ChosenTeid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Chooses TEIDs for a change, and keeps who holds which. Control thread. */
final class Tunnels {
    private final UserPlane userPlane;
    private final TeidTable table;
    private final int n3Address;
    private int nextWorker;

    Tunnels(UserPlane userPlane, int maxSessions, int n3Address) {
        this.userPlane = userPlane;
        this.table = new TeidTable(maxSessions);
        this.n3Address = n3Address;
    }

    /** TEIDs chosen for one message; nothing is held yet. */
    record Choice(List<ChosenTeid> chosen, List<CreatedPdr> created) {}

    /** Gives every PDR that asked for one its TEID, and judges the given ones. */
    Choice choose(SessionChange change, @Nullable SessionRecord before, long seid) throws Rejection {
        List<ChosenTeid> chosen = new ArrayList<>(before == null ? List.of() : before.chosen());
        List<CreatedPdr> created = new ArrayList<>();
        SessionRules draft = change.rules(seid);
        if (!change.toChoose().isEmpty()) {
            int worker = workerFor(draft, before);
            Map<Integer, Integer> byChooseId = new HashMap<>();
            for (ChosenTeid earlier : chosen) {
                if (earlier.chooseId() >= 0) {
                    byChooseId.put(earlier.chooseId(), earlier.teid());
                }
            }
            for (Map.Entry<Integer, Integer> asked : change.toChoose().entrySet()) {
                int pdrId = asked.getKey();
                int chooseId = asked.getValue();
                Integer teid = chooseId >= 0 ? byChooseId.get(chooseId) : null;
                if (teid == null) {
                    teid = fresh(worker);
                    chosen.add(new ChosenTeid(teid, chooseId, pdrId));
                    if (chooseId >= 0) {
                        byChooseId.put(chooseId, teid);
                    }
                }
                change.choose(pdrId, new FTeid(teid, n3Address));
                created.add(new CreatedPdr(pdrId, teid, n3Address));
            }
            draft = change.rules(seid);
        }
        int newTeids = 0;
        for (Pdr pdr : draft.pdrs()) {
            FTeid fTeid = pdr.localFTeid();
            if (fTeid == null) {
                continue;
            }
            long holder = table.holder(fTeid.teid());
            if (holder != 0 && holder != seid) {
                throw Rejection.ofRule(
                        Kind.PDR,
                        pdr.id(),
                        IeType.F_TEID,
                        "TEID " + Integer.toUnsignedString(fTeid.teid()) + " belongs to another session");
            }
            newTeids += holder == 0 ? 1 : 0;
        }
        if (!table.hasRoomFor(newTeids)) {
            throw Rejection.of(Cause.NO_RESOURCES_AVAILABLE, IeType.F_TEID, "the table of TEIDs is full");
        }
        return new Choice(keptOf(chosen, draft), created);
    }

    /**
     * What we chose is free again when its last PDR goes. But OAI takes all PDRs away while a UE is idle and comes back with
     * the same TEID: a session without any tunnel keeps what it had.
     */
    private static List<ChosenTeid> keptOf(List<ChosenTeid> chosen, SessionRules rules) {
        List<Integer> used = new ArrayList<>();
        for (Pdr pdr : rules.pdrs()) {
            if (pdr.localFTeid() != null) {
                used.add(pdr.localFTeid().teid());
            }
        }
        if (used.isEmpty()) {
            return chosen;
        }
        return chosen.stream().filter(choice -> used.contains(choice.teid())).toList();
    }

    /** After the commit: holds what the session has now, releases what it has no more. Null for «no session». */
    void follow(@Nullable SessionRecord before, @Nullable SessionRecord after) {
        Set<Integer> now = after == null ? Set.of() : after.teids();
        if (before != null) {
            for (int teid : before.teids()) {
                if (!now.contains(teid)) {
                    table.release(teid);
                }
            }
        }
        if (after != null) {
            for (int teid : now) {
                table.hold(teid, after.seid());
            }
        }
    }

    private int fresh(int worker) {
        int teid = table.choose(worker);
        while (userPlane.isTeidInUse(teid)) {
            teid = table.choose(worker);
        }
        return teid;
    }

    private int workerFor(SessionRules draft, @Nullable SessionRecord before) {
        if (before != null && !before.rules().pdrs().isEmpty()) {
            return userPlane.ownerOf(before.rules());
        }
        boolean hasOwner = draft.pdrs().stream()
                .anyMatch(pdr -> pdr.ueIpv4() != null
                        || (pdr.localFTeid() != null && pdr.localFTeid() != PdrMaking.TO_BE_CHOSEN));
        if (hasOwner) {
            return userPlane.ownerOf(draft);
        }
        nextWorker = (nextWorker + 1) % userPlane.workers();
        return nextWorker;
    }
}
