package io.upfdataplane.dataplane.pfcp;

import org.jspecify.annotations.Nullable;

/**
 * UE IP Address (TS 29.244 §8.2.62). Its S/D flag is not kept: the source interface says which side the UE is on, and
 * clients set the flag as they like.
 *
 * @param ipv4 in host order
 * @param chooseIpv4 the UP function is asked to choose (CHV4)
 * @param chooseIpv6 likewise (CHV6)
 */
public record UeIpAddress(@Nullable Integer ipv4, boolean ipv6, boolean chooseIpv4, boolean chooseIpv6) {
    private static final int V6 = 0x01;
    private static final int V4 = 0x02;
    private static final int IPV6_PREFIX_DELEGATION = 0x08;
    private static final int CHV4 = 0x10;
    private static final int CHV6 = 0x20;
    private static final int IPV6_PREFIX_LENGTH = 0x40;

    static UeIpAddress read(IeReader ie) throws PfcpFault {
        int flags = ie.u8(0);
        if ((flags & (V4 | V6 | CHV4 | CHV6)) == 0) {
            throw PfcpFault.incorrect(IeType.UE_IP_ADDRESS, "UE IP Address names no address");
        }
        int at = 1;
        Integer ipv4 = null;
        if ((flags & V4) != 0) {
            ipv4 = ie.s32(at);
            at += 4;
        }
        if ((flags & V6) != 0) {
            at += 16;
        }
        if ((flags & IPV6_PREFIX_DELEGATION) != 0) {
            at++;
        }
        if ((flags & IPV6_PREFIX_LENGTH) != 0) {
            at++;
        }
        ie.need(0, at);
        return new UeIpAddress(ipv4, (flags & V6) != 0, (flags & CHV4) != 0, (flags & CHV6) != 0);
    }
}
