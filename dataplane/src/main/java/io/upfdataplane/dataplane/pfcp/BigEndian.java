package io.upfdataplane.dataplane.pfcp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Network byte order in arrays. Callers have checked the bounds. */
final class BigEndian {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    static int u16(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at) & 0xffff;
    }

    static int u24(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 16 | u16(bytes, at + 1);
    }

    static int u32(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    static long u64(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static void put16(byte[] bytes, int at, int value) {
        SHORT.set(bytes, at, (short) value);
    }

    static void put32(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    static void put64(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }
}
