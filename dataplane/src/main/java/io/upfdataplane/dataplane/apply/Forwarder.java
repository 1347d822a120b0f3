package io.upfdataplane.dataplane.apply;

import io.upfdataplane.dataplane.match.RuleEntry;
import io.upfdataplane.dataplane.match.SessionSlot;

/**
 * Carries out a rule entry on a packet: gates, bit rates, forwarding action, outer header, next hop, session counters. A
 * worker owns one; what it says about the last packet stays until the next.
 */
public final class Forwarder {
    private final NextHopTable nextHops;
    private Link access = Link.UNKNOWN;
    private Link core = Link.UNKNOWN;
    private RouteTable accessRoutes = RouteTable.EMPTY;
    private RouteTable coreRoutes = RouteTable.EMPTY;
    private long nowNs;
    private int identification;
    private long frame;
    private int frameLength;
    private boolean towardsAccess;
    private int wanted;

    /**
     * @param firstIdentification of outer IPv4 headers; another one for each worker
     */
    public Forwarder(NextHopTable nextHops, int firstIdentification) {
        this.nextHops = nextHops;
        this.identification = firstIdentification;
    }

    /** Begins a batch. */
    public void begin(long nowNs) {
        this.nowNs = nowNs;
        access = nextHops.link(Side.ACCESS);
        core = nextHops.link(Side.CORE);
        accessRoutes = nextHops.routes(Side.ACCESS);
        coreRoutes = nextHops.routes(Side.CORE);
    }

    /** Our own address on N3. */
    public int accessIpv4() {
        return access.ipv4();
    }

    /**
     * Makes the packet at {@code inner} a frame that can be sent, or says why not. Room for the headers lies before it.
     *
     * @param slot of its session, which this worker owns
     * @param entry that matched
     * @param destination of the inner packet
     */
    public Verdict forward(long slot, long entry, long inner, int innerLength, int destination) {
        int flags = RuleEntry.flags(entry);
        Verdict verdict = pass(entry, flags, inner, innerLength, destination);
        if (verdict == Verdict.FORWARDED) {
            SessionSlot.countPassed(slot, flags, innerLength);
        } else {
            SessionSlot.countDropped(slot, flags);
        }
        return verdict;
    }

    private Verdict pass(long entry, int flags, long inner, int innerLength, int destination) {
        if ((flags & (RuleEntry.FORWARD | RuleEntry.GATE_CLOSED)) != RuleEntry.FORWARD) {
            return (flags & RuleEntry.GATE_CLOSED) != 0 ? Verdict.GATE_CLOSED : Verdict.FAR_DROP;
        }
        boolean towardsAccess = (flags & RuleEntry.TO_ACCESS) != 0;
        boolean tunnel = (flags & RuleEntry.CREATE_TUNNEL) != 0;
        Link link = towardsAccess ? access : core;
        int qfi = (flags & RuleEntry.MARK_QFI) != 0 ? RuleEntry.markQfi(flags) : -1;
        int total = innerLength;
        if (tunnel) {
            total += qfi >= 0 ? OuterHeader.TUNNEL_WITH_CONTAINER_LENGTH : OuterHeader.TUNNEL_LENGTH;
        }
        if (total > link.mtuBytes()) {
            return link.mtuBytes() == 0 ? Verdict.LINK_UNKNOWN : Verdict.MTU_EXCEEDED;
        }
        this.towardsAccess = towardsAccess;
        int hop = tunnel ? RuleEntry.nextHop(entry) : entryTowards(towardsAccess, destination);
        long nextHop = hop < 0 ? 0 : nextHops.at(hop);
        if (nextHop == 0) {
            return unresolved(hop, destination);
        }
        if (RuleEntry.meters(flags) != 0 && !conforms(entry, RuleEntry.meters(flags), innerLength)) {
            return Verdict.MBR_EXCEEDED;
        }
        if (tunnel) {
            frame = OuterHeader.writeTunnel(
                    inner,
                    innerLength,
                    nextHop,
                    link,
                    RuleEntry.peerAddress(entry),
                    RuleEntry.peerTeid(entry),
                    qfi,
                    identification++);
        } else {
            frame = OuterHeader.writeEthernet(inner, nextHop, link.mac());
        }
        frameLength = total + 14;
        return Verdict.FORWARDED;
    }

    /** The address itself is the next hop when it is on the link. */
    private int entryTowards(boolean towardsAccess, int destination) {
        int gateway = (towardsAccess ? accessRoutes : coreRoutes).lookup(destination);
        return gateway == RouteTable.ON_LINK
                ? nextHops.find(towardsAccess ? Side.ACCESS : Side.CORE, destination)
                : gateway;
    }

    private Verdict unresolved(int hop, int destination) {
        if (hop == NextHopTable.NO_ROUTE) {
            return Verdict.NO_ROUTE;
        }
        wanted = hop < 0 ? destination : nextHops.ipv4(hop);
        return Verdict.NEIGHBOUR_UNRESOLVED;
    }

    /** All buckets have to allow the packet before any is spent from. */
    private boolean conforms(long entry, int meters, int lengthBytes) {
        boolean conforms = true;
        for (int i = 0; i < meters; i++) {
            conforms &= TokenBucket.earn(RuleEntry.bucket(entry, i), RuleEntry.rateKbps(entry, i), nowNs);
        }
        if (conforms) {
            for (int i = 0; i < meters; i++) {
                TokenBucket.spend(RuleEntry.bucket(entry, i), lengthBytes);
            }
        }
        return conforms;
    }

    /** After {@code FORWARDED}: where the frame begins. */
    public long frame() {
        return frame;
    }

    /** After {@code FORWARDED}. */
    public int frameLength() {
        return frameLength;
    }

    /** After {@code FORWARDED} and {@code NEIGHBOUR_UNRESOLVED}: the leg. */
    public boolean isTowardsAccess() {
        return towardsAccess;
    }

    /** After {@code NEIGHBOUR_UNRESOLVED}: the tunnel peer, the gateway, or the packet's destination on the link. */
    public int wanted() {
        return wanted;
    }
}
