package io.upfdataplane.dataplane.port;

/**
 * One device as one worker sees it: packets in, packets out. The frames of every mode lie in the one {@link FramePool}
 * of the process, so a frame received on any port can be sent on any other, by any worker. All methods belong to the
 * worker that owns the port; none blocks, allocates or throws.
 */
public interface PacketPort {
    /**
     * Appends received frames to {@code batch} until it is full or nothing is there. The caller owns them.
     *
     * @return frames appended
     */
    int receive(FrameBatch batch);

    /**
     * Takes the frames of {@code batch} for sending and empties it. Frames that find no room are given back to the pool.
     *
     * @return frames refused for want of room: the caller counts them as drops
     */
    int send(FrameBatch batch);

    /** Once per loop turn: pushes out what is queued, takes back what was sent, refills what receives. */
    void flush();

    /** Descriptor to wait on for received frames, with POLLIN. */
    int descriptor();

    /** True when a frame taken by {@link #send} has not been handed to the kernel or device yet. */
    boolean hasQueued();

    /** True when a frame taken by {@link #send} has not been reported sent yet. */
    boolean hasUnsent();

    /** What this port has counted since it was opened. Any thread may read; values may be slightly old. */
    PortStatistics statistics();
}
