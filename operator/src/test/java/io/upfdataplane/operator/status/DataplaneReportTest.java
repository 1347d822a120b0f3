package io.upfdataplane.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.model.Yaml;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What is read is what a dataplane writes: the example, which the dataplane's own tests hold against a running one. The
 * refusal, which the example does not have, is held against the golden case.
 */
class DataplaneReportTest {
    private static final Path EXAMPLE = Path.of("../examples/dataplane-status.json");
    private static final Path CASES = Path.of("src/test/resources/golden");

    @Test
    void everyFieldThatIsReadIsWrittenByTheDataplane() throws IOException {
        Set<String> read = new TreeSet<>();
        fields("", DataplaneReport.class, read);
        Set<String> written = new TreeSet<>();
        keys("", example(), written);
        read.removeIf(field -> field.startsWith("refused."));
        assertThat(written).containsAll(read);
    }

    @Test
    void theStatusesOfTheGoldenCasesHaveNoFieldThatTheDataplaneDoesNotWrite() throws IOException {
        Set<String> written = new TreeSet<>();
        keys("", example(), written);
        try (Stream<Path> files = Files.walk(CASES)) {
            for (Path file :
                    files.filter(f -> f.endsWith("dataplane-status.json")).toList()) {
                Set<String> used = new TreeSet<>();
                keys("", Yaml.MAPPER.readTree(file.toFile()), used);
                // Under drops the keys are reasons: data, of which an example has only those that occurred.
                used.removeIf(field -> field.startsWith("refused.") || field.contains(".drops."));
                assertThat(written).as(file.toString()).containsAll(used);
            }
        }
    }

    @Test
    void theExampleIsReadWhole() throws IOException {
        JsonNode example = example();
        DataplaneReport report = DataplaneReport.of(example);
        assertThat(report.runningHash())
                .isNotBlank()
                .isEqualTo(example.at("/plan/running").asText());
        assertThat(report.ready()).isTrue();
        assertThat(report.restartNeeded()).isEmpty();
        assertThat(report.lastTransition().interruptionMicros())
                .isPositive()
                .isEqualTo(example.at("/lastTransition/interruptionMicros").asLong());
        assertThat(report.interfaces())
                .extracting(DataplaneReport.Interface::leg)
                .containsExactly("n3", "n6");
        assertThat(report.interfaces().getLast().nextHops().getFirst().gateway())
                .isTrue();
        assertThat(report.peers().getFirst().state()).isEqualTo("Associated");
        assertThat(report.sessions().active())
                .isPositive()
                .isEqualTo(example.at("/sessions/active").asInt());
        assertThat(report.workers()).hasSize(2);
    }

    @Test
    void onlyTheCandidateThatTheDataplaneHasSeenCanAskForANewProcess() throws IOException {
        JsonNode example = example();
        ((ObjectNode) example).putArray("restartNeeded").add("workers");
        DataplaneReport report = DataplaneReport.of(example);
        assertThat(report.needsRestartFor(example.at("/plan/candidate").asText()))
                .isTrue();
        assertThat(report.needsRestartFor("0123456789ab")).isFalse();
        assertThat(report.needsRestartFor(null)).isFalse();
    }

    private static JsonNode example() throws IOException {
        return Yaml.MAPPER.readTree(EXAMPLE.toFile());
    }

    private static void keys(String path, JsonNode node, Set<String> into) {
        if (node.isArray()) {
            node.forEach(item -> keys(path, item, into));
        }
        node.properties().forEach(property -> {
            String inner = path + property.getKey();
            into.add(inner);
            keys(inner + ".", property.getValue(), into);
        });
    }

    private static void fields(String path, Class<?> type, Set<String> into) {
        for (RecordComponent component : type.getRecordComponents()) {
            String inner = path + component.getName();
            into.add(inner);
            Class<?> held = component.getType();
            if (List.class.equals(held)) {
                held = (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
            }
            if (held.isRecord()) {
                fields(inner + ".", held, into);
            }
        }
    }
}
