package io.upfdataplane.dataplane.match;

import static io.upfdataplane.dataplane.match.RuleImage.put;

import io.upfdataplane.dataplane.match.RuleFault.Kind;
import io.upfdataplane.dataplane.rule.DestinationInterface;
import io.upfdataplane.dataplane.rule.Far;
import io.upfdataplane.dataplane.rule.OuterHeaderCreation;
import io.upfdataplane.dataplane.rule.Pdr;
import io.upfdataplane.dataplane.rule.Qer;
import io.upfdataplane.dataplane.rule.SdfFilter;
import io.upfdataplane.dataplane.rule.SessionRules;
import io.upfdataplane.dataplane.rule.SourceInterface;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes one session's rules into an image. Checks all before it takes memory. Control thread; used once.
 */
final class RuleCompiler {
    /** Buckets beyond those in the slot, for each direction. */
    static final int FURTHER_BUCKETS = 8;

    static final int FURTHER_BUCKETS_SIZE = FURTHER_BUCKETS * 2 * SessionSlot.BUCKET_SIZE;

    private static final int MOST_METERED_QERS = SessionSlot.INLINE_BUCKETS + FURTHER_BUCKETS;
    private static final Comparator<Pdr> BY_PRECEDENCE =
            Comparator.comparingLong(Pdr::precedence).thenComparingInt(Pdr::id);

    private final SessionRules rules;
    private final PeerIndex peers;
    private final List<Pdr> tunnel;
    private final List<Pdr> address;
    private final List<Qer> metered = new ArrayList<>();
    private final List<Integer> buckets = new ArrayList<>();
    private final @Nullable Integer sessionUe;

    /**
     * @param oldImage the session's present image, or 0: a QER that stays keeps its bucket
     */
    RuleCompiler(SessionRules rules, PeerIndex peers, long oldImage) throws RuleFault {
        this.rules = rules;
        this.peers = peers;
        tunnel = rules.pdrs().stream()
                .filter(p -> p.localFTeid() != null)
                .sorted(BY_PRECEDENCE)
                .toList();
        address = rules.pdrs().stream()
                .filter(p -> p.localFTeid() == null)
                .sorted(BY_PRECEDENCE)
                .toList();
        List<Integer> ues = rules.pdrs().stream()
                .flatMap(p -> p.ueIpv4() == null ? List.<Integer>of().stream() : List.of(p.ueIpv4()).stream())
                .distinct()
                .toList();
        sessionUe = ues.size() == 1 ? ues.get(0) : null;
        check();
        chooseBuckets(oldImage);
    }

    int[] teids() {
        return tunnel.stream().mapToInt(p -> teidOf(p)).distinct().toArray();
    }

    int[] ueAddresses() {
        return address.stream().mapToInt(p -> ueOf(p)).distinct().toArray();
    }

    boolean needsFurtherBuckets() {
        return buckets.stream().anyMatch(b -> b >= SessionSlot.INLINE_BUCKETS);
    }

    int sizeBytes() {
        int further = rules.pdrs().stream()
                .mapToInt(p -> Math.max(0, p.sdfFilters().size() - 1))
                .sum();
        return RuleImage.HEADER
                + rules.pdrs().size() * RuleEntry.SIZE
                + further * RuleEntry.FILTER_SIZE
                + metered.size() * RuleImage.METER_RECORD;
    }

    private void check() throws RuleFault {
        for (Pdr pdr : rules.pdrs()) {
            boolean uplink = pdr.isUplink();
            if (pdr.localFTeid() == null && (uplink || pdr.ueIpv4() == null)) {
                throw new RuleFault(
                        Kind.UNSUPPORTED,
                        "PDR",
                        pdr.id(),
                        "its PDI has neither a local F-TEID nor, for downlink, a UE IP address");
            }
            Far far = farOf(pdr);
            if (far.action() == Far.Action.FORWARD) {
                checkForward(pdr, far);
            }
            long meters = 0;
            for (long id : pdr.qerIds()) {
                meters += rateOf(qerOf(id), !uplink) > 0 ? 1 : 0;
            }
            if (meters > RuleEntry.MOST_METERS) {
                throw new RuleFault(
                        Kind.NO_RESOURCES,
                        "PDR",
                        pdr.id(),
                        meters + " QERs with an MBR, at most " + RuleEntry.MOST_METERS + " can be applied");
            }
        }
    }

    private static void checkForward(Pdr pdr, Far far) throws RuleFault {
        if (far.destination() == null || far.destination() == DestinationInterface.CP_FUNCTION) {
            throw new RuleFault(
                    Kind.UNSUPPORTED, "FAR", far.id(), "forwarding needs destination Access, Core or SGi-LAN/N6-LAN");
        }
        if (pdr.localFTeid() != null && !pdr.removeOuterHeader()) {
            throw new RuleFault(
                    Kind.UNSUPPORTED, "PDR", pdr.id(), "forwarding from a tunnel needs Outer Header Removal (0 or 6)");
        }
    }

    private void chooseBuckets(long oldImage) throws RuleFault {
        boolean[] taken = new boolean[MOST_METERED_QERS];
        for (Qer qer : rules.qers()) {
            if (rateOf(qer, false) > 0 || rateOf(qer, true) > 0) {
                int kept = oldImage == 0 ? -1 : RuleImage.bucketOf(oldImage, qer.id());
                metered.add(qer);
                buckets.add(kept);
                if (kept >= 0) {
                    taken[kept] = true;
                }
            }
        }
        if (metered.size() > MOST_METERED_QERS) {
            throw new RuleFault(
                    Kind.NO_RESOURCES,
                    "QER",
                    metered.get(MOST_METERED_QERS).id(),
                    metered.size() + " QERs with an MBR, a session can have " + MOST_METERED_QERS);
        }
        int next = 0;
        for (int i = 0; i < buckets.size(); i++) {
            if (buckets.get(i) < 0) {
                while (taken[next]) {
                    next++;
                }
                taken[next] = true;
                buckets.set(i, next);
            }
        }
    }

    /** Fills zeroed memory of {@link #sizeBytes}. */
    void write(long image, long slot, int worker, long furtherBuckets) throws RuleFault {
        put(image, 0, rules.seid());
        put(image, RuleImage.SIZE, sizeBytes());
        put(image, RuleImage.TUNNEL_ENTRIES, tunnel.size());
        put(image, RuleImage.ADDRESS_ENTRIES, address.size());
        put(image, RuleImage.WORKER, worker);
        put(image, RuleImage.FURTHER_BUCKETS, furtherBuckets);
        long entry = RuleImage.tunnelEntry(image, 0);
        long filters = entry + (long) rules.pdrs().size() * RuleEntry.SIZE;
        for (Pdr pdr : tunnel) {
            filters = writeEntry(entry, filters, pdr, slot, furtherBuckets);
            entry += RuleEntry.SIZE;
        }
        for (Pdr pdr : address) {
            filters = writeEntry(entry, filters, pdr, slot, furtherBuckets);
            entry += RuleEntry.SIZE;
        }
        put(image, RuleImage.METERED_QERS, metered.size());
        put(image, RuleImage.METER_TABLE, (int) (filters - image));
        for (int i = 0; i < metered.size(); i++) {
            put(filters, 0, metered.get(i).id());
            put(filters, 8, (int) buckets.get(i));
            filters += RuleImage.METER_RECORD;
        }
    }

    /** Returns where the next further filter goes. */
    private long writeEntry(long entry, long filters, Pdr pdr, long slot, long furtherBuckets) throws RuleFault {
        boolean downlink = !pdr.isUplink();
        int flags = downlink ? RuleEntry.DOWNLINK : 0;
        if (pdr.localFTeid() != null) {
            put(entry, RuleEntry.TEID, pdr.localFTeid().teid());
            flags |= ueCheck(pdr);
        }
        Integer ue = pdr.ueIpv4() != null ? pdr.ueIpv4() : sessionUe;
        put(entry, RuleEntry.UE_ADDRESS, ue == null ? 0 : ue);
        put(entry, RuleEntry.PDR_ID, pdr.id());
        if (pdr.qfi() >= 0) {
            flags |= RuleEntry.MATCH_QFI | pdr.qfi() << RuleEntry.PDI_QFI_SHIFT;
        }
        flags |= writeForwarding(entry, farOf(pdr)) | writeQers(entry, pdr, downlink, slot, furtherBuckets);
        List<SdfFilter> all = pdr.sdfFilters();
        if (!all.isEmpty()) {
            flags |= RuleEntry.HAS_FILTER;
            writeFilter(entry + RuleEntry.FILTER, all.get(0), all.size() == 1);
            put(entry, RuleEntry.MORE_FILTERS, filters);
            for (int i = 1; i < all.size(); i++) {
                writeFilter(filters, all.get(i), i == all.size() - 1);
                filters += RuleEntry.FILTER_SIZE;
            }
        }
        put(entry, RuleEntry.FLAGS, flags);
        return filters;
    }

    /** PDRs of the CP function are exempt; the N9 downlink has the UE as its destination. */
    private int ueCheck(Pdr pdr) {
        if (pdr.sourceInterface() == SourceInterface.CP_FUNCTION) {
            return 0;
        }
        if (pdr.isUplink()) {
            return pdr.ueIpv4() != null || sessionUe != null ? RuleEntry.CHECK_UE : 0;
        }
        return pdr.ueIpv4() != null ? RuleEntry.CHECK_UE | RuleEntry.UE_IS_DESTINATION : 0;
    }

    private int writeForwarding(long entry, Far far) throws RuleFault {
        put(entry, RuleEntry.NEXT_HOP, -1);
        if (far.action() != Far.Action.FORWARD) {
            return 0;
        }
        boolean access = far.destination() == DestinationInterface.ACCESS;
        int flags = RuleEntry.FORWARD | (access ? RuleEntry.TO_ACCESS : 0);
        OuterHeaderCreation outer = far.outerHeaderCreation();
        if (outer == null) {
            return flags;
        }
        int nextHop = peers.indexOf(access, outer.peerIpv4());
        if (nextHop < 0) {
            throw new RuleFault(Kind.NO_RESOURCES, "FAR", far.id(), "the table of next hops is full");
        }
        put(entry, RuleEntry.NEXT_HOP, nextHop);
        put(entry, RuleEntry.PEER_TEID, outer.teid());
        put(entry, RuleEntry.PEER_ADDRESS, outer.peerIpv4());
        return flags | RuleEntry.CREATE_TUNNEL;
    }

    private int writeQers(long entry, Pdr pdr, boolean downlink, long slot, long furtherBuckets) throws RuleFault {
        int flags = 0;
        int meters = 0;
        for (long id : pdr.qerIds()) {
            Qer qer = qerOf(id);
            if (!(downlink ? qer.downlinkGateOpen() : qer.uplinkGateOpen())) {
                flags |= RuleEntry.GATE_CLOSED;
            }
            if (qer.qfi() >= 0 && (flags & RuleEntry.MARK_QFI) == 0) {
                flags |= RuleEntry.MARK_QFI | qer.qfi() << RuleEntry.MARK_QFI_SHIFT;
            }
            long rate = rateOf(qer, downlink);
            if (rate > 0) {
                int number = buckets.get(metered.indexOf(qer));
                long bucket = number < SessionSlot.INLINE_BUCKETS
                        ? SessionSlot.inlineBucket(slot, downlink, number)
                        : furtherBuckets
                                + ((number - SessionSlot.INLINE_BUCKETS) * 2L + (downlink ? 1 : 0))
                                        * SessionSlot.BUCKET_SIZE;
                put(entry, RuleEntry.meterOffset(meters), bucket);
                put(entry, RuleEntry.meterOffset(meters) + RuleEntry.METER_RATE, rate);
                meters++;
            }
        }
        return flags | meters << RuleEntry.METERS_SHIFT;
    }

    private static void writeFilter(long at, SdfFilter filter, boolean last) {
        put(at, 0, filter.protocol());
        put(at, RuleEntry.FILTER_REMOTE, filter.remoteAddress() & filter.remoteMask());
        put(at, RuleEntry.FILTER_REMOTE_MASK, filter.remoteMask());
        put(at, RuleEntry.FILTER_UE, filter.ueAddress() & filter.ueMask());
        put(at, RuleEntry.FILTER_UE_MASK, filter.ueMask());
        put(at, RuleEntry.FILTER_REMOTE_PORTS, filter.remotePortLow() << 16 | filter.remotePortHigh());
        put(at, RuleEntry.FILTER_UE_PORTS, filter.uePortLow() << 16 | filter.uePortHigh());
        put(
                at,
                RuleEntry.FILTER_FLAGS,
                (filter.namesPorts() ? RuleEntry.FILTER_NAMES_PORTS : 0) | (last ? RuleEntry.FILTER_IS_LAST : 0));
    }

    private Far farOf(Pdr pdr) throws RuleFault {
        for (Far far : rules.fars()) {
            if (far.id() == pdr.farId()) {
                return far;
            }
        }
        throw new RuleFault(Kind.MISSING_RULE, "FAR", pdr.farId(), "named by PDR " + pdr.id() + " and not there");
    }

    private Qer qerOf(long id) throws RuleFault {
        for (Qer qer : rules.qers()) {
            if (qer.id() == id) {
                return qer;
            }
        }
        throw new RuleFault(Kind.MISSING_RULE, "QER", id, "named by a PDR and not there");
    }

    private static long rateOf(Qer qer, boolean downlink) {
        return downlink ? qer.mbrDownlinkKbps() : qer.mbrUplinkKbps();
    }

    private static int teidOf(Pdr pdr) {
        return pdr.localFTeid() == null ? 0 : pdr.localFTeid().teid();
    }

    private static int ueOf(Pdr pdr) {
        return pdr.ueIpv4() == null ? 0 : pdr.ueIpv4();
    }
}
