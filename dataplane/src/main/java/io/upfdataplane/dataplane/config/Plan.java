package io.upfdataplane.dataplane.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything one run of the dataplane needs, checked. Two plans with one {@code planHash} are the same plan.
 *
 * @param workers threads that move packets
 */
public record Plan(
        String planHash,
        Mode mode,
        int workers,
        Interface n3,
        Interface n6,
        List<DataNetwork> dataNetworks,
        Pfcp pfcp,
        int maxSessions,
        Tuning tuning,
        Observability observability,
        String stateDirectory) {

    public Plan {
        dataNetworks = List.copyOf(dataNetworks);
    }

    /** How packets enter and leave. The names are those of the custom resource. */
    public enum Mode {
        AF_PACKET,
        AF_XDP
    }

    /**
     * N3 or N6.
     *
     * @param addresses the first is the leg's own: on N3 it is where GTP-U is received
     */
    public record Interface(
            String device,
            List<Ipv4Prefix> addresses,
            @Nullable Ipv4Address gateway,
            List<Route> routes) {
        public Interface {
            addresses = List.copyOf(addresses);
            routes = List.copyOf(routes);
        }

        public Ipv4Address address() {
            return addresses.getFirst().address();
        }
    }

    public record Route(Ipv4Prefix to, Ipv4Address via) {}

    /**
     * @param ueMtuBytes largest packet of a UE; null when it follows from the MTU of N3
     */
    public record DataNetwork(
            String name, String networkInstance, @Nullable Integer ueMtuBytes, List<Ipv4Prefix> uePools) {
        public DataNetwork {
            uePools = List.copyOf(uePools);
        }
    }

    /** N4 (TS 29.244). */
    public record Pfcp(
            String nodeId,
            Ipv4Address bindAddress,
            int bindPort,
            Role role,
            List<Peer> peers,
            Duration heartbeatInterval,
            Duration heartbeatTimeout,
            int heartbeatRetries,
            Duration retransmissionTimeout,
            int retransmissionRetries) {
        public Pfcp {
            peers = List.copyOf(peers);
        }
    }

    /** Who sets associations up. */
    public enum Role {
        PASSIVE,
        ACTIVE,
        BOTH
    }

    public record Peer(String name, Ipv4Address address) {}

    /**
     * @param umemFrames chunks of the one frame pool
     */
    public record Tuning(
            int batchSize,
            Poll poll,
            ZeroCopy zeroCopy,
            int umemFrames,
            int umemFrameSizeBytes,
            int rxRing,
            int txRing,
            int fillRing,
            int completionRing) {}

    /** How a worker waits for packets. */
    public enum Poll {
        INTERRUPT,
        ADAPTIVE,
        BUSY
    }

    public enum ZeroCopy {
        PREFER,
        REQUIRE,
        NEVER
    }

    public record Observability(Ipv4Address bindAddress, int port) {}

    /** 1 when N3 and N6 are one device, else 2. */
    public int devices() {
        return n3.device().equals(n6.device()) ? 1 : 2;
    }
}
