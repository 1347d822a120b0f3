package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/**
 * Which worker a packet belongs to. The XDP program and the fanout program compute the same function; this is what they
 * are tested against, and what decides the owner of a session. Any thread.
 */
public final class Steering {
    /** 2³² divided by the golden ratio. */
    public static final int MULTIPLIER = 0x9E3779B1;

    /** The worker's place in a TEID. */
    public static final int TEID_MASK = 0x3f;

    /** Longest PDU Session Container that is walked, in octets. */
    public static final int LONGEST_CONTAINER = 16;

    private static final int FLAGS_AND_OFFSET = 6;
    private static final int PROTOCOL = 9;
    private static final int SOURCE = 12;
    private static final int DESTINATION = 16;
    private static final int GTPU_TEID = 4;
    private static final int GTPU_NEXT_EXTENSION = 11;

    private Steering() {}

    /** Owner of a session with this UE address (host order). */
    public static int workerOfUe(int ueIpv4, int workers) {
        return (ueIpv4 * MULTIPLIER >>> 16) % workers;
    }

    /** Owner of a session without a UE address, and the choice for what cannot be walked. */
    public static int workerOfTeid(int teid, int workers) {
        return (teid & TEID_MASK) % workers;
    }

    /**
     * The worker for the packet whose IPv4 header begins at {@code start} and whose bytes end at {@code end}. GTP-U (an
     * unfragmented UDP datagram to port 2152 of {@code n3Ipv4} with at least its first 8 octets of GTP-U) goes by the
     * source address of the inner IPv4 packet, if that can be reached: G-PDU, no optional fields or with them, then
     * nothing or one PDU Session Container of 4 to 16 octets and nothing more. What cannot be walked goes by TEID. All
     * other IPv4 goes by destination address; what is not IPv4 goes to worker 0.
     */
    public static int workerOf(long start, long end, int n3Ipv4, int workers) {
        if (end - start < Ipv4View.MINIMUM_LENGTH || octet(start) >>> 4 != 4) {
            return 0;
        }
        int destination = word(start + DESTINATION);
        long udp = start + ((octet(start) & 0xf) << 2);
        long gtpu = udp + UdpView.LENGTH;
        boolean isGtpu = destination == n3Ipv4
                && octet(start + PROTOCOL) == Ipv4View.UDP
                && (half(start + FLAGS_AND_OFFSET) & 0x3fff) == 0
                && udp >= start + Ipv4View.MINIMUM_LENGTH
                && end - gtpu >= GtpuView.MINIMUM_LENGTH
                && half(udp + 2) == GtpuView.PORT;
        if (!isGtpu) {
            return workerOfUe(destination, workers);
        }
        long inner = innerOf(gtpu, end);
        if (inner == 0) {
            return workerOfTeid(word(gtpu + GTPU_TEID), workers);
        }
        return workerOfUe(word(inner + SOURCE), workers);
    }

    /** Start of the inner IPv4 packet with 20 octets there, or 0. */
    private static long innerOf(long gtpu, long end) {
        int flags = octet(gtpu);
        if (flags >>> 4 != 3 || octet(gtpu + 1) != GtpuView.G_PDU) {
            return 0;
        }
        long inner = gtpu + GtpuView.MINIMUM_LENGTH;
        if ((flags & 7) != 0) {
            inner += GtpuView.OPTIONAL_LENGTH;
            if (inner > end) {
                return 0;
            }
            int type = (flags & 4) != 0 ? octet(gtpu + GTPU_NEXT_EXTENSION) : 0;
            if (type != 0) {
                if (type != GtpuView.PDU_SESSION_CONTAINER || inner >= end) {
                    return 0;
                }
                int length = octet(inner) << 2;
                if (length == 0 || length > LONGEST_CONTAINER || length > end - inner) {
                    return 0;
                }
                inner += length;
                if (octet(inner - 1) != 0) {
                    return 0;
                }
            }
        }
        return end - inner >= Ipv4View.MINIMUM_LENGTH && octet(inner) >>> 4 == 4 ? inner : 0;
    }

    private static int octet(long address) {
        return Byte.toUnsignedInt(Native.MEMORY.get(Native.BYTE, address & Native.MASK));
    }

    private static int half(long address) {
        return Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, address & Native.MASK));
    }

    private static int word(long address) {
        return Native.MEMORY.get(Native.BE_INT, address & Native.MASK);
    }
}
