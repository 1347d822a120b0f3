package io.upfdataplane.operator.render;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.plan.Plan;

/** The ConfigMap that carries the dataplane's file into the pod. */
public final class ConfigMapObject {
    private ConfigMapObject() {}

    public static String nameOf(UpfModel model) {
        return model.name() + "-config";
    }

    static ConfigMap of(Plan plan) {
        return holding(plan.model(), DataplaneConfigFile.of(plan));
    }

    /** The same ConfigMap with another content: used when a candidate has become the last good one. */
    public static ConfigMap holding(UpfModel model, String file) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(nameOf(model))
                .withNamespace(model.namespace())
                .withLabels(Labels.of(model))
                .endMetadata()
                .addToData(DataplaneConfigFile.NAME, file)
                .build();
    }
}
