package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.upfdataplane.dataplane.config.ConfigJudge;
import io.upfdataplane.dataplane.config.DataplaneConfig;
import io.upfdataplane.dataplane.config.Judgement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What the operator's plan calls «in place» is what this dataplane changes while it runs, in every golden case of it. */
class AgreedChangesTest {
    private static final Path GOLDEN = Path.of("../operator/src/test/resources/golden");
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    @TestFactory
    Stream<DynamicTest> operatorAndDataplaneAgreeOnWhatNeedsANewProcess() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        try (Stream<Path> folders = Files.list(GOLDEN)) {
            for (Path folder : folders.filter(Files::isDirectory).sorted().toList()) {
                String file = config(folder.resolve("objects.yaml"));
                JsonNode changes =
                        YAML.readTree(folder.resolve("status.yaml").toFile()).at("/plan/changes");
                if (!file.isEmpty() && !changes.isEmpty()) {
                    tests.add(DynamicTest.dynamicTest(folder.getFileName().toString(), () -> agree(file, changes)));
                }
            }
        }
        assertThat(tests).hasSizeGreaterThanOrEqualTo(4);
        return tests.stream();
    }

    private static void agree(String file, JsonNode changes) {
        DataplaneConfig config =
                ((Judgement.Accepted) ConfigJudge.judge(file.getBytes(StandardCharsets.UTF_8))).config();
        assertThat(config.lastGood()).isNotNull();
        boolean newProcess = false;
        for (JsonNode change : changes) {
            newProcess |= change.asText().endsWith("(needs a new process)");
        }
        PlanDifference difference = PlanDifference.between(config.lastGood(), config.candidate());
        assertThat(!difference.restartNeeded().isEmpty())
                .as("the operator plans %s; the dataplane needs a restart for %s", changes, difference.restartNeeded())
                .isEqualTo(newProcess);
    }

    private static String config(Path objects) throws IOException {
        try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(objects.toFile())) {
            for (JsonNode object : documents.readAll()) {
                if (object.path("kind").asText().equals("ConfigMap")) {
                    return object.at("/data/config.yaml").asText();
                }
            }
            return "";
        }
    }
}
