package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.Cause;
import io.upfdataplane.dataplane.pfcp.FarSpec;
import io.upfdataplane.dataplane.pfcp.FarSpec.RequestFlags;
import io.upfdataplane.dataplane.pfcp.IeType;
import io.upfdataplane.dataplane.pfcp.Outcome.Kind;
import io.upfdataplane.dataplane.pfcp.PdrSpec;
import io.upfdataplane.dataplane.pfcp.QerSpec;
import io.upfdataplane.dataplane.pfcp.QerSpec.BitRates;
import io.upfdataplane.dataplane.pfcp.QerSpec.GateStatus;
import io.upfdataplane.dataplane.pfcp.RuleChanges;
import io.upfdataplane.dataplane.rule.FTeid;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.session.N4Settings.Limits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One message's changes laid over a session's rules. Removals first, then creations, then updates; references are judged
 * when all is done. Works on copies: when it throws, nothing has happened. Made for one message; control thread.
 */
final class SessionChange {
    private static final int MOST_INERT_RULES = 64;
    private final N4Settings settings;
    private final PdrMaking pdrMaking;
    private final Map<Integer, Pdr> pdrs = new LinkedHashMap<>();
    private final Map<Long, Far> fars = new LinkedHashMap<>();
    private final Map<Long, Qer> qers = new LinkedHashMap<>();
    private final Set<Long> urrs;
    private final Set<Integer> bars;
    /** CHOOSE ID by PDR, for the PDRs whose TEID is still to be chosen. */
    private final Map<Integer, Integer> toChoose = new LinkedHashMap<>();

    private final Map<Integer, List<Long>> urrsNamed = new HashMap<>();
    private final Map<Long, Integer> barsNamed = new HashMap<>();

    SessionChange(N4Settings settings, @Nullable SessionRecord before) {
        this.settings = settings;
        this.pdrMaking = new PdrMaking(settings);
        this.urrs = new LinkedHashSet<>();
        this.bars = new LinkedHashSet<>();
        if (before != null) {
            before.rules().pdrs().forEach(pdr -> pdrs.put(pdr.id(), pdr));
            before.rules().fars().forEach(far -> fars.put(far.id(), far));
            before.rules().qers().forEach(qer -> qers.put(qer.id(), qer));
            urrs.addAll(before.inertUrrs());
            bars.addAll(before.inertBars());
        }
    }

    /** Lays the changes over the rules. */
    void apply(RuleChanges changes) throws Rejection {
        refuseWhatIsNotBuilt(changes);
        remove(changes);
        create(changes);
        update(changes);
        judgeReferences();
        judgeLimits();
    }

    private void refuseWhatIsNotBuilt(RuleChanges changes) throws Rejection {
        Integer ie = NotBuilt.firstOf(changes.others(), NotBuilt.IN_MESSAGE);
        if (ie != null) {
            NotBuilt.Feature feature = NotBuilt.in(NotBuilt.IN_MESSAGE, ie);
            throw Rejection.of(feature.cause(), ie, feature.name() + ": not built");
        }
        if ((changes.requestFlags() & RequestFlags.QAURR) != 0 && !urrs.isEmpty()) {
            throw Rejection.of(
                    Cause.SERVICE_NOT_SUPPORTED, IeType.PFCPSM_REQ_FLAGS, "usage reports (QAURR): not built");
        }
    }

    private void remove(RuleChanges changes) throws Rejection {
        for (int id : changes.removePdrs()) {
            must(pdrs.remove(id), Kind.PDR, id, IeType.REMOVE_PDR);
        }
        for (long id : changes.removeFars()) {
            must(fars.remove(id), Kind.FAR, id, IeType.REMOVE_FAR);
        }
        for (long id : changes.removeQers()) {
            must(qers.remove(id), Kind.QER, id, IeType.REMOVE_QER);
        }
        for (long id : changes.removeUrrs()) {
            must(urrs.remove(id) ? id : null, Kind.URR, id, IeType.REMOVE_URR);
        }
        for (int id : changes.removeBars()) {
            must(bars.remove(id) ? id : null, Kind.BAR, id, IeType.REMOVE_BAR);
        }
    }

    /** A rule whose id is known already is replaced: OAI creates again what it has not removed. Twice at once is a fault. */
    private void create(RuleChanges changes) throws Rejection {
        Set<Object> seen = new HashSet<>();
        for (FarSpec spec : changes.createFars()) {
            once(seen.add(spec.id()), Kind.FAR, spec.id(), IeType.CREATE_FAR);
            putFar(null, spec);
        }
        seen.clear();
        for (QerSpec spec : changes.createQers()) {
            once(seen.add(spec.id()), Kind.QER, spec.id(), IeType.CREATE_QER);
            qers.put(spec.id(), qer(null, spec));
        }
        seen.clear();
        for (PdrSpec spec : changes.createPdrs()) {
            once(seen.add(spec.id()), Kind.PDR, spec.id(), IeType.CREATE_PDR);
            put(spec, pdrMaking.create(spec));
        }
        urrs.addAll(changes.createUrrs());
        bars.addAll(changes.createBars());
    }

    private void update(RuleChanges changes) throws Rejection {
        for (FarSpec spec : changes.updateFars()) {
            Far old = must(fars.get(spec.id()), Kind.FAR, spec.id(), IeType.UPDATE_FAR);
            putFar(old, spec);
        }
        for (QerSpec spec : changes.updateQers()) {
            Qer old = must(qers.get(spec.id()), Kind.QER, spec.id(), IeType.UPDATE_QER);
            qers.put(spec.id(), qer(old, spec));
        }
        for (PdrSpec spec : changes.updatePdrs()) {
            Pdr old = must(pdrs.get(spec.id()), Kind.PDR, spec.id(), IeType.UPDATE_PDR);
            put(spec, pdrMaking.update(old, spec));
        }
        for (long id : changes.updateUrrs()) {
            must(urrs.contains(id) ? id : null, Kind.URR, id, IeType.UPDATE_URR);
        }
        for (int id : changes.updateBars()) {
            must(bars.contains(id) ? id : null, Kind.BAR, id, IeType.UPDATE_BAR);
        }
        for (long id : changes.queryUrrs()) {
            must(urrs.contains(id) ? id : null, Kind.URR, id, IeType.QUERY_URR);
            throw Rejection.ofRule(Kind.URR, id, IeType.QUERY_URR, "usage reports: not built");
        }
    }

    private void put(PdrSpec spec, Pdr pdr) {
        pdrs.put(spec.id(), pdr);
        if (spec.urrIds() != null) {
            urrsNamed.put(spec.id(), spec.urrIds());
        }
        if (pdr.localFTeid() == PdrMaking.TO_BE_CHOSEN
                && spec.pdi() != null
                && spec.pdi().localFTeid() != null) {
            toChoose.put(spec.id(), spec.pdi().localFTeid().chooseId());
        }
    }

    private void putFar(@Nullable Far old, FarSpec spec) throws Rejection {
        fars.put(spec.id(), FarMaking.make(old, spec));
        if (spec.barId() != null) {
            barsNamed.put(spec.id(), spec.barId());
        }
    }

    /** MBR 0 and QFI 0 mean none, as the SMFs that send them mean it; GBR is a promise of the scheduler, not a limit. */
    private static Qer qer(@Nullable Qer old, QerSpec spec) throws Rejection {
        Integer ie = NotBuilt.firstOf(spec.others(), NotBuilt.IN_QER);
        if (ie != null) {
            NotBuilt.Feature feature = NotBuilt.in(NotBuilt.IN_QER, ie);
            throw Rejection.ofRule(feature.cause(), Kind.QER, spec.id(), ie, feature.name() + ": not built");
        }
        GateStatus gates = spec.gates();
        BitRates mbr = spec.mbr();
        int qfi = spec.qfi() == null ? (old == null ? -1 : old.qfi()) : spec.qfi() == 0 ? -1 : spec.qfi();
        return new Qer(
                spec.id(),
                gates != null ? gates.uplinkOpen() : required(old).uplinkGateOpen(),
                gates != null ? gates.downlinkOpen() : required(old).downlinkGateOpen(),
                mbr != null ? mbr.uplinkKbps() : old == null ? 0 : old.mbrUplinkKbps(),
                mbr != null ? mbr.downlinkKbps() : old == null ? 0 : old.mbrDownlinkKbps(),
                qfi);
    }

    private void judgeReferences() throws Rejection {
        for (Pdr pdr : pdrs.values()) {
            if (!fars.containsKey(pdr.farId())) {
                throw Rejection.ofRule(
                        Kind.PDR, pdr.id(), IeType.FAR_ID, "FAR " + Long.toUnsignedString(pdr.farId()) + " is unknown");
            }
            for (Long qer : pdr.qerIds()) {
                if (!qers.containsKey(qer)) {
                    throw Rejection.ofRule(Kind.PDR, pdr.id(), IeType.QER_ID, "QER " + qer + " is unknown");
                }
            }
        }
        for (Map.Entry<Integer, List<Long>> named : urrsNamed.entrySet()) {
            for (Long urr : named.getValue()) {
                if (!urrs.contains(urr)) {
                    throw Rejection.ofRule(Kind.PDR, named.getKey(), IeType.URR_ID, "URR " + urr + " is unknown");
                }
                throw Rejection.ofRule(
                        Kind.URR,
                        urr,
                        IeType.URR_ID,
                        "usage reporting, asked for by PDR " + named.getKey() + ": not built");
            }
        }
        for (Map.Entry<Long, Integer> named : barsNamed.entrySet()) {
            if (!bars.contains(named.getValue())) {
                throw Rejection.ofRule(
                        Kind.FAR, named.getKey(), IeType.BAR_ID, "BAR " + named.getValue() + " is unknown");
            }
        }
    }

    private void judgeLimits() throws Rejection {
        Limits limits = settings.limits();
        atMost(pdrs.size(), limits.pdrsPerSession(), "PDRs", IeType.CREATE_PDR);
        atMost(fars.size(), limits.farsPerSession(), "FARs", IeType.CREATE_FAR);
        atMost(qers.size(), limits.qersPerSession(), "QERs", IeType.CREATE_QER);
        atMost(urrs.size(), MOST_INERT_RULES, "URRs", IeType.CREATE_URR);
        atMost(bars.size(), MOST_INERT_RULES, "BARs", IeType.CREATE_BAR);
    }

    private static void atMost(int found, int limit, String what, int ie) throws Rejection {
        if (found > limit) {
            throw Rejection.of(
                    Cause.NO_RESOURCES_AVAILABLE, ie, found + " " + what + " in one session, at most " + limit);
        }
    }

    private static <T> T must(@Nullable T found, Kind kind, long id, int ie) throws Rejection {
        if (found == null) {
            throw Rejection.ofRule(kind, id, ie, "is unknown in this session");
        }
        return found;
    }

    private static void once(boolean isFirst, Kind kind, long id, int ie) throws Rejection {
        if (!isFirst) {
            throw Rejection.ofRule(kind, id, ie, "is created twice in one message");
        }
    }

    private static <T> T required(@Nullable T old) {
        if (old == null) {
            throw new IllegalArgumentException("the decoder let an incomplete rule through");
        }
        return old;
    }

    /** CHOOSE ID by PDR id, −1 for none, of the PDRs that still need a TEID. */
    Map<Integer, Integer> toChoose() {
        return toChoose;
    }

    void choose(int pdrId, FTeid chosen) {
        pdrs.computeIfPresent(
                pdrId,
                (id, pdr) -> new Pdr(
                        id,
                        pdr.precedence(),
                        pdr.sourceInterface(),
                        chosen,
                        pdr.ueIpv4(),
                        pdr.networkInstance(),
                        pdr.sdfFilters(),
                        pdr.qfi(),
                        pdr.removeOuterHeader(),
                        pdr.farId(),
                        pdr.qerIds()));
    }

    SessionRules rules(long seid) {
        return new SessionRules(
                seid, new ArrayList<>(pdrs.values()), new ArrayList<>(fars.values()), new ArrayList<>(qers.values()));
    }

    List<Long> inertUrrs() {
        return new ArrayList<>(urrs);
    }

    List<Integer> inertBars() {
        return new ArrayList<>(bars);
    }
}
