package io.upfdataplane.dataplane.apply;

import io.upfdataplane.dataplane.match.RuleEntry;
import io.upfdataplane.dataplane.match.SessionSlot;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.wire.EthernetView;
import io.upfdataplane.dataplane.wire.Ipv4View;

/**
 * Carries out a rule entry on a packet: gates, bit rates, forwarding action, outer header, next hop, session counters. A
 * worker owns one; what it says about the last packet stays until the next.
 */
public final class Forwarder {
    private static final long TOWARDS_ACCESS = 1L << 63;
    private static final int LENGTH_SHIFT = 47;
    private static final int LENGTH_BITS = 0xffff;

    private final NextHopTable nextHops;
    private Link access = Link.UNKNOWN;
    private Link core = Link.UNKNOWN;
    private RouteTable accessRoutes = RouteTable.EMPTY;
    private RouteTable coreRoutes = RouteTable.EMPTY;
    private long nowNs;
    private int identification;
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
     * @return one word for {@link #isForwarded} and what stands beside it
     */
    public long forward(long slot, long entry, long inner, int innerLength) {
        int flags = RuleEntry.flags(entry);
        long outcome = pass(entry, flags, inner, innerLength);
        if (isForwarded(outcome)) {
            SessionSlot.countPassed(slot, flags, innerLength);
        } else {
            SessionSlot.countDropped(slot, flags);
        }
        return outcome;
    }

    private long pass(long entry, int flags, long inner, int innerLength) {
        if ((flags & (RuleEntry.FORWARD | RuleEntry.GATE_CLOSED)) != RuleEntry.FORWARD) {
            return refused((flags & RuleEntry.GATE_CLOSED) != 0 ? Verdict.GATE_CLOSED : Verdict.FAR_DROP, flags);
        }
        boolean tunnel = (flags & RuleEntry.CREATE_TUNNEL) != 0;
        Link link = (flags & RuleEntry.TO_ACCESS) != 0 ? access : core;
        int total = innerLength;
        if (tunnel) {
            total += (flags & RuleEntry.MARK_QFI) != 0
                    ? OuterHeader.TUNNEL_WITH_CONTAINER_LENGTH
                    : OuterHeader.TUNNEL_LENGTH;
        }
        if (total > link.mtuBytes()) {
            return refused(link.mtuBytes() == 0 ? Verdict.LINK_UNKNOWN : Verdict.MTU_EXCEEDED, flags);
        }
        int hop = tunnel ? RuleEntry.nextHop(entry) : entryTowards(flags, inner);
        long nextHop = hop < 0 ? 0 : nextHops.at(hop);
        if (nextHop == 0) {
            return refused(unresolved(hop, inner), flags);
        }
        if (RuleEntry.meters(flags) != 0 && !conforms(entry, RuleEntry.meters(flags), innerLength)) {
            return refused(Verdict.MBR_EXCEEDED, flags);
        }
        long frame = tunnel
                ? OuterHeader.writeTunnel(
                        inner,
                        innerLength,
                        nextHop,
                        link,
                        RuleEntry.peerAddress(entry),
                        RuleEntry.peerTeid(entry),
                        (flags & RuleEntry.MARK_QFI) != 0 ? RuleEntry.markQfi(flags) : -1,
                        identification++)
                : OuterHeader.writeEthernet(inner, nextHop, link.mac());
        return leg(flags) | (long) (total + EthernetView.LENGTH) << LENGTH_SHIFT | frame;
    }

    /** A verdict's number is below any address of a frame. */
    private static long refused(Verdict verdict, int flags) {
        return leg(flags) | verdict.ordinal();
    }

    private static long leg(int flags) {
        return (flags & RuleEntry.TO_ACCESS) != 0 ? TOWARDS_ACCESS : 0;
    }

    /** The packet is a frame that can be sent; else there is a verdict. */
    public static boolean isForwarded(long outcome) {
        return (outcome & Native.MASK) >= Verdict.COUNT;
    }

    public static Verdict verdict(long outcome) {
        return isForwarded(outcome) ? Verdict.FORWARDED : Verdict.of((int) (outcome & Native.MASK));
    }

    /** Where the frame begins. */
    public static long frame(long outcome) {
        return outcome & Native.MASK;
    }

    public static int frameLength(long outcome) {
        return (int) (outcome >>> LENGTH_SHIFT) & LENGTH_BITS;
    }

    /** The leg: N3 when set. */
    public static boolean isTowardsAccess(long outcome) {
        return outcome < 0;
    }

    /** The address itself is the next hop when it is on the link. */
    private int entryTowards(int flags, long inner) {
        int destination = Ipv4View.destinationOf(inner);
        boolean towardsAccess = (flags & RuleEntry.TO_ACCESS) != 0;
        int gateway = (towardsAccess ? accessRoutes : coreRoutes).lookup(destination);
        return gateway == RouteTable.ON_LINK
                ? nextHops.find(towardsAccess ? Side.ACCESS : Side.CORE, destination)
                : gateway;
    }

    private Verdict unresolved(int hop, long inner) {
        if (hop == NextHopTable.NO_ROUTE) {
            return Verdict.NO_ROUTE;
        }
        wanted = hop < 0 ? Ipv4View.destinationOf(inner) : nextHops.ipv4(hop);
        return Verdict.NEIGHBOUR_UNRESOLVED;
    }

    /** All buckets have to allow the packet before any is spent from. */
    private boolean conforms(long entry, int meters, int lengthBytes) {
        if (meters == 1) {
            return TokenBucket.take(RuleEntry.bucket(entry, 0), RuleEntry.rateKbps(entry, 0), nowNs, lengthBytes);
        }
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

    /** After {@code NEIGHBOUR_UNRESOLVED}: the tunnel peer, the gateway, or the packet's destination on the link. */
    public int wanted() {
        return wanted;
    }
}
