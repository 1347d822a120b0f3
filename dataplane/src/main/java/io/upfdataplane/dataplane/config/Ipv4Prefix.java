package io.upfdataplane.dataplane.config;

import org.jspecify.annotations.Nullable;

/**
 * An IPv4 address with the length of its prefix. For an interface the address is the interface's own; {@link #network()}
 * has the host bits off.
 */
public record Ipv4Prefix(Ipv4Address address, int length) {

    /** The prefix that {@code text} spells as {@code a.b.c.d/n}, or null. */
    public static @Nullable Ipv4Prefix parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return null;
        }
        Ipv4Address address = Ipv4Address.parse(text.substring(0, slash));
        String digits = text.substring(slash + 1);
        if (address == null || !digits.matches("0|[1-9][0-9]?")) {
            return null;
        }
        int length = Integer.parseInt(digits);
        return length <= 32 ? new Ipv4Prefix(address, length) : null;
    }

    public int mask() {
        return length == 0 ? 0 : -1 << (32 - length);
    }

    public Ipv4Prefix network() {
        return new Ipv4Prefix(new Ipv4Address(address.bits() & mask()), length);
    }

    public boolean contains(Ipv4Address other) {
        return ((address.bits() ^ other.bits()) & mask()) == 0;
    }

    public boolean overlaps(Ipv4Prefix other) {
        return length <= other.length ? contains(other.address) : other.contains(address);
    }

    @Override
    public String toString() {
        return address + "/" + length;
    }
}
