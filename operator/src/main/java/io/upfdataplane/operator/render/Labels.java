package io.upfdataplane.operator.render;

import io.upfdataplane.operator.model.UpfModel;
import java.util.Map;
import java.util.TreeMap;

/** How everything that belongs to one UpfDataplane is marked; pruning and listing go by these. */
public final class Labels {
    public static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    public static final String INSTANCE = "app.kubernetes.io/instance";
    public static final String OPERATOR = "upf-operator";

    private Labels() {}

    public static Map<String, String> of(UpfModel model) {
        Map<String, String> labels = new TreeMap<>(selector(model));
        labels.put(MANAGED_BY, OPERATOR);
        return labels;
    }

    static Map<String, String> selector(UpfModel model) {
        return new TreeMap<>(Map.of("app.kubernetes.io/name", "upf-dataplane", INSTANCE, model.name()));
    }
}
