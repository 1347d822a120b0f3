package io.upfdataplane.operator.reconcile;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.upfdataplane.operator.api.UpfDataplane;
import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.api.UpfDataplaneStatus;
import io.upfdataplane.operator.api.UpfNodeReport;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Running;
import io.upfdataplane.operator.preflight.Cleared;
import io.upfdataplane.operator.preflight.Place;
import io.upfdataplane.operator.preflight.Preflight;
import io.upfdataplane.operator.preflight.Verdict;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which node a UPF runs on: the one it is on, else the first by name that clears it. */
final class NodeChoice {
    private final List<UpfNodeReport> reports;
    private final List<UpfDataplane> all;
    private final List<GenericKubernetesResource> attachments;

    NodeChoice(List<UpfNodeReport> reports, List<UpfDataplane> all, List<GenericKubernetesResource> attachments) {
        this.reports = reports.stream()
                .sorted(Comparator.comparing(report -> report.getMetadata().getName()))
                .toList();
        this.all = all;
        this.attachments = attachments;
    }

    /** The verdict that counts; empty when no node has reported. What runs stays where it is, even when refused. */
    Optional<Verdict> judge(UpfDataplane upf, UpfModel model, Running inForce) throws Malformed {
        boolean running = inForce.candidate() != null;
        UpfDataplaneStatus status = upf.getStatus();
        String present = status == null ? null : status.node();
        Verdict first = null;
        for (UpfNodeReport report : reports) {
            boolean isPresent = report.getMetadata().getName().equals(present);
            if (running && present != null && !isPresent) {
                continue;
            }
            NodeFacts facts = NodeFacts.of(Yaml.MAPPER.valueToTree(report)).withTakenAddresses(taken(upf));
            Verdict verdict = Preflight.check(
                    model,
                    running && isPresent ? facts.withOwnDevices(ownDevices()) : facts,
                    Place.POD,
                    inForce.mode());
            if (verdict instanceof Cleared) {
                return Optional.of(verdict);
            }
            first = first == null ? verdict : first;
        }
        return Optional.ofNullable(first);
    }

    private Map<String, String> taken(UpfDataplane upf) {
        Map<String, String> taken = new HashMap<>();
        for (UpfDataplane other : all) {
            boolean self = other.getMetadata().getUid().equals(upf.getMetadata().getUid());
            UpfDataplaneSpec.Interfaces legs =
                    self || other.getSpec() == null ? null : other.getSpec().interfaces();
            if (legs != null) {
                String owner = "UpfDataplane " + other.getMetadata().getNamespace() + "/"
                        + other.getMetadata().getName();
                Stream.of(legs.n3(), legs.n6(), legs.n4())
                        .flatMap(NodeChoice::addresses)
                        .forEach(address -> taken.put(address, owner));
            }
        }
        return taken;
    }

    private static Stream<String> addresses(UpfDataplaneSpec.@Nullable Interface leg) {
        List<String> addresses = leg == null ? null : leg.addresses();
        return addresses == null ? Stream.empty() : addresses.stream().map(address -> address.split("/", 2)[0]);
    }

    /** The devices that our own pod holds: they have left the node's namespace, so its report cannot show them. */
    private Set<String> ownDevices() {
        Set<String> devices = new HashSet<>();
        for (GenericKubernetesResource attachment : attachments) {
            String config = attachment.get("spec", "config");
            try {
                JsonNode plugins = Yaml.MAPPER.readTree(config).path("plugins");
                plugins.findValuesAsText("device").forEach(devices::add);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("an attachment of ours holds no JSON", e);
            }
        }
        return devices;
    }
}
