package io.upfdataplane.dataplane.session;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Every session, flat: images in off-heap blocks, found by their SEID. The low half of a SEID is a slot, the high half is
 * drawn anew for each session, so that a SEID of an earlier session or an earlier process finds nothing. Control thread.
 */
final class SessionStore {
    private static final int NOBODY = -1;
    private static final long NO_BLOCK = -1;
    private final long[] seids;
    private final long[] blocks;
    private final int[] lengths;
    private final int[] peers;
    private final int[] freeSlots;
    private int free;
    private int size;
    private final SplittableRandom random;
    private final Blocks memory = new Blocks();
    private final SessionImage image = new SessionImage();

    SessionStore(int maxSessions, long seed) {
        seids = new long[maxSessions];
        blocks = new long[maxSessions];
        lengths = new int[maxSessions];
        peers = new int[maxSessions];
        freeSlots = new int[maxSessions];
        Arrays.fill(blocks, NO_BLOCK);
        Arrays.fill(peers, NOBODY);
        for (int i = 0; i < maxSessions; i++) {
            freeSlots[i] = maxSessions - 1 - i;
        }
        free = maxSessions;
        random = new SplittableRandom(seed);
    }

    boolean isFull() {
        return free == 0;
    }

    int size() {
        return size;
    }

    int slots() {
        return seids.length;
    }

    /** A SEID for a session to come: {@link #put} keeps the session, {@link #giveBack} ends the attempt. */
    long take() {
        int slot = freeSlots[--free];
        long seid = (long) (random.nextInt() | 1) << 32 | slot;
        seids[slot] = seid;
        return seid;
    }

    /** For a taken SEID whose session did not come to be. */
    void giveBack(long seid) {
        int slot = (int) seid;
        seids[slot] = 0;
        freeSlots[free++] = slot;
    }

    /** Keeps a session, new or changed. */
    void put(SessionRecord record) {
        int slot = (int) record.seid();
        ByteBuffer bytes = image.write(record);
        int length = bytes.remaining();
        if (blocks[slot] != NO_BLOCK) {
            memory.release(blocks[slot], lengths[slot]);
        } else {
            size++;
        }
        blocks[slot] = memory.take(length);
        lengths[slot] = length;
        memory.bytes(blocks[slot], length).put(bytes);
        peers[slot] = record.peer();
    }

    @Nullable
    SessionRecord find(long seid) {
        int slot = (int) seid;
        if (slot < 0 || slot >= seids.length || seids[slot] != seid || blocks[slot] == NO_BLOCK) {
            return null;
        }
        return SessionImage.read(memory.bytes(blocks[slot], lengths[slot]));
    }

    void remove(long seid) {
        int slot = (int) seid;
        memory.release(blocks[slot], lengths[slot]);
        blocks[slot] = NO_BLOCK;
        peers[slot] = NOBODY;
        size--;
        giveBack(seid);
    }

    /** The SEID in a slot if that peer owns it, else 0. */
    long ownedBy(int peer, int slot) {
        return peers[slot] == peer ? seids[slot] : 0;
    }

    /** Blocks of powers of two, carved from chunks; a freed block is used again for the same size. */
    private static final class Blocks {
        private static final int CHUNK_BYTES = 1 << 20;
        private static final int SMALLEST_SHIFT = 7;
        private static final int SIZES = 12;
        private final List<MemorySegment> chunks = new ArrayList<>();
        private final LongStack[] freeOf = new LongStack[SIZES];

        Blocks() {
            Arrays.setAll(freeOf, i -> new LongStack());
        }

        private static int sizeOf(int length) {
            return Math.max(0, 32 - Integer.numberOfLeadingZeros(length - 1) - SMALLEST_SHIFT);
        }

        long take(int length) {
            int size = sizeOf(length);
            if (freeOf[size].isEmpty()) {
                long chunk = (long) chunks.size() << 32;
                chunks.add(Arena.ofAuto().allocate(CHUNK_BYTES, 64));
                int step = 1 << (size + SMALLEST_SHIFT);
                for (int at = CHUNK_BYTES - step; at >= 0; at -= step) {
                    freeOf[size].push(chunk | at);
                }
            }
            return freeOf[size].pop();
        }

        void release(long block, int length) {
            freeOf[sizeOf(length)].push(block);
        }

        ByteBuffer bytes(long block, int length) {
            return chunks.get((int) (block >>> 32))
                    .asSlice(block & 0xffffffffL, length)
                    .asByteBuffer();
        }
    }

    private static final class LongStack {
        private long[] values = new long[64];
        private int size;

        boolean isEmpty() {
            return size == 0;
        }

        void push(long value) {
            if (size == values.length) {
                values = Arrays.copyOf(values, size * 2);
            }
            values[size++] = value;
        }

        long pop() {
            return values[--size];
        }
    }
}
