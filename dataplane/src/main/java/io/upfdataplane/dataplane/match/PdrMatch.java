package io.upfdataplane.dataplane.match;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.wire.Ipv4View;
import io.upfdataplane.dataplane.wire.TransportPorts;

/**
 * The choice of a PDR (TS 23.501 §5.8.2.4, TS 29.244 §5.2.1): the first of the session's entries, which lie in order of
 * precedence, whose PDI the packet has. Workers.
 */
public final class PdrMatch {
    /** No PDR matches. */
    public static final long NONE = 0;

    /** A PDR would have matched if the packet came from the UE's address. */
    public static final long UE_SOURCE_MISMATCH = -1;

    private static final int HALF = 0xffff;

    private PdrMatch() {}

    /**
     * For a packet that came through a tunnel.
     *
     * @param rules of {@link SessionSlot#tunnelRules}
     * @param qfi of the PDU Session Container, −1 without one
     * @return the entry, {@link #NONE} or {@link #UE_SOURCE_MISMATCH}
     */
    public static long tunnel(long rules, int teid, int qfi, Ipv4View inner) {
        long entry = SessionSlot.firstOf(rules);
        long none = NONE;
        for (int left = SessionSlot.countOf(rules); left > 0; left--, entry += RuleEntry.SIZE) {
            int flags = RuleEntry.flags(entry);
            if (RuleEntry.teid(entry) != teid
                    || ((flags & RuleEntry.MATCH_QFI) != 0 && RuleEntry.pdiQfi(flags) != qfi)) {
                continue;
            }
            if ((flags & RuleEntry.CHECK_UE) != 0) {
                boolean toUe = (flags & RuleEntry.UE_IS_DESTINATION) != 0;
                if (RuleEntry.ueAddress(entry) != (toUe ? inner.destination() : inner.source())) {
                    none = toUe ? none : UE_SOURCE_MISMATCH;
                    continue;
                }
            }
            if ((flags & RuleEntry.HAS_FILTER) == 0 || matchesAny(entry, flags, inner)) {
                return entry;
            }
        }
        return none;
    }

    /**
     * For a packet from the data network.
     *
     * @param rules of {@link SessionSlot#addressRules}
     * @return the entry, or {@link #NONE}
     */
    public static long address(long rules, Ipv4View packet) {
        long entry = SessionSlot.firstOf(rules);
        for (int left = SessionSlot.countOf(rules); left > 0; left--, entry += RuleEntry.SIZE) {
            int flags = RuleEntry.flags(entry);
            if (RuleEntry.ueAddress(entry) == packet.destination()
                    && (flags & RuleEntry.MATCH_QFI) == 0
                    && ((flags & RuleEntry.HAS_FILTER) == 0 || matchesAny(entry, flags, packet))) {
                return entry;
            }
        }
        return NONE;
    }

    private static boolean matchesAny(long entry, int flags, Ipv4View ip) {
        boolean downlink = (flags & RuleEntry.DOWNLINK) != 0;
        int remote = downlink ? ip.source() : ip.destination();
        int ue = downlink ? ip.destination() : ip.source();
        long ports = TransportPorts.of(ip);
        long filter = (entry & Native.MASK) + RuleEntry.FILTER;
        while (true) {
            int filterFlags = integer(filter, RuleEntry.FILTER_FLAGS);
            int protocol = integer(filter, 0);
            if ((protocol < 0 || protocol == ip.protocol())
                    && (remote & integer(filter, RuleEntry.FILTER_REMOTE_MASK))
                            == integer(filter, RuleEntry.FILTER_REMOTE)
                    && (ue & integer(filter, RuleEntry.FILTER_UE_MASK)) == integer(filter, RuleEntry.FILTER_UE)
                    && ((filterFlags & RuleEntry.FILTER_NAMES_PORTS) == 0 || matchesPorts(filter, downlink, ports))) {
                return true;
            }
            if ((filterFlags & RuleEntry.FILTER_IS_LAST) != 0) {
                return false;
            }
            filter = filter == (entry & Native.MASK) + RuleEntry.FILTER
                    ? Native.MEMORY.get(Native.LONG, (entry & Native.MASK) + RuleEntry.MORE_FILTERS)
                    : filter + RuleEntry.FILTER_SIZE;
        }
    }

    private static boolean matchesPorts(long filter, boolean downlink, long ports) {
        if (ports == TransportPorts.NONE) {
            return false;
        }
        int source = (int) (ports >>> 16);
        int destination = (int) (ports & HALF);
        return isWithin(downlink ? source : destination, integer(filter, RuleEntry.FILTER_REMOTE_PORTS))
                && isWithin(downlink ? destination : source, integer(filter, RuleEntry.FILTER_UE_PORTS));
    }

    /** The range has its lowest port in the upper half, its highest in the lower one. */
    private static boolean isWithin(int port, int range) {
        return port >= range >>> 16 && port <= (range & HALF);
    }

    private static int integer(long address, int offset) {
        return Native.MEMORY.get(Native.INT, (address & Native.MASK) + offset);
    }
}
