package io.upfdataplane.operator.render;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.plan.Plan;

/** The ConfigMap that carries the dataplane's file into the pod. */
public final class ConfigMapObject {
    private ConfigMapObject() {}

    /** The name of the ConfigMap of the UpfDataplane of that name. */
    public static String nameOf(String upf) {
        return upf + "-config";
    }

    static ConfigMap of(Plan plan) {
        return holding(plan.model(), DataplaneConfigFile.of(plan));
    }

    /** The same ConfigMap with another content: used when a candidate has become the last good one. */
    public static ConfigMap holding(UpfModel model, String file) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(nameOf(model.name()))
                .withNamespace(model.namespace())
                .withLabels(Labels.of(model))
                .endMetadata()
                .addToData(DataplaneConfigFile.NAME, file)
                .build();
    }
}
