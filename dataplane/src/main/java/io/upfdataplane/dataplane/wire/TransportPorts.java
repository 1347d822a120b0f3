package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/** The port pair with which TCP, UDP and SCTP headers begin. Any thread. */
public final class TransportPorts {
    /** There are none: another protocol, a later fragment, or the packet ends before them. */
    public static final long NONE = -1;

    private TransportPorts() {}

    /** Source port in bits 16–31 and destination port in bits 0–15, or {@link #NONE}. */
    public static long of(Ipv4View ip) {
        int protocol = ip.protocol();
        boolean known = protocol == Ipv4View.TCP || protocol == Ipv4View.UDP || protocol == Ipv4View.SCTP;
        if (!known || ip.isLaterFragment() || ip.end() - ip.payload() < 4) {
            return NONE;
        }
        return Integer.toUnsignedLong(Native.MEMORY.get(Native.BE_INT, ip.payload() & Native.MASK));
    }
}
