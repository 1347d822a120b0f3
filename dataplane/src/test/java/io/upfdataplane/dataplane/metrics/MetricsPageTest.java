package io.upfdataplane.dataplane.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/metrics.md and the exporter agree. */
class MetricsPageTest {
    @Test
    void listsEveryMetricWithItsKindLabelsAndMeaning() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("../docs/metrics.md")).stream()
                .filter(line -> line.startsWith("| `upf_"))
                .toList();
        assertThat(rows)
                .containsExactlyElementsOf(
                        Arrays.stream(Metric.values()).map(MetricsPageTest::row).toList());
    }

    private static String row(Metric metric) {
        String labels = metric.labels().isEmpty()
                ? "–"
                : String.join(
                        ", ", metric.labels().stream().map(l -> "`" + l + "`").toList());
        return "| `%s` | %s | %s | %s |"
                .formatted(
                        metric.exposed(),
                        metric.kind().name().toLowerCase(java.util.Locale.ROOT),
                        labels,
                        metric.help());
    }

    @Test
    void namesBeginWithOurPrefixAndSaySecondsBytesOrPacketsWhereTheyMeasureThem() {
        for (Metric metric : Metric.values()) {
            assertThat(metric.base()).matches("upf_[a-z0-9_]+").doesNotEndWith("_total");
            assertThat(metric.base()).doesNotContain("_ms", "_ns", "_micros", "_kb");
        }
    }
}
