package io.upfdataplane.dataplane.pfcp;

import org.jspecify.annotations.Nullable;

/**
 * Fully qualified session endpoint identifier (TS 29.244 §8.2.37).
 *
 * @param ipv4 host order; null when only an IPv6 address came with it
 */
public record FSeid(long seid, @Nullable Integer ipv4) {
    private static final int V6 = 0x01;
    private static final int V4 = 0x02;

    static FSeid read(IeReader ie) throws PfcpFault {
        int flags = ie.u8(0);
        if ((flags & (V4 | V6)) == 0) {
            throw PfcpFault.incorrect(IeType.F_SEID, "F-SEID has no address");
        }
        long seid = ie.u64(1);
        Integer ipv4 = null;
        int at = 9;
        if ((flags & V4) != 0) {
            ipv4 = ie.s32(at);
            at += 4;
        }
        if ((flags & V6) != 0) {
            ie.need(at, 16);
        }
        return new FSeid(seid, ipv4);
    }

    void write(IeWriter out) {
        out.begin(IeType.F_SEID);
        out.u8(ipv4 == null ? 0 : V4).u64(seid);
        if (ipv4 != null) {
            out.u32(ipv4);
        }
        out.end();
    }
}
