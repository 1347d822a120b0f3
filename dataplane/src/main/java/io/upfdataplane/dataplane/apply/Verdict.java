package io.upfdataplane.dataplane.apply;

/**
 * How a packet ended. Every packet has exactly one, and for each direction the packets received equal the sum over all
 * verdicts. The names are metric labels.
 */
public enum Verdict {
    FORWARDED(false),
    /** An Echo Request that was answered (TS 29.281 §7.2.2). */
    ECHO_ANSWERED(false),

    /** Not IPv4 over Ethernet, or not for this leg. */
    NOT_OURS(true),
    /** The outer IPv4 or UDP header is cut short or announces more than there is. */
    OUTER_TRUNCATED(true),
    /** A piece of a fragmented GTP-U packet. */
    OUTER_FRAGMENT(true),
    GTPU_VERSION(true),
    GTPU_LENGTH(true),
    /** An extension header of length 0, or a chain that passes the packet. */
    GTPU_EXTENSION(true),
    /** An extension header that must be understood and is not (TS 29.281 §5.2.1). */
    GTPU_EXTENSION_UNKNOWN(true),
    GTPU_ECHO_RESPONSE(true),
    GTPU_ERROR_INDICATION(true),
    GTPU_END_MARKER(true),
    GTPU_MESSAGE_TYPE(true),
    UNKNOWN_TEID(true),
    UNKNOWN_UE(true),
    INNER_NOT_IPV4(true),
    /** The inner packet is shorter than its IP header says. */
    INNER_TRUNCATED(true),
    /** The inner source is not the UE's address. */
    UE_SOURCE_MISMATCH(true),
    NO_PDR(true),
    /** The FAR's action is DROP. */
    FAR_DROP(true),
    GATE_CLOSED(true),
    MBR_EXCEEDED(true),
    MTU_EXCEEDED(true),
    NO_ROUTE(true),
    /** The next hop's link-layer address is not known yet. */
    NEIGHBOUR_UNRESOLVED(true),
    /** The leg's own device is not known yet. */
    LINK_UNKNOWN(true),
    /** The egress port took no more. */
    TX_FULL(true),
    /** The ring to the session's worker was full. */
    REHOME_FULL(true),
    /** Waiting in a ring between workers when they stopped. */
    STOPPED(true);

    /** How many there are. */
    public static final int COUNT = values().length;

    private static final Verdict[] ALL = values();

    private final boolean drop;

    Verdict(boolean drop) {
        this.drop = drop;
    }

    /** By {@link #ordinal}. */
    static Verdict of(int ordinal) {
        return ALL[ordinal];
    }

    public boolean isDrop() {
        return drop;
    }
}
