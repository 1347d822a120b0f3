package io.upfdataplane.dataplane.metrics;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The values of all metrics at one moment. Filled by one thread, then read by one. */
public final class Reading {
    private final Map<Metric, List<Sample>> samples = new EnumMap<>(Metric.class);

    /**
     * @param labels values in the order of the metric's labels
     */
    record Sample(List<String> labels, double value) {}

    /** Adds a value. */
    public Reading put(Metric metric, double value, String... labels) {
        if (labels.length != metric.labels().size()) {
            throw new IllegalArgumentException(metric.base() + " has the labels " + metric.labels());
        }
        samples.computeIfAbsent(metric, m -> new ArrayList<>()).add(new Sample(List.of(labels), value));
        return this;
    }

    List<Sample> of(Metric metric) {
        return samples.getOrDefault(metric, List.of());
    }
}
