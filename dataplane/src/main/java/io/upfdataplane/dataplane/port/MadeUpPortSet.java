package io.upfdataplane.dataplane.port;

/**
 * Ports of a backend whose rings are only memory: the code is the backend's own, and {@link #play} is the kernel. For
 * warm-up, with one worker. One thread.
 */
public interface MadeUpPortSet extends PortSet {
    /** Writes the next frame at an address and says how long it is. */
    @FunctionalInterface
    interface Maker {
        int write(long address);
    }

    /**
     * Between two turns of the worker: takes what it sent, and receives {@code frames} for it, as far as rings have room.
     */
    void play(Leg leg, Maker maker, int frames);
}
