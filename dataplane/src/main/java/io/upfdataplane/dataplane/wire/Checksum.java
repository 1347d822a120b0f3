package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/**
 * The Internet checksum (RFC 1071) of IPv4, TCP and UDP. Sums are kept in any number of bits and folded at the end. Any
 * thread.
 */
public final class Checksum {
    private static final int IPV4_CHECKSUM = 10;
    private static final int IPV4_ADDRESSES = 12;
    private static final int TCP_CHECKSUM = 16;
    private static final int UDP_CHECKSUM = 6;
    private static final int TCP_MINIMUM_LENGTH = 20;

    private Checksum() {}

    /** Sum of the 16-bit words of {@code length} octets; an odd last octet counts as the upper half of a word. */
    public static long sum(long start, long length) {
        long address = start & Native.MASK;
        long sum = 0;
        long left = length;
        while (left >= 8) {
            long word = Native.MEMORY.get(Native.BE_LONG, address & Native.MASK);
            sum += (word >>> 32) + (word & 0xffff_ffffL);
            address += 8;
            left -= 8;
        }
        while (left >= 2) {
            sum += Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, address & Native.MASK));
            address += 2;
            left -= 2;
        }
        if (left == 1) {
            sum += Byte.toUnsignedInt(Native.MEMORY.get(Native.BYTE, address & Native.MASK)) << 8;
        }
        return sum;
    }

    /** Folds a sum to 16 bits; not complemented. */
    public static int fold(long sum) {
        long folded = (sum >>> 32) + (sum & 0xffff_ffffL);
        folded = (folded >>> 16) + (folded & 0xffff);
        folded = (folded >>> 16) + (folded & 0xffff);
        folded = (folded >>> 16) + (folded & 0xffff);
        return (int) folded;
    }

    /** The checksum of an IPv4 header, taken with its checksum field as zero. */
    public static int ofIpv4Header(long start, int headerLength) {
        long stored = half(start + IPV4_CHECKSUM);
        return ~fold(sum(start, headerLength) + (~stored & 0xffff)) & 0xffff;
    }

    /** Writes the right checksum into an IPv4 header. */
    public static void writeIpv4Header(long start, int headerLength) {
        putHalf(start + IPV4_CHECKSUM, 0);
        putHalf(start + IPV4_CHECKSUM, ~fold(sum(start, headerLength)) & 0xffff);
    }

    /** True when the header's words, checksum included, add up to all ones. */
    public static boolean isIpv4HeaderRight(long start, int headerLength) {
        return fold(sum(start, headerLength)) == 0xffff;
    }

    /** Sum of the pseudo-header of TCP and UDP over IPv4: addresses, protocol, length of header and payload. */
    public static long pseudoHeader(long ipv4Start, int protocol, long segmentLength) {
        return sum(ipv4Start + IPV4_ADDRESSES, 8) + protocol + segmentLength;
    }

    /** The full checksum of a TCP or UDP segment; its checksum field is left out. Never 0 for UDP (RFC 768). */
    public static int ofSegment(long ipv4Start, int protocol, long segment, long length) {
        int field = protocol == Ipv4View.TCP ? TCP_CHECKSUM : UDP_CHECKSUM;
        long sum = pseudoHeader(ipv4Start, protocol, length)
                + sum(segment, field)
                + sum(segment + field + 2, length - field - 2);
        int checksum = ~fold(sum) & 0xffff;
        return protocol == Ipv4View.UDP && checksum == 0 ? 0xffff : checksum;
    }

    /**
     * Completes the TCP or UDP checksum of the IPv4 packet at {@code start} when it is an unfinished one: a sender with
     * transmit checksum offload leaves the pseudo-header's sum there. Where the right checksum happens to equal that sum
     * the same value is written again.
     *
     * @return true when a checksum was completed; false when there was nothing to do, for whatever reason
     */
    public static boolean complete(long start, long end, Ipv4View ip) {
        if (!ip.moveTo(start, end) || ip.isFragment()) {
            return false;
        }
        int protocol = ip.protocol();
        long segment = ip.payload();
        long length = ip.end() - segment;
        int field;
        if (protocol == Ipv4View.TCP && length >= TCP_MINIMUM_LENGTH) {
            field = TCP_CHECKSUM;
        } else if (protocol == Ipv4View.UDP && length >= UdpView.LENGTH) {
            field = UDP_CHECKSUM;
        } else {
            return false;
        }
        int found = half(segment + field);
        if (found != fold(pseudoHeader(start, protocol, length))) {
            return false;
        }
        putHalf(segment + field, ofSegment(start, protocol, segment, length));
        return true;
    }

    private static int half(long address) {
        return Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, address & Native.MASK));
    }

    private static void putHalf(long address, int value) {
        Native.MEMORY.set(Native.BE_SHORT, address & Native.MASK, (short) value);
    }
}
