package io.upfdataplane.dataplane.apply;

/**
 * A leg's own device, as its packets show it.
 *
 * @param mac link-layer address, 48 bits, first octet highest
 * @param ipv4 the leg's address in host order: on N3, the source of outer headers
 * @param mtuBytes largest IP packet
 */
public record Link(long mac, int ipv4, int mtuBytes) {
    private static final int VERSION_AND_HEADER_LENGTH = 0x4500;
    private static final int TTL_AND_PROTOCOL = 64 << 8 | 17;

    /** The device is not known yet: nothing can be sent. */
    public static final Link UNKNOWN = new Link(0, 0, 0);

    /** Sum of the words of an outer IPv4 header that are the same for every packet from here. */
    int outerHeaderSum() {
        return VERSION_AND_HEADER_LENGTH + TTL_AND_PROTOCOL + (ipv4 >>> 16) + (ipv4 & 0xffff);
    }
}
