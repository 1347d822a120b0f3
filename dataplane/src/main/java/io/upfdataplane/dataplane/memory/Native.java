package io.upfdataplane.dataplane.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The native address space as one segment. An address is masked once with {@link #MASK}, which lets the compiler drop
 * the bounds check of every access made through it. Any thread.
 */
public final class Native {
    /** All memory of the process; index it with addresses. */
    public static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** User-space addresses have at most 47 bits. */
    public static final long MASK = 0x7fff_ffff_ffffL;

    public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Network byte order. */
    public static final ValueLayout.OfShort BE_SHORT = SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    public static final ValueLayout.OfInt BE_INT = INT.withOrder(ByteOrder.BIG_ENDIAN);
    public static final ValueLayout.OfLong BE_LONG = LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private Native() {}
}
