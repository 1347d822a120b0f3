package io.upfdataplane.operator.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplaneSpec;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A UpfDataplane that its schema has admitted, with every default in place. Immutable; made in one place only, so that
 * whoever holds one need not check again.
 */
public record UpfModel(
        String namespace,
        String name,
        long generation,
        Mode mode,
        int workers,
        Leg n3,
        Leg n6,
        @Nullable Leg n4,
        List<Network> networks,
        Pfcp pfcp,
        int maxSessions,
        UpfDataplaneSpec.Tuning tuning,
        @Nullable BigDecimal cpuLimit,
        @Nullable Long memoryLimitBytes,
        @Nullable String image,
        boolean enforce,
        Set<String> skippedChecks,
        boolean paused) {

    private static final Crd CRD = Crd.named("upfdataplanes.upfdataplane.io");

    /** An interface of the UPF; {@code device} is absent on the pod network. */
    public record Leg(
            String name,
            @Nullable String device,
            @Nullable Ipv4Prefix address,
            @Nullable String gateway,
            List<Route> routes,
            @Nullable Integer mtu) {}

    public record Route(String to, String via) {}

    public record Network(
            String name, String networkInstance, @Nullable Integer ueMtu, List<Ipv4Prefix> uePools) {}

    public record Pfcp(
            String nodeId,
            String bindAddress,
            int bindPort,
            UpfDataplaneSpec.Role role,
            List<Peer> peers,
            Heartbeat heartbeat,
            Retransmission retransmission) {}

    public record Peer(String name, String address) {}

    public record Heartbeat(String interval, String timeout, int retries) {}

    public record Retransmission(String timeout, int retries) {}

    /** The model of a resource as a user wrote it; throws with every fault when an API server would refuse it. */
    public static UpfModel of(JsonNode resource) throws Malformed {
        ObjectNode admitted = CRD.admit(resource);
        UpfDataplaneSpec spec;
        try {
            spec = Yaml.MAPPER.treeToValue(admitted.get("spec"), UpfDataplaneSpec.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the schema admitted what the types cannot hold", e);
        }
        String namespace = admitted.at("/metadata/namespace").asText("default");
        long generation = admitted.at("/metadata/generation").asLong(1);
        return of(namespace, admitted.at("/metadata/name").asText(), generation, spec);
    }

    private static UpfModel of(String namespace, String name, long generation, UpfDataplaneSpec spec) {
        UpfDataplaneSpec.Interfaces interfaces = given(spec.interfaces());
        Leg n3 = leg("n3", given(interfaces.n3()));
        Leg n6 = leg("n6", given(interfaces.n6()));
        Leg n4 = interfaces.n4() == null ? null : leg("n4", interfaces.n4());
        UpfDataplaneSpec.Limits limits =
                spec.resources() == null ? null : spec.resources().limits();
        UpfDataplaneSpec.Preflight preflight = given(spec.preflight());
        return new UpfModel(
                namespace,
                name,
                generation,
                given(spec.mode()),
                given(spec.workers()),
                n3,
                n6,
                n4,
                given(spec.dataNetworks()).stream().map(UpfModel::network).toList(),
                pfcp(given(spec.pfcp()), n3, n4),
                given(given(spec.capacity()).maxSessions()),
                spec.tuning() == null ? new UpfDataplaneSpec.Tuning(null, null, null, null, null) : spec.tuning(),
                amount(limits == null ? null : limits.cpu()),
                Optional.ofNullable(amount(limits == null ? null : limits.memory()))
                        .map(BigDecimal::longValue)
                        .orElse(null),
                spec.image(),
                preflight.policy() != UpfDataplaneSpec.Policy.Warn,
                new TreeSet<>(preflight.skip() == null ? List.of() : preflight.skip()),
                Boolean.TRUE.equals(spec.paused()));
    }

    /** The same resource with another mode: how {@code Auto} becomes one that can run. */
    public UpfModel withMode(Mode other) {
        return new UpfModel(
                namespace,
                name,
                generation,
                other,
                workers,
                n3,
                n6,
                n4,
                networks,
                pfcp,
                maxSessions,
                tuning,
                cpuLimit,
                memoryLimitBytes,
                image,
                enforce,
                skippedChecks,
                paused);
    }

    /** The legs that take a device, N4 among them when it has one. */
    public List<Leg> deviceLegs() {
        List<Leg> legs = new ArrayList<>();
        for (Leg leg : allLegs()) {
            if (leg.device() != null) {
                legs.add(leg);
            }
        }
        return legs;
    }

    /** N3 and N6, which carry user packets. */
    public List<Leg> packetLegs() {
        return List.of(n3, n6);
    }

    public List<Leg> allLegs() {
        return n4 == null ? List.of(n3, n6) : List.of(n3, n6, n4);
    }

    private static Leg leg(String name, UpfDataplaneSpec.Interface given) {
        UpfDataplaneSpec.HostDevice hostDevice = given(given.attachment()).hostDevice();
        List<String> addresses = given.addresses();
        List<UpfDataplaneSpec.Route> routes = given.routes();
        return new Leg(
                name,
                hostDevice == null ? null : hostDevice.device(),
                addresses == null || addresses.isEmpty()
                        ? null
                        : Ipv4Prefix.parse(addresses.getFirst()).orElseThrow(),
                given.gateway(),
                routes == null
                        ? List.of()
                        : routes.stream()
                                .map(r -> new Route(given(r.to()), given(r.via())))
                                .toList(),
                given.mtu());
    }

    private static Network network(UpfDataplaneSpec.DataNetwork given) {
        String name = given(given.name());
        return new Network(
                name,
                given.networkInstance() == null ? name : given.networkInstance(),
                given.ueMtu(),
                given(given.uePools()).stream()
                        .map(pool -> Ipv4Prefix.parse(given(pool.cidr())).orElseThrow())
                        .toList());
    }

    private static Pfcp pfcp(UpfDataplaneSpec.Pfcp given, Leg n3, @Nullable Leg n4) {
        UpfDataplaneSpec.Heartbeat heartbeat = given(given.heartbeat());
        UpfDataplaneSpec.Retransmission retransmission = given(given.retransmission());
        Ipv4Prefix own = n4 != null && n4.address() != null ? n4.address() : null;
        Ipv4Prefix named = own != null ? own : n3.address();
        List<UpfDataplaneSpec.Peer> peers = given.peers() == null ? List.of() : given.peers();
        return new Pfcp(
                given.nodeId() != null ? given.nodeId() : named == null ? "0.0.0.0" : named.host(),
                // On the pod network the address is not known before the pod is.
                own == null ? "0.0.0.0" : own.host(),
                given(given.bindPort()),
                given(given.role()),
                peers.stream()
                        .map(p -> new Peer(given(p.name()), given(p.address())))
                        .toList(),
                new Heartbeat(given(heartbeat.interval()), given(heartbeat.timeout()), given(heartbeat.retries())),
                new Retransmission(given(retransmission.timeout()), given(retransmission.retries())));
    }

    private static @Nullable BigDecimal amount(@Nullable Quantity quantity) {
        return quantity == null ? null : quantity.getNumericalAmount();
    }

    /** The schema requires it or gives a default, so it is there. */
    private static <T> T given(@Nullable T value) {
        return Objects.requireNonNull(value, "the schema admitted a resource that lacks a required field");
    }
}
