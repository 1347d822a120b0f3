package io.upfdataplane.operator.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * A custom resource definition, used as the API server uses it: fills defaults, and says everything that is wrong with a
 * resource. It reads the very file that is installed in a cluster, so the two cannot differ. Safe for any thread.
 */
public final class Crd {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
    // kubectl's limit for a StatefulSet's name, whose pods carry it in a label with a suffix.
    private static final int NAME_LENGTH = 40;

    private final String apiVersion;
    private final String kind;
    private final JsonNode schema;

    private Crd(JsonNode crd) {
        JsonNode version = crd.at("/spec/versions/0");
        this.apiVersion =
                crd.at("/spec/group").asText() + "/" + version.path("name").asText();
        this.kind = crd.at("/spec/names/kind").asText();
        this.schema = version.at("/schema/openAPIV3Schema");
    }

    /** The definition of that name, such as {@code upfdataplanes.upfdataplane.io}, from the class path. */
    public static Crd named(String name) {
        try (InputStream file = Crd.class.getResourceAsStream("/crds/" + name + ".yaml")) {
            if (file == null) {
                throw new IllegalStateException("crds/" + name + ".yaml is not on the class path");
            }
            return new Crd(Yaml.MAPPER.readTree(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    JsonNode schema() {
        return schema;
    }

    /** As {@link #admit}, for a report that a probe printed: a newer probe may say more than this schema knows. */
    ObjectNode admitReport(JsonNode resource) throws Malformed {
        return admit(resource, true);
    }

    /** The resource with its defaults filled in; throws with every fault when it has one. */
    public ObjectNode admit(JsonNode resource) throws Malformed {
        return admit(resource, false);
    }

    private ObjectNode admit(JsonNode resource, boolean prune) throws Malformed {
        List<Fault> faults = new ArrayList<>();
        if (!(resource instanceof ObjectNode given)) {
            throw new Malformed(List.of(new Fault("(whole file)", shown(resource), "one resource of kind " + kind)));
        }
        ObjectNode copy = given.deepCopy();
        expect(copy, "apiVersion", apiVersion, faults);
        expect(copy, "kind", kind, faults);
        String name = copy.at("/metadata/name").asText();
        if (!prune && (!NAME.matcher(name).matches() || name.length() > NAME_LENGTH)) {
            faults.add(new Fault(
                    "metadata.name",
                    name.isEmpty() ? "nothing" : "«" + name + "»",
                    "a name of lower case letters, digits and hyphens, at most " + NAME_LENGTH + " long"));
        }
        JsonNode spec = copy.get("spec");
        if (spec == null || spec.isNull()) {
            faults.add(new Fault("spec", "nothing", "an object"));
        } else {
            if (prune) {
                prune(schema.at("/properties/spec"), spec);
            }
            judge(schema.at("/properties/spec"), spec, "spec", faults);
        }
        for (String key : names(copy)) {
            if (!Set.of("apiVersion", "kind", "metadata", "spec", "status").contains(key)) {
                faults.add(new Fault(key, "an unknown field", "one of apiVersion, kind, metadata, spec"));
            }
        }
        if (!faults.isEmpty()) {
            throw new Malformed(faults);
        }
        return copy;
    }

    /** Takes away what the schema does not know, as the API server does. */
    private static void prune(JsonNode schema, JsonNode value) {
        if (value instanceof ObjectNode object) {
            JsonNode properties = schema.path("properties");
            for (String name : names(object)) {
                if (properties.has(name)) {
                    prune(properties.get(name), object.get(name));
                } else {
                    object.remove(name);
                }
            }
        } else if (value.isArray()) {
            value.forEach(item -> prune(schema.path("items"), item));
        }
    }

    private static void expect(ObjectNode resource, String field, String needed, List<Fault> faults) {
        String found = resource.path(field).asText();
        if (!found.equals(needed)) {
            faults.add(new Fault(field, found.isEmpty() ? "nothing" : "«" + found + "»", needed));
        }
    }

    private static void judge(JsonNode schema, JsonNode value, String path, List<Fault> faults) {
        int before = faults.size();
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            judgeQuantity(value, path, faults);
            return;
        }
        switch (schema.path("type").asText()) {
            case "object" -> judgeObject(schema, value, path, faults);
            case "array" -> judgeList(schema, value, path, faults);
            case "string" -> judgeString(schema, value, path, faults);
            case "integer" -> {
                if (value.isIntegralNumber()) {
                    judgeBounds(schema, value, path, faults);
                } else {
                    faults.add(new Fault(path, shown(value), "a whole number"));
                }
            }
            case "number" -> {
                if (value.isNumber()) {
                    judgeBounds(schema, value, path, faults);
                } else {
                    faults.add(new Fault(path, shown(value), "a number"));
                }
            }
            case "boolean" -> {
                if (!value.isBoolean()) {
                    faults.add(new Fault(path, shown(value), "true or false"));
                }
            }
            default -> throw new IllegalStateException("the schema has a type at " + path + " that is not known here");
        }
        if (faults.size() == before) { // as the API server: rules are only asked of what is well-formed
            for (JsonNode rule : schema.path("x-kubernetes-validations")) {
                String message = rule.path("message").asText();
                if (!Rules.holds(message, value)) {
                    String field = path + rule.path("fieldPath").asText();
                    JsonNode found = rule.has("fieldPath")
                            ? value.path(rule.path("fieldPath").asText().substring(1))
                            : value;
                    faults.add(new Fault(field, shown(found), message));
                }
            }
        }
    }

    private static void judgeObject(JsonNode schema, JsonNode value, String path, List<Fault> faults) {
        if (!(value instanceof ObjectNode object)) {
            faults.add(new Fault(path, shown(value), "an object"));
            return;
        }
        JsonNode properties = schema.path("properties");
        for (String name : names(object)) {
            if (!properties.has(name)) {
                faults.add(new Fault(
                        path + "." + name, "an unknown field", "one of " + String.join(", ", names(properties))));
            } else if (object.get(name).isNull()) {
                object.remove(name); // null stands for absent
            }
        }
        for (Map.Entry<String, JsonNode> property : properties.properties()) {
            JsonNode fallback = property.getValue().get("default");
            if (fallback != null && !object.has(property.getKey())) {
                object.set(property.getKey(), fallback.deepCopy());
            }
        }
        for (JsonNode required : schema.path("required")) {
            if (!object.has(required.asText())) {
                JsonNode missing = properties.path(required.asText());
                faults.add(new Fault(path + "." + required.asText(), "nothing", kindOf(missing)));
            }
        }
        for (Map.Entry<String, JsonNode> property : properties.properties()) {
            JsonNode child = object.get(property.getKey());
            if (child != null) {
                judge(property.getValue(), child, path + "." + property.getKey(), faults);
            }
        }
    }

    private static void judgeList(JsonNode schema, JsonNode value, String path, List<Fault> faults) {
        if (!value.isArray()) {
            faults.add(new Fault(path, shown(value), "a list"));
            return;
        }
        long min = schema.path("minItems").asLong(0);
        long max = schema.path("maxItems").asLong(Long.MAX_VALUE);
        if (value.size() < min || value.size() > max) {
            String needed = value.size() < min ? "at least " + min : "at most " + max;
            faults.add(new Fault(path, value.size() + " items", needed));
            return;
        }
        String key = schema.path("x-kubernetes-list-map-keys").path(0).asText();
        boolean set = schema.path("x-kubernetes-list-type").asText().equals("set");
        Set<JsonNode> seen = new HashSet<>();
        for (int i = 0; i < value.size(); i++) {
            JsonNode item = value.get(i);
            judge(schema.get("items"), item, path + "[" + i + "]", faults);
            JsonNode identity = set ? item : key.isEmpty() ? null : item.get(key);
            if (identity != null && !seen.add(identity)) {
                faults.add(new Fault(
                        path + "[" + i + "]" + (set ? "" : "." + key),
                        shown(identity) + " a second time",
                        "a different one for each item"));
            }
        }
    }

    private static void judgeString(JsonNode schema, JsonNode value, String path, List<Fault> faults) {
        if (!value.isTextual()) {
            faults.add(new Fault(path, shown(value), kindOf(schema)));
            return;
        }
        String text = value.asText();
        if (schema.has("enum")) {
            if (StreamSupport.stream(schema.get("enum").spliterator(), false)
                    .noneMatch(allowed -> allowed.asText().equals(text))) {
                faults.add(new Fault(path, shown(value), kindOf(schema)));
            }
            return;
        }
        int length = text.codePointCount(0, text.length());
        long min = schema.path("minLength").asLong(0);
        long max = schema.path("maxLength").asLong(Long.MAX_VALUE);
        if (length < min || length > max) {
            faults.add(new Fault(
                    path,
                    shown(value),
                    length < min ? "at least " + min + " characters" : "at most " + max + " characters"));
        } else if (schema.has("pattern")
                && !Pattern.compile(schema.get("pattern").asText())
                        .matcher(text)
                        .find()) {
            faults.add(new Fault(
                    path, shown(value), "text like " + schema.get("pattern").asText()));
        }
    }

    private static void judgeBounds(JsonNode schema, JsonNode value, String path, List<Fault> faults) {
        if (schema.has("minimum") && value.asDouble() < schema.get("minimum").asDouble()) {
            faults.add(new Fault(
                    path, shown(value), "at least " + schema.get("minimum").asText()));
        } else if (schema.has("maximum")
                && value.asDouble() > schema.get("maximum").asDouble()) {
            faults.add(new Fault(
                    path, shown(value), "at most " + schema.get("maximum").asText()));
        }
    }

    private static void judgeQuantity(JsonNode value, String path, List<Fault> faults) {
        boolean good = value.isNumber() || value.isTextual();
        if (good) {
            try {
                good = Quantity.parse(value.asText()).getNumericalAmount().signum() > 0;
            } catch (IllegalArgumentException e) {
                good = false;
            }
        }
        if (!good) {
            faults.add(new Fault(path, shown(value), "a quantity above zero, such as 3, 500m or 2Gi"));
        }
    }

    private static String kindOf(JsonNode schema) {
        if (schema.has("enum")) {
            List<String> values = new ArrayList<>();
            schema.get("enum").forEach(value -> values.add(value.asText()));
            return "one of " + String.join(", ", values);
        }
        return switch (schema.path("type").asText()) {
            case "object" -> "an object with " + String.join(", ", names(schema.path("properties")));
            case "array" -> "a list";
            case "string" -> "text";
            case "integer" -> "a whole number";
            default -> "a value";
        };
    }

    private static List<String> names(JsonNode object) {
        return object.properties().stream().map(Map.Entry::getKey).toList();
    }

    private static String shown(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return "nothing";
        }
        String text = value.toString();
        return text.length() <= 80 ? text : text.substring(0, 77) + "...";
    }
}
