package io.upfdataplane.dataplane.pfcp;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * SDF Filter (TS 29.244 §8.2.5).
 *
 * @param flowDescription null when the filter has none; empty when it is there and says nothing
 * @param otherMatches it also asks for a ToS, SPI or flow label
 * @param id SDF Filter ID, null for none
 */
public record SdfFilterIe(
        @Nullable String flowDescription,
        boolean otherMatches,
        @Nullable Long id) {
    private static final int FD = 0x01;
    private static final int TTC = 0x02;
    private static final int SPI = 0x04;
    private static final int FL = 0x08;
    private static final int BID = 0x10;

    static SdfFilterIe read(IeReader ie) throws PfcpFault {
        int flags = ie.u8(0);
        ie.need(1, 1);
        int at = 2;
        String description = null;
        if ((flags & FD) != 0) {
            int length = ie.u16(at);
            at += 2;
            if (length > ie.length() - at) {
                throw PfcpFault.incorrect(
                        IeType.SDF_FILTER,
                        "flow description of " + length + " bytes in an SDF filter that has " + (ie.length() - at));
            }
            description = new String(ie.bytes(at, length), StandardCharsets.ISO_8859_1);
            at += length;
        }
        at += ((flags & TTC) != 0 ? 2 : 0) + ((flags & SPI) != 0 ? 4 : 0) + ((flags & FL) != 0 ? 3 : 0);
        ie.need(0, at);
        Long id = (flags & BID) != 0 ? (Long) ie.u32(at) : null;
        return new SdfFilterIe(description, (flags & (TTC | SPI | FL)) != 0, id);
    }
}
