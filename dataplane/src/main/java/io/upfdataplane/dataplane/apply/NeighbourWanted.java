package io.upfdataplane.dataplane.apply;

/** Told, on the control thread, of addresses that packets wait for. */
@FunctionalInterface
public interface NeighbourWanted {
    /**
     * @param ipv4 host order: an unresolved next hop, or the destination of a packet when it is on the link
     */
    void wanted(Side side, int ipv4);
}
