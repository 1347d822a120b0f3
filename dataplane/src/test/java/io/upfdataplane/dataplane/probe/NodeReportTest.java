package io.upfdataplane.dataplane.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The report is a contract: the example that the operator reads has no field that the probe does not write. */
class NodeReportTest {
    private static final YAMLMapper STRICT = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    @Test
    void theExampleIsWhatTheProbeWrites() throws Exception {
        NodeReport report =
                STRICT.readValue(Path.of("../examples/node-report.yaml").toFile(), NodeReport.class);
        assertThat(report.apiVersion()).isEqualTo(NodeReport.API_VERSION);
        assertThat(report.kind()).isEqualTo(NodeReport.KIND);
        assertThat(report.spec().interfaces())
                .extracting(NodeReport.Device::name)
                .contains("n3", "n6");
        assertThat(STRICT.readValue(report.toYaml(), NodeReport.class)).isEqualTo(report);
    }

    /** 52:54:00:12:34:56 is a number to base 60 for a reader of YAML 1.1, and 2026-01-01 a date. */
    @Test
    void quotesWhatOtherReadersWouldTakeForNumbersAndDates() throws Exception {
        NodeReport report =
                STRICT.readValue(Path.of("../examples/node-report.yaml").toFile(), NodeReport.class);
        assertThat(report.toYaml())
                .contains("macAddress: \"02:00:00:00:03:01\"")
                .contains("probedAt: \"20");
    }
}
