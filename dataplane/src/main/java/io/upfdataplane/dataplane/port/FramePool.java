package io.upfdataplane.dataplane.port;

/**
 * The one packet memory of the process: {@code frames} chunks of {@code frameSize} bytes in a page-aligned region, which
 * every mode shares (AF_XDP registers it as its UMEM). A worker takes and gives frames through a {@link Cache} of its
 * own over a central stack; a cache that cannot get the stack's try-lock goes on without, nobody waits.
 */
public interface FramePool extends AutoCloseable {
    /** Room before a received frame: outer IPv6, UDP, GTP-U with PDU Session Container and a VLAN tag fit. */
    int HEADROOM = 256;

    long baseAddress();

    long sizeBytes();

    int frames();

    /** A power of two, 2048 or 4096. */
    int frameSize();

    /** A cache for one thread. */
    Cache newCache();

    /** Frames not taken by anyone, counting those in caches; exact only while all threads are still. */
    int free();

    @Override
    void close();

    /** One thread's way to the pool. */
    interface Cache {
        /** Chunk start of a free frame, or 0 when there is none. */
        long take();

        /** Gives a frame back; any address inside it will do. */
        void give(long address);

        /** Gives all it holds back to the pool, once its thread no longer uses it. Control thread; may wait. */
        void close();
    }
}
