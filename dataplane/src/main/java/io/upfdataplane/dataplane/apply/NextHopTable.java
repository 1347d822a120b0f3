package io.upfdataplane.dataplane.apply;

import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.memory.Shared;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Link-layer addresses of next hops, the routes that lead to them, and our own links. Written by the control thread,
 * read by all workers. An entry is one word, so a reader sees an address whole or not at all:
 *
 * <pre>
 *  bits 16–63 link-layer address, first octet highest | 1–15 zero | 0 resolved
 * </pre>
 *
 * An entry belongs to an address on a leg and stays for good: a FAR's peer keeps the number it was compiled with. The
 * entry of a tunnel peer behind a router holds the router's link-layer address.
 */
public final class NextHopTable implements AutoCloseable {
    /** There is no entry. */
    public static final int NONE = -1;

    /** No route covers the destination. */
    static final int NO_ROUTE = RouteTable.NO_ROUTE;

    private static final int WORD = 8;
    private static final long RESOLVED = 1;
    private static final long ENTRY_BITS = 0xff_ffff;
    private static final int MULTIPLIER = 0x9E3779B1;

    private final Block words;
    private final long firstWord;
    private final long firstIndexWord;
    private final Block index;
    private final int capacity;
    private final int indexMask;
    private final int indexShift;
    private final Side[] sides;
    private final int[] addresses;
    private volatile int count;
    private volatile RouteTable accessRoutes = RouteTable.EMPTY;
    private volatile RouteTable coreRoutes = RouteTable.EMPTY;
    private volatile Link accessLink = Link.UNKNOWN;
    private volatile Link coreLink = Link.UNKNOWN;

    /**
     * @param capacity entries, at most 2²⁴
     */
    public NextHopTable(int capacity) {
        if (capacity < 1 || capacity > 1 << 24) {
            throw new IllegalArgumentException("capacity " + capacity + " is not within 1–16777216");
        }
        this.capacity = capacity;
        int slots = Integer.highestOneBit(capacity) * 4;
        indexMask = slots - 1;
        indexShift = Integer.numberOfLeadingZeros(slots) + 1;
        words = new Block((long) capacity * WORD, 64);
        index = new Block((long) slots * WORD, 64);
        firstWord = words.address();
        firstIndexWord = index.address();
        sides = new Side[capacity];
        addresses = new int[capacity];
    }

    /** Control thread: the entry of an address, made unresolved when it is new; {@link #NONE} when the table is full. */
    public int entryFor(Side side, int ipv4) {
        int found = find(side, ipv4);
        if (found != NONE || count == capacity) {
            return found;
        }
        int entry = count;
        sides[entry] = side;
        addresses[entry] = ipv4;
        int slot = slotOf(side, ipv4);
        while (Shared.getAcquire(indexWord(slot)) != 0) {
            slot = slot + 1 & indexMask;
        }
        Shared.setRelease(indexWord(slot), packed(side, ipv4, entry));
        count = entry + 1;
        return entry;
    }

    /** Control thread: packets to this entry go to {@code mac} from now on. */
    public void resolve(int entry, long mac) {
        Shared.setRelease(word(checked(entry)), mac << 16 | RESOLVED);
    }

    /** Control thread: packets to this entry are dropped until it is resolved. */
    public void unresolve(int entry) {
        Shared.setRelease(word(checked(entry)), 0);
    }

    /** Control thread: replaces the routes of a leg; gateways get entries. */
    public void setRoutes(Side side, List<Route> routes) {
        RouteTable table = RouteTable.of(routes, this, side);
        if (side == Side.ACCESS) {
            accessRoutes = table;
        } else {
            coreRoutes = table;
        }
    }

    /** Control thread: what our own device of a leg looks like. */
    public void setLink(Side side, Link link) {
        if (side == Side.ACCESS) {
            accessLink = link;
        } else {
            coreLink = link;
        }
    }

    /** Any thread. */
    public Link link(Side side) {
        return side == Side.ACCESS ? accessLink : coreLink;
    }

    /** Any thread: entries are numbered from 0. */
    public int entries() {
        return count;
    }

    /** Any thread. */
    public Side side(int entry) {
        return sides[checked(entry)];
    }

    /** Any thread: the entry's address in host order. */
    public int ipv4(int entry) {
        return addresses[checked(entry)];
    }

    /** Any thread. */
    public boolean isResolved(int entry) {
        return (at(checked(entry)) & RESOLVED) != 0;
    }

    /** Workers: the entry's word, 0 when it is unresolved. */
    long at(int entry) {
        return Shared.getAcquire(word(entry));
    }

    /** Workers, once for a batch. */
    RouteTable routes(Side side) {
        return side == Side.ACCESS ? accessRoutes : coreRoutes;
    }

    /**
     * Control thread: whom to ask for so that packets to {@code destination} can leave: itself when it is on the link,
     * else its gateway; null when no route leads there.
     */
    public @Nullable Integer neighbourTowards(Side side, int destination) {
        int entry = routes(side).lookup(destination);
        return switch (entry) {
            case RouteTable.ON_LINK -> destination;
            case RouteTable.NO_ROUTE -> null;
            default -> ipv4(entry);
        };
    }

    /** Any thread: the entry of an address, or {@link #NONE}. */
    int find(Side side, int ipv4) {
        long wanted = packed(side, ipv4, 0);
        int slot = slotOf(side, ipv4);
        // The index has at least twice as many words as there can be entries, so an empty one ends every search.
        while (true) {
            long seen = Shared.getAcquire(indexWord(slot));
            if (seen == 0) {
                return NONE;
            }
            if ((seen & ~ENTRY_BITS) == wanted) {
                return (int) (seen & ENTRY_BITS);
            }
            slot = slot + 1 & indexMask;
        }
    }

    /** Never 0, since a side counts from 1. */
    private static long packed(Side side, int ipv4, int entry) {
        return (long) (side.ordinal() + 1) << 56 | Integer.toUnsignedLong(ipv4) << 24 | entry;
    }

    private int slotOf(Side side, int ipv4) {
        return (ipv4 + side.ordinal()) * MULTIPLIER >>> indexShift & indexMask;
    }

    private int checked(int entry) {
        if (entry < 0 || entry >= capacity) {
            throw new IllegalArgumentException("entry " + entry + " is not within 0–" + (capacity - 1));
        }
        return entry;
    }

    private long word(int entry) {
        return (firstWord & Native.MASK) + (long) entry * WORD;
    }

    private long indexWord(int slot) {
        return (firstIndexWord & Native.MASK) + (long) slot * WORD;
    }

    /** Control thread, once no worker runs. */
    @Override
    public void close() {
        words.close();
        index.close();
    }
}
