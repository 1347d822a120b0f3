package io.upfdataplane.operator.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every wrong field gives one clear message. The integration test asks the API server about the same resources. */
class MalformedResourceTest {
    @TestFactory
    Stream<DynamicTest> everyWrongFieldIsToldOnceAndWhere() throws IOException {
        return MalformedResources.all().stream()
                .map(wrong -> DynamicTest.dynamicTest(wrong.name(), () -> {
                    Malformed malformed = catchThrowableOfType(Malformed.class, () -> UpfModel.of(wrong.resource()));
                    assertThat(malformed).as("must be refused").isNotNull();
                    assertThat(malformed.faults()).hasSize(1);
                    assertThat(malformed.faults().getFirst().field()).isEqualTo(wrong.field());
                    assertThat(malformed.faults().getFirst().needed()).contains(wrong.needed());
                    assertThat(malformed.faults().getFirst().found()).isNotBlank();
                }));
    }

    @Test
    void severalFaultsAreToldTogether() throws IOException {
        JsonNode resource = Yaml.MAPPER.readTree("""
                apiVersion: upfdataplane.io/v1alpha1
                kind: UpfDataplane
                metadata: {name: Bad_Name}
                spec: {mode: FAST, workers: 0, dataNetworks: []}
                """);
        Malformed malformed = catchThrowableOfType(Malformed.class, () -> UpfModel.of(resource));
        assertThat(malformed.faults())
                .extracting(Fault::field)
                .containsExactlyInAnyOrder(
                        "metadata.name", "spec.mode", "spec.workers", "spec.dataNetworks", "spec.interfaces");
    }

    @Test
    void whatIsNoObjectIsRefused() throws IOException {
        for (String text : List.of("just text", "[1, 2]", "null", "42")) {
            JsonNode tree = Yaml.MAPPER.readTree(text);
            assertThatThrownBy(() -> UpfModel.of(tree)).isInstanceOf(Malformed.class);
        }
    }

    @Test
    void theExampleIsAdmittedWithItsDefaults() throws Exception {
        UpfModel model = UpfModel.of(
                Yaml.MAPPER.readTree(Path.of("../examples/upfdataplane.yaml").toFile()));
        assertThat(model.pfcp().bindPort()).isEqualTo(8805);
        assertThat(model.pfcp().heartbeat()).isEqualTo(new UpfModel.Heartbeat("10s", "5s", 3));
        assertThat(model.maxSessions()).isEqualTo(10000);
        assertThat(model.networks().getFirst().networkInstance()).isEqualTo("internet");
        assertThat(model.pfcp().nodeId()).isEqualTo("10.33.0.1");
        assertThat(model.enforce()).isTrue();
    }

    @Test
    void everyRuleOfTheSchemaHasATwin() {
        assertThat(rules(Crd.named("upfdataplanes.upfdataplane.io").schema()))
                .isNotEmpty()
                .allMatch(Rules::has);
    }

    private static List<String> rules(JsonNode schema) {
        return schema.findValues("x-kubernetes-validations").stream()
                .flatMap(rules -> rules.findValuesAsText("message").stream())
                .distinct()
                .toList();
    }
}
