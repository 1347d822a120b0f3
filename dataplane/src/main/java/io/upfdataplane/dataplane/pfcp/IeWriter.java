package io.upfdataplane.dataplane.pfcp;

import java.util.Arrays;

/** Writes IEs and nested groups into a buffer that grows. One thread. */
final class IeWriter {
    private static final int DEEPEST = 4;
    private byte[] bytes = new byte[256];
    private int size;
    private final int[] open = new int[DEEPEST];
    private int depth;

    /** Opens an IE or a group; its length is filled in by {@link #end}. */
    IeWriter begin(int type) {
        u16(type);
        open[depth++] = size;
        return u16(0);
    }

    IeWriter end() {
        int lengthAt = open[--depth];
        BigEndian.put16(bytes, lengthAt, size - lengthAt - 2);
        return this;
    }

    IeWriter u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    IeWriter u16(int value) {
        room(2);
        BigEndian.put16(bytes, size, value);
        size += 2;
        return this;
    }

    IeWriter u32(int value) {
        room(4);
        BigEndian.put32(bytes, size, value);
        size += 4;
        return this;
    }

    IeWriter u64(long value) {
        room(8);
        BigEndian.put64(bytes, size, value);
        size += 8;
        return this;
    }

    IeWriter bytes(byte[] value) {
        room(value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
        return this;
    }

    void putLength(int at) {
        BigEndian.put16(bytes, at, size - at - 2);
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}
