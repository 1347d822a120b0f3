package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/**
 * View of a GTP-U header with its optional fields and extension headers (TS 29.281 §5.1, §5.2). Once moved without a
 * fault, the header, every extension header and the announced payload lie within the bytes given. It owns no memory; one
 * thread moves and reads it.
 *
 * <pre>
 *  0 version, PT, E, S, PN | 1 message type | 2 length (of what follows octet 7) | 4 TEID
 *  with E, S or PN: 8 sequence number | 10 N-PDU number | 11 next extension header type
 *  each extension header: length in 4 octets 1 | content | next extension header type 1
 * </pre>
 */
public final class GtpuView {
    public static final int PORT = 2152;
    public static final int MINIMUM_LENGTH = 8;
    public static final int OPTIONAL_LENGTH = 4;

    /** Message types (TS 29.281 §6.1). */
    public static final int ECHO_REQUEST = 1;

    public static final int ECHO_RESPONSE = 2;
    public static final int ERROR_INDICATION = 26;
    public static final int SUPPORTED_EXTENSION_HEADERS = 31;
    public static final int END_MARKER = 254;
    public static final int G_PDU = 255;

    /** PDU Session Container (TS 29.281 §5.2.2.7, TS 38.415 §5.5.2). */
    public static final int PDU_SESSION_CONTAINER = 0x85;

    /** The packet carries no QoS flow identifier. */
    public static final int NO_QFI = -1;

    /** Version 1, protocol type GTP. */
    private static final int VERSION_AND_TYPE = 0xf0;

    private static final int VERSION_1_GTP = 0x30;
    private static final int ANY_OPTIONAL = 0x07;
    private static final int HAS_EXTENSION = 0x04;
    private static final int HAS_SEQUENCE = 0x02;

    private static final int SEQUENCE = 8;
    private static final int NEXT_EXTENSION = 11;

    /** The receiving endpoint has to understand it or refuse the packet (TS 29.281 §5.2.1, bits 8 and 7). */
    private static final int COMPREHENSION_REQUIRED = 0x80;

    private static final int PDCP_PDU_NUMBER = 0xc0;
    private static final int LONG_PDCP_PDU_NUMBER = 0x82;

    /** What is wrong with a header. */
    public enum Fault {
        NONE,
        /** Header or announced payload passes the end. */
        LENGTH,
        /** Not version 1, or GTP'. */
        VERSION,
        /** An extension header of length 0, or a chain that passes the end. */
        EXTENSION,
        /** An extension header that has to be understood and is not. */
        EXTENSION_UNKNOWN
    }

    private long start;
    private long payload;
    private long end;
    private int first;
    private int teid;
    private int qfi;

    /** Moves to {@code start} and says what is wrong. After any fault nothing may be read. */
    public Fault moveTo(long start, long limit) {
        this.start = start;
        if (limit - start < MINIMUM_LENGTH) {
            return Fault.LENGTH;
        }
        long header = Native.MEMORY.get(Native.BE_LONG, at(0));
        first = (int) (header >>> 32);
        teid = (int) header;
        qfi = NO_QFI;
        payload = start + MINIMUM_LENGTH;
        end = payload + (first & 0xffff);
        if ((first >>> 24 & VERSION_AND_TYPE) != VERSION_1_GTP) {
            return Fault.VERSION;
        }
        if (end > limit) {
            return Fault.LENGTH;
        }
        if ((first >>> 24 & ANY_OPTIONAL) == 0) {
            return Fault.NONE;
        }
        return walk();
    }

    private Fault walk() {
        payload += OPTIONAL_LENGTH;
        if (payload > end) {
            return Fault.LENGTH;
        }
        if ((first >>> 24 & HAS_EXTENSION) == 0) {
            return Fault.NONE;
        }
        int type = octet(start + NEXT_EXTENSION);
        // Every turn moves forward by at least 4 octets towards the end, so a chain cannot turn for ever.
        while (type != 0) {
            if (payload >= end) {
                return Fault.EXTENSION;
            }
            int length = octet(payload) << 2;
            if (length == 0 || length > end - payload) {
                return Fault.EXTENSION;
            }
            if (type == PDU_SESSION_CONTAINER) {
                qfi = octet(payload + 2) & 0x3f;
            } else if ((type & COMPREHENSION_REQUIRED) != 0
                    && type != PDCP_PDU_NUMBER
                    && type != LONG_PDCP_PDU_NUMBER) {
                return Fault.EXTENSION_UNKNOWN;
            }
            payload += length;
            type = octet(payload - 1);
        }
        return Fault.NONE;
    }

    public int messageType() {
        return first >>> 16 & 0xff;
    }

    public int teid() {
        return teid;
    }

    /** Sequence number, 0 when there is none. */
    public int sequence() {
        return (first >>> 24 & HAS_SEQUENCE) == 0
                ? 0
                : Short.toUnsignedInt(Native.MEMORY.get(Native.BE_SHORT, at(SEQUENCE)));
    }

    /** QoS flow identifier of the PDU Session Container, or {@link #NO_QFI}. */
    public int qfi() {
        return qfi;
    }

    /** First octet after all headers. */
    public long payload() {
        return payload;
    }

    /** First octet after the payload. */
    public long end() {
        return end;
    }

    private long at(int offset) {
        return (start & Native.MASK) + offset;
    }

    private static int octet(long address) {
        return Byte.toUnsignedInt(Native.MEMORY.get(Native.BYTE, address & Native.MASK));
    }
}
