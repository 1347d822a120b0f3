package io.upfdataplane.dataplane.pfcp;

import java.util.Arrays;

/**
 * Walks the IEs of a message or of a group, never past its end (TS 29.244 §8.1.1: type(16) length(16) value). One thread.
 * Every read inside an IE is checked against the IE's own length.
 */
final class IeReader {
    private static final int HEADER_BYTES = 4;
    private final byte[] bytes;
    private final int end;
    private final int enclosingIe;
    private int next;
    private int type;
    private int start;
    private int length;

    IeReader(byte[] bytes, int start, int end, int enclosingIe) {
        this.bytes = bytes;
        this.next = start;
        this.end = end;
        this.enclosingIe = enclosingIe;
    }

    /** Moves to the next IE; false behind the last. */
    boolean next() throws PfcpFault {
        if (next == end) {
            return false;
        }
        if (end - next < HEADER_BYTES) {
            int offending = end - next >= 2 ? BigEndian.u16(bytes, next) : enclosingIe;
            throw new PfcpFault(Cause.INVALID_LENGTH, offending, "an IE header is cut short");
        }
        type = BigEndian.u16(bytes, next);
        length = BigEndian.u16(bytes, next + 2);
        start = next + HEADER_BYTES;
        if (length > end - start) {
            throw new PfcpFault(
                    Cause.INVALID_LENGTH,
                    type,
                    "IE " + type + " announces " + length + " bytes, " + (end - start) + " are left");
        }
        next = start + length;
        return true;
    }

    int type() {
        return type;
    }

    int length() {
        return length;
    }

    /** The IEs inside the present one. */
    IeReader group() {
        return new IeReader(bytes, start, start + length, type);
    }

    int u8(int offset) throws PfcpFault {
        need(offset, 1);
        return bytes[start + offset] & 0xff;
    }

    int u16(int offset) throws PfcpFault {
        need(offset, 2);
        return BigEndian.u16(bytes, start + offset);
    }

    int s32(int offset) throws PfcpFault {
        need(offset, 4);
        return BigEndian.u32(bytes, start + offset);
    }

    long u32(int offset) throws PfcpFault {
        return Integer.toUnsignedLong(s32(offset));
    }

    long u40(int offset) throws PfcpFault {
        need(offset, 5);
        return (long) (bytes[start + offset] & 0xff) << 32
                | Integer.toUnsignedLong(BigEndian.u32(bytes, start + offset + 1));
    }

    long u64(int offset) throws PfcpFault {
        need(offset, 8);
        return BigEndian.u64(bytes, start + offset);
    }

    byte[] bytes(int offset, int count) throws PfcpFault {
        need(offset, count);
        return Arrays.copyOfRange(bytes, start + offset, start + offset + count);
    }

    /** Refuses the present IE when it is shorter than {@code offset + count}. */
    void need(int offset, int count) throws PfcpFault {
        if (offset + count > length) {
            throw new PfcpFault(
                    Cause.INVALID_LENGTH,
                    type,
                    "IE " + type + " has " + length + " bytes, at least " + (offset + count) + " needed");
        }
    }
}
