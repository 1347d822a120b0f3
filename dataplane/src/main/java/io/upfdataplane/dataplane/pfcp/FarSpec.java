package io.upfdataplane.dataplane.pfcp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A FAR as a Create FAR or an Update FAR has it (TS 29.244 §7.5.2.3, §7.5.4.3). What an update leaves out is null and
 * stays as it was.
 *
 * @param applyAction the flags of §8.2.26, first octet lowest
 * @param others types of the IEs in it that this record does not hold
 */
public record FarSpec(
        long id,
        @Nullable Integer applyAction,
        @Nullable ForwardingParameters parameters,
        @Nullable Integer barId,
        List<Integer> others) {
    public static final int DROP = 0x01;
    public static final int FORW = 0x02;
    public static final int BUFF = 0x04;
    public static final int NOCP = 0x08;

    /**
     * Forwarding Parameters or Update Forwarding Parameters.
     *
     * @param destinationInterface value of §8.2.24
     * @param networkInstance lower case
     * @param requestFlags PFCPSMReq-Flags, 0 when absent
     */
    public record ForwardingParameters(
            @Nullable Integer destinationInterface,
            @Nullable String networkInstance,
            @Nullable OuterHeader outerHeaderCreation,
            int requestFlags,
            List<Integer> others) {}

    /**
     * Outer Header Creation (§8.2.56).
     *
     * @param description the two octets, first one highest
     * @param ipv4 in host order; 0 when the description has no IPv4 address
     */
    public record OuterHeader(int description, int teid, int ipv4) {
        public static final int GTPU_UDP_IPV4 = 0x0100;
        private static final int TEID = 0x0300;
        private static final int IPV4 = 0x1500;
        private static final int IPV6 = 0x2a00;
        private static final int PORT = 0x0c00;
        private static final int C_TAG = 0x4000;
        private static final int S_TAG = 0x8000;

        static OuterHeader read(IeReader ie) throws PfcpFault {
            int description = ie.u16(0);
            int at = 2;
            int teid = 0;
            int ipv4 = 0;
            if ((description & TEID) != 0) {
                teid = ie.s32(at);
                at += 4;
            }
            if ((description & IPV4) != 0) {
                ipv4 = ie.s32(at);
                at += 4;
            }
            at += ((description & IPV6) != 0 ? 16 : 0)
                    + ((description & PORT) != 0 ? 2 : 0)
                    + ((description & C_TAG) != 0 ? 3 : 0)
                    + ((description & S_TAG) != 0 ? 3 : 0);
            ie.need(0, at);
            return new OuterHeader(description, teid, ipv4);
        }
    }

    /** PFCPSMReq-Flags (§8.2.49). */
    public static final class RequestFlags {
        public static final int DROBU = 0x01;
        public static final int SNDEM = 0x02;
        public static final int QAURR = 0x04;

        private RequestFlags() {}
    }
}
