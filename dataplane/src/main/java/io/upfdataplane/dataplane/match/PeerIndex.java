package io.upfdataplane.dataplane.match;

/** Gives a tunnel peer the number under which workers find its next hop. Control thread. */
@FunctionalInterface
public interface PeerIndex {
    /**
     * @param towardsAccess the peer is reached through N3, else through N6
     * @return the number, or a negative one when there is no room
     */
    int indexOf(boolean towardsAccess, int peerIpv4);
}
