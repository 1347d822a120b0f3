package io.upfdataplane.dataplane.port;

/**
 * A batch of frames on their way through one worker. Frame i is {@code length[i]} bytes at {@code address[i]} (masked),
 * with at least {@link FramePool#HEADROOM} bytes of room before it. One thread.
 */
public final class FrameBatch {
    public final long[] address;
    public final int[] length;

    /** Frames in the batch. */
    public int count;

    public FrameBatch(int capacity) {
        address = new long[capacity];
        length = new int[capacity];
    }

    public int capacity() {
        return address.length;
    }

    public boolean isFull() {
        return count == address.length;
    }

    /** Appends a frame. The caller has seen that the batch is not full. */
    public void add(long frameAddress, int frameLength) {
        address[count] = frameAddress;
        length[count] = frameLength;
        count++;
    }
}
