package io.upfdataplane.dataplane.pfcp;

import java.util.Optional;

/**
 * A PFCP header (TS 29.244 §7.2.2), as read from a datagram. Immutable, any thread.
 *
 * <pre>
 * version(3) spare(2) FO MP S | type | length(16) | [SEID(64)] | sequence(24) | spare(8)
 * </pre>
 *
 * @param seid 0 when the header has none
 * @param sequence 24 bits
 * @param bodyStart offset of the first IE
 * @param bodyEnd offset behind the last; what follows in the datagram is not ours to read
 */
public record PfcpHeader(int version, int type, boolean hasSeid, long seid, int sequence, int bodyStart, int bodyEnd) {
    public static final int VERSION = 1;
    private static final int SEID_FLAG = 0x01;
    private static final int TYPE = 1;
    private static final int LENGTH = 2;
    private static final int AFTER_LENGTH = 4;
    private static final int SEID_BYTES = 8;
    private static final int SEQUENCE_BYTES = 4;

    /** Empty when the datagram is not well framed: too short, or shorter than its header announces. */
    public static Optional<PfcpHeader> read(byte[] datagram, int length) {
        if (length < AFTER_LENGTH + SEQUENCE_BYTES) {
            return Optional.empty();
        }
        boolean hasSeid = (datagram[0] & SEID_FLAG) != 0;
        int end = AFTER_LENGTH + BigEndian.u16(datagram, LENGTH);
        int sequenceAt = AFTER_LENGTH + (hasSeid ? SEID_BYTES : 0);
        if (end > length || end < sequenceAt + SEQUENCE_BYTES) {
            return Optional.empty();
        }
        return Optional.of(new PfcpHeader(
                (datagram[0] & 0xff) >>> 5,
                datagram[TYPE] & 0xff,
                hasSeid,
                hasSeid ? BigEndian.u64(datagram, AFTER_LENGTH) : 0,
                BigEndian.u24(datagram, sequenceAt),
                sequenceAt + SEQUENCE_BYTES,
                end));
    }
}
