package io.upfdataplane.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.upfdataplane.operator.api.UpfDataplaneStatus;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.plan.Running;
import io.upfdataplane.operator.preflight.Cleared;
import io.upfdataplane.operator.preflight.Place;
import io.upfdataplane.operator.preflight.Preflight;
import io.upfdataplane.operator.preflight.Refused;
import io.upfdataplane.operator.render.Render;
import io.upfdataplane.operator.status.DataplaneReport;
import io.upfdataplane.operator.status.Judgement;
import io.upfdataplane.operator.status.Observed;
import io.upfdataplane.operator.status.UpfStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The whole core on folders: a resource and a node report in ({@code cr.yaml}, {@code node-report.yaml}), rendered
 * objects and status out. {@code before.yaml} is the resource that runs when {@code cr.yaml} arrives, and
 * {@code dataplane-status.json} what the dataplane says then. {@code -Dgolden.write=true} writes what comes out; the
 * difference is judged in review.
 */
class GoldenTest {
    private static final Path CASES = Path.of("src/test/resources/golden");
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TestFactory
    Stream<DynamicTest> everyCaseComesOutAsItIsWritten() throws IOException {
        try (Stream<Path> folders = Files.list(CASES)) {
            return folders.filter(Files::isDirectory).sorted().toList().stream()
                    .map(folder ->
                            DynamicTest.dynamicTest(folder.getFileName().toString(), () -> comesOutAsWritten(folder)));
        }
    }

    private static void comesOutAsWritten(Path folder) throws Exception {
        Running running = Running.NOTHING;
        if (Files.exists(folder.resolve("before.yaml"))) {
            Judgement before = judge(read(folder.resolve("before.yaml")), facts(folder), Running.NOTHING);
            assertThat(before).isInstanceOf(Judgement.Planned.class);
            Plan ran = ((Judgement.Planned) before).plan();
            running = new Running(ran.candidate(), null, ran.processHash()).promoted(ran.hash());
        }
        JsonNode resource = read(folder.resolve("cr.yaml"));
        Judgement judgement = judge(resource, facts(folder), running);
        String beforeHash = running.candidate() == null
                ? ""
                : running.candidate().path("planHash").asText();
        String objects = "";
        String candidateHash = "";
        if (judgement instanceof Judgement.Planned(Plan plan)) {
            objects = Render.yaml(Render.objects(plan, "registry.example/upf-dataplane:0.1"));
            candidateHash = plan.hash();
        }
        DataplaneReport report = null;
        if (Files.exists(folder.resolve("dataplane-status.json"))) {
            report = DataplaneReport.of(Yaml.MAPPER.readTree(Files.readString(folder.resolve("dataplane-status.json"))
                    .replace("HASH-BEFORE", beforeHash)
                    .replace("HASH-CANDIDATE", candidateHash)));
        }
        UpfDataplaneStatus status = UpfStatus.of(
                judgement,
                new Observed(
                        resource.at("/metadata/generation").asLong(1),
                        io.upfdataplane.operator.api.Mode.valueOf(
                                resource.at("/spec/mode").asText()),
                        null,
                        report,
                        "the pod was not started yet",
                        report == null ? null : "edge-0",
                        resource.at("/spec/paused").asBoolean(),
                        NOW),
                null);
        expect(folder.resolve("objects.yaml"), objects);
        expect(folder.resolve("status.yaml"), Yaml.MAPPER.writeValueAsString(status));
    }

    private static Judgement judge(JsonNode resource, NodeFacts facts, Running running) {
        try {
            UpfModel model = UpfModel.of(resource);
            if (model.paused()) {
                return new Judgement.NotJudged("Paused", "spec.paused is true");
            }
            return switch (Preflight.check(model, facts, Place.POD, running.mode())) {
                case Refused refused -> new Judgement.NotCleared(refused);
                case Cleared cleared -> new Judgement.Planned(Plan.forPod(cleared, running));
            };
        } catch (Malformed malformed) {
            return new Judgement.NotAccepted(malformed);
        }
    }

    private static NodeFacts facts(Path folder) throws IOException, Malformed {
        Path own = folder.resolve("node-report.yaml");
        return NodeFacts.of(read(Files.exists(own) ? own : Path.of("../examples/node-report.yaml")));
    }

    private static JsonNode read(Path file) throws IOException {
        return Yaml.MAPPER.readTree(Files.readString(file));
    }

    private static void expect(Path file, String text) throws IOException {
        if (Boolean.getBoolean("golden.write")) {
            Files.writeString(file, text);
        }
        assertThat(file)
                .as("run with -Dgolden.write=true and judge the difference")
                .hasContent(text);
    }
}
