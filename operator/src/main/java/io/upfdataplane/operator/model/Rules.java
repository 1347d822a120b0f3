package io.upfdataplane.operator.model;

import com.fasterxml.jackson.databind.JsonNode;
import io.upfdataplane.operator.api.Messages;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The twins of the schema's CEL rules, by message, for hosts without an API server. A test holds that every rule of the
 * CRD has a twin, and an integration test that both judge the same resources alike.
 */
final class Rules {
    private static final Map<String, Predicate<JsonNode>> TWINS = Map.ofEntries(
            Map.entry(Messages.ONE_ATTACHMENT, self -> self.has("hostDevice") != self.has("podNetwork")),
            Map.entry(Messages.ADDRESS_FITS_ATTACHMENT, Rules::addressFitsAttachment),
            Map.entry(Messages.IPV4_PREFIXES, self -> all(self, a -> prefix(a).isPresent())),
            Map.entry(
                    Messages.IPV4,
                    self -> Ipv4Prefix.parseAddress(self.asText()).isPresent()),
            Map.entry(
                    Messages.IPV4_NETWORK,
                    self -> prefix(self).filter(p -> !p.hasHostBits()).isPresent()),
            Map.entry(Messages.GATEWAY_IN_PREFIX, Rules::gatewayInPrefix),
            Map.entry(Messages.VIA_IN_PREFIX, Rules::viaInPrefix),
            Map.entry(Messages.POOLS_DO_NOT_OVERLAP, Rules::poolsDoNotOverlap),
            Map.entry(Messages.INSTANCES_DIFFER, Rules::instancesDiffer),
            Map.entry(
                    Messages.ACTIVE_HAS_PEERS,
                    self -> self.path("role").asText("Passive").equals("Passive")
                            || !self.path("peers").isEmpty()),
            Map.entry(
                    Messages.TIMEOUT_WITHIN_INTERVAL,
                    self -> KubernetesDuration.parse(self.path("timeout").asText())
                                    .compareTo(KubernetesDuration.parse(
                                            self.path("interval").asText()))
                            <= 0),
            Map.entry(Messages.POWER_OF_TWO, self -> Long.bitCount(self.asLong()) == 1),
            Map.entry(Messages.FRAME_SIZE, self -> self.asInt() == 2048 || self.asInt() == 4096),
            Map.entry(
                    Messages.DEVICE_FREE_STAYS,
                    self -> all(self, name -> !name.asText().equals("DeviceFree"))));

    private Rules() {}

    static boolean has(String message) {
        return TWINS.containsKey(message);
    }

    static boolean holds(String message, JsonNode self) {
        Predicate<JsonNode> twin = TWINS.get(message);
        if (twin == null) {
            throw new IllegalStateException("the schema's rule «" + message + "» has no twin");
        }
        return twin.test(self);
    }

    private static boolean addressFitsAttachment(JsonNode self) {
        if (self.path("attachment").has("podNetwork")) {
            return !self.has("addresses") && !self.has("gateway") && !self.has("routes") && !self.has("mtu");
        }
        return !self.path("addresses").isEmpty();
    }

    private static boolean gatewayInPrefix(JsonNode self) {
        Optional<Integer> gateway = Ipv4Prefix.parseAddress(self.path("gateway").asText());
        return gateway.isEmpty()
                || !self.has("addresses")
                || any(
                        self.get("addresses"),
                        a -> prefix(a)
                                .map(p -> p.contains(gateway.get()) && p.address() != gateway.get())
                                .orElse(true));
    }

    private static boolean viaInPrefix(JsonNode self) {
        return !self.has("addresses")
                || all(
                        self.path("routes"),
                        route -> Ipv4Prefix.parseAddress(route.path("via").asText())
                                .map(via -> any(
                                        self.get("addresses"),
                                        a -> prefix(a).map(p -> p.contains(via)).orElse(true)))
                                .orElse(true));
    }

    private static boolean poolsDoNotOverlap(JsonNode self) {
        return all(
                self,
                a -> all(
                        self,
                        b -> all(
                                a.path("uePools"),
                                p -> all(b.path("uePools"), q -> {
                                    boolean same = a.path("name").equals(b.path("name")) && p.equals(q);
                                    Optional<Ipv4Prefix> outer = prefix(p.path("cidr"));
                                    Optional<Ipv4Prefix> inner = prefix(q.path("cidr"));
                                    return same
                                            || outer.isEmpty()
                                            || inner.isEmpty()
                                            || !outer.get().contains(inner.get());
                                }))));
    }

    private static boolean instancesDiffer(JsonNode self) {
        Set<String> seen = new HashSet<>();
        return all(
                self,
                network -> seen.add(network.path("networkInstance")
                        .asText(network.path("name").asText())));
    }

    private static Optional<Ipv4Prefix> prefix(JsonNode text) {
        return Ipv4Prefix.parse(text.asText());
    }

    private static boolean all(JsonNode list, Predicate<JsonNode> test) {
        for (JsonNode item : list) {
            if (!test.test(item)) {
                return false;
            }
        }
        return true;
    }

    private static boolean any(JsonNode list, Predicate<JsonNode> test) {
        return !all(list, test.negate());
    }
}
