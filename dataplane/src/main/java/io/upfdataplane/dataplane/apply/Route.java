package io.upfdataplane.dataplane.apply;

import org.jspecify.annotations.Nullable;

/**
 * An IPv4 route of a leg.
 *
 * @param prefix host order
 * @param gateway host order; null when the destination itself is on the link
 */
public record Route(int prefix, int length, @Nullable Integer gateway) {
    public Route {
        if (length < 0 || length > 32) {
            throw new IllegalArgumentException("prefix length " + length + " is not within 0–32");
        }
        prefix &= maskOf(length);
    }

    static int maskOf(int length) {
        return length == 0 ? 0 : -1 << (32 - length);
    }
}
