package io.upfdataplane.dataplane.handover;

import io.upfdataplane.dataplane.apply.Direction;
import io.upfdataplane.dataplane.apply.Verdict;
import io.upfdataplane.dataplane.memory.Block;
import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.memory.Shared;

/**
 * What one worker counts. Only that worker writes; any thread reads, values may be slightly old. For each direction
 * {@code received + rehomedIn = rehomedOut + Σ verdicts} once the worker holds no packet.
 */
public final class CounterPage {
    private static final int WORD = 8;
    private static final int RECEIVED_PACKETS = 0;
    private static final int RECEIVED_BYTES = 1;
    private static final int SENT_PACKETS = 2;
    private static final int SENT_BYTES = 3;
    private static final int REHOMED_OUT = 4;
    private static final int REHOMED_IN = 5;
    private static final int LAST_RECEIVED_NS = 6;
    private static final int LAST_SENT_NS = 7;
    private static final int LONGEST_RECEIVE_GAP_NS = 8;
    private static final int LONGEST_SEND_GAP_NS = 9;
    private static final int VERDICTS = 10;
    private static final int PER_DIRECTION = VERDICTS + Verdict.values().length;
    private static final int LOOP = 2 * PER_DIRECTION;
    private static final int TURNS = LOOP;
    private static final int EMPTY_TURNS = LOOP + 1;
    private static final int SLEEPS = LOOP + 2;
    private static final int BUSY_NS = LOOP + 3;
    private static final int ELAPSED_NS = LOOP + 4;
    private static final int EVENTS_LOST = LOOP + 5;
    private static final int WORDS = LOOP + 6;

    private final Block block = new Block((long) WORDS * WORD, 128);
    private final long base = block.address();

    CounterPage() {}

    /** Worker. */
    public void received(int direction, int packets, long bytes, long nowNs) {
        add(direction, RECEIVED_PACKETS, packets);
        add(direction, RECEIVED_BYTES, bytes);
        gap(direction, LAST_RECEIVED_NS, LONGEST_RECEIVE_GAP_NS, nowNs);
    }

    /** Worker. */
    public void sent(int direction, int packets, long bytes) {
        add(direction, SENT_PACKETS, packets);
        add(direction, SENT_BYTES, bytes);
    }

    /** Worker: all packets that were sent have been handed to the kernel or device by now. */
    public void left(int direction, long nowNs) {
        gap(direction, LAST_SENT_NS, LONGEST_SEND_GAP_NS, nowNs);
    }

    /** Worker. */
    public void verdict(int direction, Verdict verdict, long packets) {
        add(direction, VERDICTS + verdict.ordinal(), packets);
    }

    /** Worker: packets given to the worker of their session. */
    public void rehomedOut(int direction, long packets) {
        add(direction, REHOMED_OUT, packets);
    }

    /** Worker: packets taken over from the worker that received them. */
    public void rehomedIn(int direction, long packets) {
        add(direction, REHOMED_IN, packets);
    }

    /** Worker: one turn of the loop. */
    public void turn(boolean busy, long durationNs) {
        addWord(TURNS, 1);
        addWord(ELAPSED_NS, durationNs);
        if (busy) {
            addWord(BUSY_NS, durationNs);
        } else {
            addWord(EMPTY_TURNS, 1);
        }
    }

    /** Worker: it slept this long. */
    public void slept(long durationNs) {
        addWord(SLEEPS, 1);
        addWord(ELAPSED_NS, durationNs);
    }

    /** Worker: an event found no room. */
    public void eventLost() {
        addWord(EVENTS_LOST, 1);
    }

    /** Worker: gaps are measured anew from here. */
    public void resetGaps() {
        for (int direction = 0; direction < 2; direction++) {
            set(direction, LAST_RECEIVED_NS, 0);
            set(direction, LAST_SENT_NS, 0);
            set(direction, LONGEST_RECEIVE_GAP_NS, 0);
            set(direction, LONGEST_SEND_GAP_NS, 0);
        }
    }

    /** Worker: all counts become 0. */
    public void reset() {
        for (int word = 0; word < WORDS; word++) {
            Native.MEMORY.set(Native.LONG, at(word), 0L);
        }
    }

    public long receivedPackets(Direction direction) {
        return get(direction, RECEIVED_PACKETS);
    }

    public long receivedBytes(Direction direction) {
        return get(direction, RECEIVED_BYTES);
    }

    public long sentPackets(Direction direction) {
        return get(direction, SENT_PACKETS);
    }

    public long sentBytes(Direction direction) {
        return get(direction, SENT_BYTES);
    }

    public long rehomedOut(Direction direction) {
        return get(direction, REHOMED_OUT);
    }

    public long rehomedIn(Direction direction) {
        return get(direction, REHOMED_IN);
    }

    public long verdict(Direction direction, Verdict verdict) {
        return get(direction, VERDICTS + verdict.ordinal());
    }

    /** Longest time between two receipts since gaps were reset; 0 before the second. */
    public long longestReceiveGapNs(Direction direction) {
        return get(direction, LONGEST_RECEIVE_GAP_NS);
    }

    /** Longest time between two handings over to kernel or device since gaps were reset; 0 before the second. */
    public long longestSendGapNs(Direction direction) {
        return get(direction, LONGEST_SEND_GAP_NS);
    }

    /** When a packet was last received, by {@code System.nanoTime}; 0 when none was since gaps were reset. */
    public long lastReceivedNs(Direction direction) {
        return get(direction, LAST_RECEIVED_NS);
    }

    /** When a packet last left for kernel or device, by {@code System.nanoTime}; 0 when none was since gaps were reset. */
    public long lastSentNs(Direction direction) {
        return get(direction, LAST_SENT_NS);
    }

    public long turns() {
        return word(TURNS);
    }

    public long emptyTurns() {
        return word(EMPTY_TURNS);
    }

    public long sleeps() {
        return word(SLEEPS);
    }

    /** Time in turns that had a packet. Over {@link #elapsedNs} it is the utilisation. */
    public long busyNs() {
        return word(BUSY_NS);
    }

    public long elapsedNs() {
        return word(ELAPSED_NS);
    }

    public long eventsLost() {
        return word(EVENTS_LOST);
    }

    private void gap(int direction, int last, int longest, long nowNs) {
        long lastNs = Native.MEMORY.get(Native.LONG, at(direction * PER_DIRECTION + last));
        long gapNs = nowNs - lastNs;
        if (lastNs != 0 && gapNs > Native.MEMORY.get(Native.LONG, at(direction * PER_DIRECTION + longest))) {
            set(direction, longest, gapNs);
        }
        set(direction, last, nowNs);
    }

    private void add(int direction, int word, long value) {
        addWord(direction * PER_DIRECTION + word, value);
    }

    private void addWord(int word, long value) {
        long at = at(word);
        Native.MEMORY.set(Native.LONG, at, Native.MEMORY.get(Native.LONG, at) + value);
    }

    private void set(int direction, int word, long value) {
        Native.MEMORY.set(Native.LONG, at(direction * PER_DIRECTION + word), value);
    }

    private long get(Direction direction, int word) {
        return word(direction.ordinal() * PER_DIRECTION + word);
    }

    private long word(int word) {
        return Shared.getAcquire(at(word));
    }

    private long at(int word) {
        return (base & Native.MASK) + (long) word * WORD;
    }

    /** Once no thread reads or writes. */
    void close() {
        block.close();
    }
}
