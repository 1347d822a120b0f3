package io.upfdataplane.dataplane.memory;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Words of native memory that one thread writes and others read. Addresses are multiples of eight. Any thread.
 */
public final class Shared {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    /** As {@link Native#MASK}, and lets the compiler drop the check of alignment too. */
    private static final long ALIGNED = Native.MASK & ~7L;

    private Shared() {}

    /** Reads a word; what its writer wrote before it is seen as well. */
    public static long getAcquire(long address) {
        return (long) WORD.getAcquire(Native.MEMORY, address & ALIGNED);
    }

    /** Writes a word after all that this thread wrote before it. */
    public static void setRelease(long address, long value) {
        WORD.setRelease(Native.MEMORY, address & ALIGNED, value);
    }
}
