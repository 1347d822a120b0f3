package io.upfdataplane.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The CRD as it is checked in: what the generator makes of the Java types, plus what it cannot say. */
final class CrdFile {
    private static final YAMLMapper YAML = new YAMLMapper(YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .build());

    /** As the API server's own types have it, less the sign: an amount of a resource is not negative. */
    private static final String QUANTITY = "^(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))"
            + "(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

    /** Lists whose items are told apart by a member, so that two appliers do not overwrite each other's. */
    private static final Map<String, String> MAP_KEYS = Map.ofEntries(
            Map.entry("spec.dataNetworks", "name"),
            Map.entry("spec.dataNetworks[].uePools", "cidr"),
            Map.entry("spec.pfcp.peers", "name"),
            Map.entry("spec.interfaces.n3.routes", "to"),
            Map.entry("spec.interfaces.n6.routes", "to"),
            Map.entry("spec.interfaces.n4.routes", "to"),
            Map.entry("status.conditions", "type"),
            Map.entry("status.preflight.checks", "name"),
            Map.entry("status.tuning", "name"),
            Map.entry("status.interfaces", "name"),
            Map.entry("status.peers", "nodeId"),
            Map.entry("status.workers", "id"),
            Map.entry("spec.interfaces", "name"));

    private CrdFile() {}

    static String of(Class<? extends HasMetadata> type) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new CRDGenerator()
                .withOutput(new CRDGenerator.CRDOutput<>() {
                    @Override
                    public OutputStream outputFor(String crdName) {
                        return bytes;
                    }

                    @Override
                    public java.net.URI crdURI(String crdName) {
                        return java.net.URI.create("file:///" + crdName);
                    }

                    @Override
                    public void close() {}
                })
                .withParallelGenerationEnabled(false)
                .customResourceClasses(type)
                .forCRDVersions("v1")
                .generate();
        ObjectNode crd = (ObjectNode) YAML.readTree(bytes.toByteArray());
        JsonNode schema = crd.at("/spec/versions/0/schema/openAPIV3Schema");
        for (String part : new String[] {"spec", "status"}) {
            JsonNode node = schema.at("/properties/" + part);
            if (node.isObject()) {
                complete((ObjectNode) node, part);
            }
        }
        if (schema.at("/properties/spec").isObject()) {
            ((ObjectNode) schema).putArray("required").add("spec");
        }
        orderColumns(crd, type);
        return YAML.writeValueAsString(crd);
    }

    private static void complete(ObjectNode schema, String path) {
        if (path.equals("status.conditions[]")) {
            completeCondition(schema);
        }
        if ("array".equals(schema.path("type").asText())) {
            String key = MAP_KEYS.get(path);
            if (key != null) {
                schema.put("x-kubernetes-list-type", "map");
                schema.putArray("x-kubernetes-list-map-keys").add(key);
            } else if ("object".equals(schema.at("/items/type").asText())) {
                schema.put("x-kubernetes-list-type", "atomic");
            } else {
                schema.put("x-kubernetes-list-type", path.endsWith("changes") ? "atomic" : "set");
            }
            complete((ObjectNode) schema.get("items"), path + "[]");
        }
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            schema.put("pattern", QUANTITY);
        }
        if ("integer".equals(schema.path("type").asText())) {
            wholeBounds(schema);
        }
        if (schema.path("x-kubernetes-validations") instanceof ArrayNode rules) {
            Set<JsonNode> distinct = new LinkedHashSet<>();
            rules.forEach(distinct::add);
            schema.putArray("x-kubernetes-validations").addAll(distinct);
        }
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            ObjectNode child = (ObjectNode) property.getValue();
            String childPath = path + "." + property.getKey();
            complete(child, childPath);
        }
    }

    /** The generator writes 64.0 where an integer is bounded by 64. */
    private static void wholeBounds(ObjectNode schema) {
        for (String bound : new String[] {"minimum", "maximum"}) {
            if (schema.has(bound)) {
                schema.put(bound, schema.get(bound).asLong());
            }
        }
        schema.put("format", "int64");
    }

    /** {@code kubectl get} shows the columns in the order of the annotations, not of the generator. */
    private static void orderColumns(ObjectNode crd, Class<?> type) {
        ArrayNode columns = (ArrayNode) crd.at("/spec/versions/0/additionalPrinterColumns");
        Map<String, JsonNode> byName = new HashMap<>();
        columns.forEach(column -> byName.put(column.get("name").asText(), column));
        columns.removeAll();
        for (AdditionalPrinterColumn column : type.getAnnotationsByType(AdditionalPrinterColumn.class)) {
            columns.add(byName.get(column.name()));
        }
    }

    /** metav1.Condition, as every reader of conditions expects it. */
    private static void completeCondition(ObjectNode condition) {
        ObjectNode properties = (ObjectNode) condition.get("properties");
        ((ObjectNode) properties.get("lastTransitionTime")).put("format", "date-time");
        ((ObjectNode) properties.get("message")).put("maxLength", 32768);
        ((ObjectNode) properties.get("observedGeneration"))
                .put("format", "int64")
                .put("minimum", 0);
        ((ObjectNode) properties.get("reason"))
                .put("minLength", 1)
                .put("maxLength", 1024)
                .put("pattern", "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$");
        ObjectNode status = (ObjectNode) properties.get("status");
        status.putArray("enum").add("True").add("False").add("Unknown");
        ((ObjectNode) properties.get("type")).put("maxLength", 316);
        condition
                .putArray("required")
                .add("lastTransitionTime")
                .add("message")
                .add("reason")
                .add("status")
                .add("type");
    }
}
