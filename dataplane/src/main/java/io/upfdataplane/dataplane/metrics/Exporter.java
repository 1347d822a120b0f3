package io.upfdataplane.dataplane.metrics;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Our metrics and the JVM's in the text format of Prometheus, read anew for each scrape. Any thread. */
public final class Exporter {
    private final PrometheusRegistry registry = new PrometheusRegistry();

    public Exporter(Supplier<Reading> source) {
        JvmMetrics.builder().register(registry);
        registry.register((MultiCollector) () -> snapshots(source.get()));
    }

    private static MetricSnapshots snapshots(Reading reading) {
        List<MetricSnapshot> snapshots = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            List<Reading.Sample> samples = reading.of(metric);
            if (!samples.isEmpty()) {
                snapshots.add(metric.kind() == Metric.Kind.COUNTER ? counter(metric, samples) : gauge(metric, samples));
            }
        }
        return new MetricSnapshots(snapshots);
    }

    private static MetricSnapshot counter(Metric metric, List<Reading.Sample> samples) {
        CounterSnapshot.Builder builder =
                CounterSnapshot.builder().name(metric.base()).help(metric.help());
        for (Reading.Sample sample : samples) {
            builder.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                    .value(sample.value())
                    .labels(labels(metric, sample))
                    .build());
        }
        return builder.build();
    }

    private static MetricSnapshot gauge(Metric metric, List<Reading.Sample> samples) {
        GaugeSnapshot.Builder builder =
                GaugeSnapshot.builder().name(metric.base()).help(metric.help());
        for (Reading.Sample sample : samples) {
            builder.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                    .value(sample.value())
                    .labels(labels(metric, sample))
                    .build());
        }
        return builder.build();
    }

    private static Labels labels(Metric metric, Reading.Sample sample) {
        return Labels.of(metric.labels(), sample.labels());
    }

    public String contentType() {
        return PrometheusTextFormatWriter.CONTENT_TYPE;
    }

    public void write(OutputStream out) throws IOException {
        PrometheusTextFormatWriter.builder().build().write(out, registry.scrape());
    }
}
