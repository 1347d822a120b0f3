package io.upfdataplane.dataplane.config;

import org.jspecify.annotations.Nullable;

/** An IPv4 address, its bits in host order. */
public record Ipv4Address(int bits) {

    /** The address that {@code text} spells in dotted decimal without leading zeros, or null. */
    public static @Nullable Ipv4Address parse(String text) {
        int bits = 0;
        int start = 0;
        for (int part = 0; part < 4; part++) {
            int end = part == 3 ? text.length() : text.indexOf('.', start);
            int octet = end < 0 ? -1 : octet(text, start, end);
            if (octet < 0) {
                return null;
            }
            bits = bits << 8 | octet;
            start = end + 1;
        }
        return new Ipv4Address(bits);
    }

    private static int octet(String text, int start, int end) {
        int digits = end - start;
        // A leading zero means octal to some readers: refused rather than guessed.
        if (digits < 1 || digits > 3 || (digits > 1 && text.charAt(start) == '0')) {
            return -1;
        }
        int value = 0;
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = value * 10 + c - '0';
        }
        return value <= 255 ? value : -1;
    }

    /** An address that a host can have: not 0.0.0.0/8, loopback apart, not multicast, not reserved. */
    public boolean isHost() {
        int first = bits >>> 24;
        return first != 0 && first < 224;
    }

    @Override
    public String toString() {
        return (bits >>> 24) + "." + (bits >>> 16 & 0xff) + "." + (bits >>> 8 & 0xff) + "." + (bits & 0xff);
    }
}
