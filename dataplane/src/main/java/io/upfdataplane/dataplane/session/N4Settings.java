package io.upfdataplane.dataplane.session;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * What the agent is told by the configuration, already judged. Immutable.
 *
 * @param nodeId IPv4 address or domain name
 * @param n4Address our address in F-SEIDs, host order
 * @param n3Addresses our addresses in F-TEIDs, host order; the first is the one we choose
 * @param peers whom to ask for an association, unless {@link Role#PASSIVE}
 * @param uePools a UE address must lie in one of them, if there are any: other packets are not steered here
 */
public record N4Settings(
        String nodeId,
        int n4Address,
        List<Integer> n3Addresses,
        Role role,
        List<ConfiguredPeer> peers,
        Retries heartbeat,
        Duration heartbeatInterval,
        Retries retransmission,
        int maxSessions,
        List<Prefix> uePools,
        Limits limits) {

    public N4Settings {
        n3Addresses = List.copyOf(n3Addresses);
        peers = List.copyOf(peers);
        uePools = List.copyOf(uePools);
        if (n3Addresses.isEmpty()) {
            throw new IllegalArgumentException("no N3 address: an F-TEID cannot be chosen without one");
        }
    }

    /** Who begins an association. */
    public enum Role {
        /** We wait to be asked, by anybody. */
        PASSIVE,
        /** We ask the configured peers, and are asked by none but them. */
        ACTIVE,
        /** We ask the configured peers, and wait to be asked by anybody. */
        BOTH
    }

    public record ConfiguredPeer(String name, InetSocketAddress address) {}

    /**
     * @param retries how often a request is sent again when no answer comes within {@code timeout}
     */
    public record Retries(Duration timeout, int retries) {}

    /**
     * @param address in host order, its host bits 0
     */
    public record Prefix(int address, int length) {
        public boolean contains(int other) {
            int mask = length == 0 ? 0 : -1 << (32 - length);
            return (other & mask) == address;
        }
    }

    /** Bounds on what one session and one datagram may ask of us. */
    public record Limits(int pdrsPerSession, int farsPerSession, int qersPerSession, int messageBytes) {
        public static final Limits DEFAULT = new Limits(64, 64, 64, 16 * 1024);
    }

    boolean isUeAddressServed(int address) {
        return uePools.isEmpty() || uePools.stream().anyMatch(pool -> pool.contains(address));
    }
}
