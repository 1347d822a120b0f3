package io.upfdataplane.operator.render;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.upfdataplane.operator.plan.Plan;
import java.util.ArrayList;
import java.util.List;

/** A plan as objects of Kubernetes, or as the one file that a dataplane on a bare host reads. */
public final class Render {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** For people: texts of several lines as blocks, and quotes only where a reader would take a text for a number. */
    private static final YAMLMapper VIEW = YAMLMapper.builder(YAMLFactory.builder()
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
                    .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                    .enable(YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
                    .disable(YAMLGenerator.Feature.SPLIT_LINES)
                    .build())
            .build();

    private Render() {}

    /** In the order in which they are applied: what a pod needs before the pod. */
    public static List<HasMetadata> objects(Plan plan, String image) {
        List<HasMetadata> objects = new ArrayList<>();
        objects.add(ConfigMapObject.of(plan));
        objects.addAll(NetworkAttachments.of(plan));
        objects.add(StatefulSetObject.of(plan, image));
        return List.copyOf(objects);
    }

    public static String configFile(Plan plan) {
        return DataplaneConfigFile.of(plan);
    }

    /** The objects as one YAML text, the same for the same plan in every process. */
    public static String yaml(List<HasMetadata> objects) {
        StringBuilder text = new StringBuilder();
        for (HasMetadata object : objects) {
            JsonNode tree = JSON.valueToTree(object);
            try {
                text.append(text.isEmpty() ? "" : "---\n").append(VIEW.writeValueAsString(tree));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a tree can always be written", e);
            }
        }
        return text.toString();
    }
}
