package io.upfdataplane.dataplane.pfcp;

import org.jspecify.annotations.Nullable;

/**
 * The F-TEID of a PDI (TS 29.244 §8.2.3): given, or ours to choose.
 *
 * @param chooseId the same id in a session means the same TEID; −1 for none
 * @param teid when given
 * @param ipv4 in host order, when given and with one
 */
public record LocalFTeid(
        boolean choose,
        boolean v4,
        boolean v6,
        int chooseId,
        int teid,
        @Nullable Integer ipv4) {
    private static final int V4 = 0x01;
    private static final int V6 = 0x02;
    private static final int CHOOSE = 0x04;
    private static final int CHOOSE_ID = 0x08;

    static LocalFTeid read(IeReader ie) throws PfcpFault {
        int flags = ie.u8(0);
        boolean v4 = (flags & V4) != 0;
        boolean v6 = (flags & V6) != 0;
        if ((flags & CHOOSE) != 0) {
            // SD-Core sets neither V4 nor V6: IPv4 is meant.
            int id = (flags & CHOOSE_ID) != 0 ? ie.u8(1) : -1;
            return new LocalFTeid(true, v4 || !v6, v6, id, 0, null);
        }
        if (!v4 && !v6) {
            throw PfcpFault.incorrect(IeType.F_TEID, "F-TEID has neither an address nor CHOOSE");
        }
        int teid = ie.s32(1);
        Integer ipv4 = v4 ? (Integer) ie.s32(5) : null;
        if (v6) {
            ie.need(v4 ? 9 : 5, 16);
        }
        return new LocalFTeid(false, v4, v6, -1, teid, ipv4);
    }

    /** Writes a chosen IPv4 F-TEID, as a Created PDR has it. */
    static void write(IeWriter out, int teid, int ipv4) {
        out.begin(IeType.F_TEID).u8(V4).u32(teid).u32(ipv4).end();
    }
}
