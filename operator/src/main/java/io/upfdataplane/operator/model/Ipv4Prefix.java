package io.upfdataplane.operator.model;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An IPv4 address with a prefix length; {@code address} keeps its host bits. */
public record Ipv4Prefix(int address, int length) {
    private static final Pattern DOTTED = Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");

    /** Reads {@code a.b.c.d/len}; empty when it is none. */
    public static Optional<Ipv4Prefix> parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || !text.substring(slash + 1).matches("0|[1-9]|[12]\\d|3[0-2]")) {
            return Optional.empty();
        }
        int length = Integer.parseInt(text.substring(slash + 1));
        return parseAddress(text.substring(0, slash)).map(address -> new Ipv4Prefix(address, length));
    }

    /** Reads {@code a.b.c.d}, without leading zeros as the API server wants it; empty when it is none. */
    public static Optional<Integer> parseAddress(String text) {
        Matcher matcher = DOTTED.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int address = 0;
        for (int group = 1; group <= 4; group++) {
            String part = matcher.group(group);
            int octet = Integer.parseInt(part);
            if (octet > 255 || part.length() > 1 && part.startsWith("0")) {
                return Optional.empty();
            }
            address = address << 8 | octet;
        }
        return Optional.of(address);
    }

    public boolean contains(int other) {
        return ((address ^ other) & mask()) == 0;
    }

    /** Whether this prefix holds all of {@code other}. */
    public boolean contains(Ipv4Prefix other) {
        return other.length >= length && contains(other.address);
    }

    public boolean hasHostBits() {
        return (address & ~mask()) != 0;
    }

    /** The address alone, as text. */
    public String host() {
        return (address >>> 24) + "." + (address >>> 16 & 255) + "." + (address >>> 8 & 255) + "." + (address & 255);
    }

    private int mask() {
        return length == 0 ? 0 : -1 << 32 - length;
    }

    @Override
    public String toString() {
        return host() + "/" + length;
    }
}
