package io.upfdataplane.dataplane.apply;

import io.upfdataplane.dataplane.memory.Native;

/**
 * Maximum bit rate of one QER in one direction (TS 29.244 §5.4.4). Two words that only the session's worker writes:
 * tokens, and the time of the last look in ns. A token is a millionth of a bit: one kbit/s earns exactly one token a
 * nanosecond, so nothing is rounded and nothing drifts. A packet passes while there are tokens and may overdraw them, so
 * a packet larger than the depth passes too and the rate still holds in the long run.
 */
final class TokenBucket {
    private static final int LAST_NS = 8;
    private static final long TOKENS_PER_BYTE = 8_000_000;

    /** Depth: what is earned in this time, at least {@link #SHALLOWEST_BYTES}. */
    private static final long DEPTH_NS = 50_000_000;

    private static final long SHALLOWEST_BYTES = 3000;

    /** Time that is looked back at most. */
    private static final long LONGEST_NS = 8_000_000_000L;

    /** From here on (1 Tbit/s) the product with the time might not fit, and no device gets there: no limit. */
    private static final long UNLIMITED_KBPS = 1_000_000_000L;

    private TokenBucket() {}

    /** The only bucket of a packet: {@link #earn}, and {@link #spend} when the packet may pass. */
    static boolean take(long bucket, long rateKbps, long nowNs, int lengthBytes) {
        if (rateKbps >= UNLIMITED_KBPS) {
            return true;
        }
        long address = bucket & Native.MASK;
        long tokens = earned(address, rateKbps, nowNs);
        long cost = tokens > 0 ? lengthBytes * TOKENS_PER_BYTE : 0;
        Native.MEMORY.set(Native.LONG, address, tokens - cost);
        Native.MEMORY.set(Native.LONG, address + LAST_NS, nowNs);
        return tokens > 0;
    }

    /** Earns what is due until {@code nowNs}; true while a packet may pass. */
    static boolean earn(long bucket, long rateKbps, long nowNs) {
        if (rateKbps >= UNLIMITED_KBPS) {
            return true;
        }
        long address = bucket & Native.MASK;
        long tokens = earned(address, rateKbps, nowNs);
        Native.MEMORY.set(Native.LONG, address, tokens);
        Native.MEMORY.set(Native.LONG, address + LAST_NS, nowNs);
        return tokens > 0;
    }

    private static long earned(long address, long rateKbps, long nowNs) {
        long last = Native.MEMORY.get(Native.LONG, address + LAST_NS);
        if (last == 0) {
            return SHALLOWEST_BYTES * TOKENS_PER_BYTE;
        }
        // A slow rate fills its bucket in more than DEPTH_NS; a fast one must not overflow the product.
        long earned = Math.min(Math.max(nowNs - last, 0), LONGEST_NS) * rateKbps;
        long depth = Math.max(DEPTH_NS * rateKbps, SHALLOWEST_BYTES * TOKENS_PER_BYTE);
        return Math.min(Native.MEMORY.get(Native.LONG, address) + earned, depth);
    }

    static void spend(long bucket, int lengthBytes) {
        long address = bucket & Native.MASK;
        long tokens = Native.MEMORY.get(Native.LONG, address);
        Native.MEMORY.set(Native.LONG, address, tokens - lengthBytes * TOKENS_PER_BYTE);
    }
}
