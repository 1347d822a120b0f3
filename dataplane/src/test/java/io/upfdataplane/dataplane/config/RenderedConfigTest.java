package io.upfdataplane.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What the operator renders is what the dataplane takes: its golden files are judged here. */
class RenderedConfigTest {
    private static final Path GOLDEN = Path.of("../operator/src/test/resources/golden");
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    @TestFactory
    Stream<DynamicTest> everyRenderedConfigurationIsValid() throws IOException {
        return folders().stream()
                .filter(folder -> !objects(folder).isEmpty())
                .map(folder -> DynamicTest.dynamicTest(folder.getFileName().toString(), () -> {
                    JsonNode map = objects(folder).stream()
                            .filter(object -> object.path("kind").asText().equals("ConfigMap"))
                            .findFirst()
                            .orElseThrow();
                    String file = map.at("/data/config.yaml").asText();
                    Judgement judgement = ConfigJudge.judge(file.getBytes(StandardCharsets.UTF_8));
                    assertThat(judgement).isInstanceOf(Judgement.Accepted.class);
                    DataplaneConfig config = ((Judgement.Accepted) judgement).config();
                    JsonNode rendered = YAML.readTree(file);
                    assertThat(config.candidate().planHash())
                            .isEqualTo(rendered.at("/candidate/planHash").asText());
                    assertThat(config.candidate().mode().name())
                            .isEqualTo(rendered.at("/candidate/mode").asText());
                    assertThat(config.lastGood() == null)
                            .isEqualTo(rendered.path("lastGood").isNull());
                }));
    }

    @Test
    void thereAreConfigurationsOfBothModesAndWithALastGoodPlan() throws IOException {
        List<String> configs = folders().stream()
                .flatMap(folder -> objects(folder).stream())
                .map(object -> object.at("/data/config.yaml").asText())
                .filter(text -> !text.isEmpty())
                .toList();
        assertThat(configs).anyMatch(text -> text.contains("mode: \"AF_PACKET\""));
        assertThat(configs).anyMatch(text -> text.contains("mode: \"AF_XDP\""));
        assertThat(configs).anyMatch(text -> text.contains("lastGood:\n  planHash"));
    }

    private static List<Path> folders() throws IOException {
        try (Stream<Path> folders = Files.list(GOLDEN)) {
            return folders.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static List<JsonNode> objects(Path folder) {
        Path file = folder.resolve("objects.yaml");
        try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            return documents.readAll();
        } catch (IOException e) {
            throw new IllegalStateException(file.toString(), e);
        }
    }
}
