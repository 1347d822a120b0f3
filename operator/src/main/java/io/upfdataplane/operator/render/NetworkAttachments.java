package io.upfdataplane.operator.render;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.upfdataplane.operator.model.Ipv4Prefix;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Plan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** NetworkAttachmentDefinitions: they move a device of the node into the pod, with its addresses and its MTU. */
final class NetworkAttachments {
    private static final String CNI_VERSION = "1.0.0";

    private NetworkAttachments() {}

    static List<GenericKubernetesResource> of(Plan plan) {
        List<GenericKubernetesResource> attachments = new ArrayList<>();
        for (List<UpfModel.Leg> legs : byDevice(plan.model()).values()) {
            attachments.add(new GenericKubernetesResourceBuilder()
                    .withApiVersion("k8s.cni.cncf.io/v1")
                    .withKind("NetworkAttachmentDefinition")
                    .withNewMetadata()
                    .withName(nameOf(plan.model(), legs.getFirst()))
                    .withNamespace(plan.model().namespace())
                    .withLabels(Labels.of(plan.model()))
                    .endMetadata()
                    .addToAdditionalProperties(
                            "spec", Map.of("config", cni(legs).toString()))
                    .build());
        }
        return attachments;
    }

    /** The annotation by which the pod asks for them; each device is called after its first leg. */
    static String annotation(UpfModel model) {
        ArrayNode networks = Yaml.MAPPER.createArrayNode();
        for (List<UpfModel.Leg> legs : byDevice(model).values()) {
            networks.addObject()
                    .put("name", nameOf(model, legs.getFirst()))
                    .put("namespace", model.namespace())
                    .put("interface", legs.getFirst().name());
        }
        return networks.toString();
    }

    private static String nameOf(UpfModel model, UpfModel.Leg first) {
        return model.name() + "-" + first.name();
    }

    private static Map<String, List<UpfModel.Leg>> byDevice(UpfModel model) {
        Map<String, List<UpfModel.Leg>> legs = new LinkedHashMap<>();
        for (UpfModel.Leg leg : model.deviceLegs()) {
            legs.computeIfAbsent(String.valueOf(leg.device()), device -> new ArrayList<>())
                    .add(leg);
        }
        return legs;
    }

    private static ObjectNode cni(List<UpfModel.Leg> legs) {
        UpfModel.Leg first = legs.getFirst();
        ObjectNode list = Yaml.MAPPER.createObjectNode();
        list.put("cniVersion", CNI_VERSION);
        list.put("name", first.name());
        ArrayNode plugins = list.putArray("plugins");
        ObjectNode hostDevice = plugins.addObject();
        hostDevice.put("type", "host-device");
        hostDevice.put("device", first.device());
        ArrayNode addresses = hostDevice.putObject("ipam").put("type", "static").putArray("addresses");
        for (UpfModel.Leg leg : legs) {
            Ipv4Prefix address = leg.address();
            if (address != null) {
                addresses.addObject().put("address", address.toString());
            }
        }
        legs.stream()
                .map(UpfModel.Leg::mtu)
                .filter(mtu -> mtu != null)
                .findFirst()
                .ifPresent(mtu -> plugins.addObject().put("type", "tuning").put("mtu", mtu));
        return list;
    }
}
