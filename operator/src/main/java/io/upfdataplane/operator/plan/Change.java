package io.upfdataplane.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** One field that differs between what runs and what is planned, and whether it can change under traffic. */
public record Change(String field, String from, String to, boolean inPlace) {
    /** Of these, the dataplane can take a new value while it runs; all others need a new process. */
    private static final List<String> IN_PLACE = List.of("mode", "dataNetworks", "pfcp");

    private static final List<String> NOT_IN_PLACE = List.of("pfcp.nodeId", "pfcp.bindAddress", "pfcp.bindPort");

    static List<Change> between(ObjectNode from, ObjectNode to) {
        Map<String, String> before = flat(from);
        Map<String, String> after = flat(to);
        Set<String> fields = new TreeSet<>(before.keySet());
        fields.addAll(after.keySet());
        List<Change> changes = new ArrayList<>();
        for (String field : fields) {
            String was = before.getOrDefault(field, "nothing");
            String becomes = after.getOrDefault(field, "nothing");
            if (!was.equals(becomes)) {
                changes.add(new Change(field, was, becomes, isInPlace(field)));
            }
        }
        return changes;
    }

    /** What is left when all is taken away that can change in a running process. */
    static ObjectNode withoutInPlaceFields(ObjectNode candidate) {
        ObjectNode rest = candidate.objectNode();
        flat(candidate).forEach((field, value) -> {
            if (!isInPlace(field)) {
                rest.put(field, value);
            }
        });
        return rest;
    }

    private static boolean isInPlace(String field) {
        return IN_PLACE.stream().anyMatch(room -> isWithin(field, room))
                && NOT_IN_PLACE.stream().noneMatch(room -> isWithin(field, room));
    }

    private static boolean isWithin(String field, String room) {
        return field.equals(room) || field.startsWith(room + ".") || field.startsWith(room + "[");
    }

    private static Map<String, String> flat(ObjectNode candidate) {
        Map<String, String> fields = new TreeMap<>();
        for (Map.Entry<String, JsonNode> field : candidate.properties()) {
            if (!field.getKey().equals("planHash")) {
                flatten(field.getKey(), field.getValue(), fields);
            }
        }
        return fields;
    }

    private static void flatten(String path, JsonNode value, Map<String, String> into) {
        if (value.isObject()) {
            value.properties().forEach(field -> flatten(path + "." + field.getKey(), field.getValue(), into));
        } else if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                flatten(path + "[" + i + "]", value.get(i), into);
            }
        } else {
            into.put(path, value.asText());
        }
    }

    @Override
    public String toString() {
        return field + ": " + from + " → " + to + (inPlace ? " (in place)" : " (needs a new process)");
    }
}
