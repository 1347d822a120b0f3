package io.upfdataplane.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.upfdataplane.operator.api.Messages;
import io.upfdataplane.operator.model.MalformedResources;
import io.upfdataplane.operator.model.Yaml;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The installed schema on a real API server: it refuses what a host without one refuses, and fills the same defaults. */
class CrdIT {
    private static ApiServer server;

    @BeforeAll
    static void open() throws IOException {
        server = ApiServer.open();
    }

    @AfterAll
    static void close() {
        if (server != null) {
            server.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> theApiServerRefusesWhatWeRefuse() throws IOException {
        List<String> messages = messages();
        return MalformedResources.all().stream()
                .map(wrong -> DynamicTest.dynamicTest(wrong.name(), () -> {
                    KubernetesClientException refused =
                            catchThrowableOfType(KubernetesClientException.class, () -> create(wrong.resource()));
                    assertThat(refused).as("must be refused").isNotNull();
                    assertThat(refused.getCode()).isIn(400, 422);
                    if (messages.contains(wrong.needed())) {
                        assertThat(refused.getMessage()).contains(wrong.needed());
                    }
                }));
    }

    @Test
    void defaultsAreFilled() throws IOException {
        JsonNode created = Yaml.MAPPER.valueToTree(create(
                Yaml.MAPPER.readTree(Path.of("../examples/upfdataplane.yaml").toFile())));
        assertThat(created.at("/spec/pfcp/bindPort").asInt()).isEqualTo(8805);
        assertThat(created.at("/spec/pfcp/heartbeat/interval").asText()).isEqualTo("10s");
        assertThat(created.at("/spec/capacity/maxSessions").asInt()).isEqualTo(10000);
        assertThat(created.at("/spec/preflight/policy").asText()).isEqualTo("Enforce");
        assertThat(created.at("/spec/paused").asBoolean(true)).isFalse();
    }

    @Test
    void anEmptyUnionMemberStays() throws IOException {
        ObjectNode resource = (ObjectNode)
                Yaml.MAPPER.readTree(Path.of("../examples/upfdataplane.yaml").toFile());
        ((ObjectNode) resource.at("/spec/interfaces"))
                .set("n4", Yaml.MAPPER.readTree("{attachment: {podNetwork: {}}}"));
        JsonNode created = Yaml.MAPPER.valueToTree(create(resource));
        assertThat(created.at("/spec/interfaces/n4/attachment/podNetwork").isObject())
                .isTrue();
    }

    /** Dry: judged and defaulted, and not stored. */
    private static GenericKubernetesResource create(JsonNode resource) {
        GenericKubernetesResource object =
                Serialization.unmarshal(resource.toString(), GenericKubernetesResource.class);
        object.getMetadata().setNamespace(server.namespace);
        return server.client
                .resource(object)
                .dryRun(true)
                .fieldValidation(io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation.STRICT)
                .create();
    }

    private static List<String> messages() {
        return Arrays.stream(Messages.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()))
                .map(CrdIT::text)
                .toList();
    }

    private static String text(Field field) {
        try {
            return (String) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
