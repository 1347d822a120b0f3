package io.upfdataplane.operator.render;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.plan.Running;
import org.jspecify.annotations.Nullable;

/** The file that the dataplane reads and watches: what shall run, and what ran well before. */
public final class DataplaneConfigFile {
    /** Its name, in the ConfigMap and on a host. */
    public static final String NAME = "config.yaml";

    private DataplaneConfigFile() {}

    static String of(Plan plan) {
        return write(plan.model().generation(), plan.candidate(), plan.lastGood());
    }

    /** The file in force, once its candidate is known to run: the same candidate, now also the last good one. */
    public static String promoted(long generation, Running running) {
        ObjectNode candidate = running.candidate();
        if (candidate == null) {
            throw new IllegalArgumentException("nothing was rendered yet that could be promoted");
        }
        return write(generation, candidate, running.lastGood());
    }

    private static String write(long generation, ObjectNode candidate, @Nullable ObjectNode lastGood) {
        ObjectNode file = Yaml.MAPPER.createObjectNode();
        file.put("apiVersion", "dataplane.upfdataplane.io/v1alpha1");
        file.put("kind", "DataplaneConfig");
        file.put("generation", generation);
        file.set("candidate", candidate);
        file.set("lastGood", lastGood);
        try {
            return Yaml.MAPPER.writeValueAsString(file);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }
}
