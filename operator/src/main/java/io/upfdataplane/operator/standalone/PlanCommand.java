package io.upfdataplane.operator.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.plan.Running;
import io.upfdataplane.operator.preflight.Cleared;
import io.upfdataplane.operator.preflight.Place;
import io.upfdataplane.operator.preflight.Preflight;
import io.upfdataplane.operator.preflight.Refused;
import io.upfdataplane.operator.preflight.Verdict;
import io.upfdataplane.operator.render.Render;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Preflight, plan and rendered objects on the screen, for reviews and CI; touches nothing. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description = "Shows what would happen: preflight, plan and rendered objects. Exit code 0, or 2 when refused.")
public final class PlanCommand implements Callable<Integer> {
    private static final int REFUSED = 2;

    @Option(
            names = {"-f", "--file"},
            required = true,
            description = "the UpfDataplane")
    private Path resource = Path.of("");

    @Option(names = "--node-report", required = true, description = "what `dataplane probe` printed on the node")
    private Path nodeReport = Path.of("");

    @Option(names = "--current", description = "the configuration file in force, to plan a change to it")
    private @Nullable Path current;

    @Option(
            names = "--image",
            defaultValue = "upf-dataplane:latest",
            description = "image of the dataplane when the resource names none (default: ${DEFAULT-VALUE})")
    private String image = "";

    @Option(names = "--host", description = "plan for a bare host (standalone) instead of a pod")
    private boolean host;

    @Override
    public Integer call() throws IOException {
        Screen screen = new Screen(System.out);
        Running running = Running.NOTHING;
        UpfModel model;
        NodeFacts facts;
        try {
            model = UpfModel.of(ResourceFile.parse(Files.readString(resource)));
            facts = NodeFacts.of(ResourceFile.parse(Files.readString(nodeReport)));
            if (current != null) {
                JsonNode inForce = ResourceFile.parse(Files.readString(current));
                running = Running.of(inForce);
            }
        } catch (Malformed malformed) {
            screen.malformed(malformed);
            return REFUSED;
        }
        Verdict verdict = Preflight.check(model, facts, host ? Place.HOST : Place.POD, running.mode());
        screen.preflight(verdict);
        return switch (verdict) {
            case Refused refused -> {
                screen.recommendation(refused.recommendation());
                screen.line("Refused. " + refused.why());
                yield REFUSED;
            }
            case Cleared cleared -> {
                screen.recommendation(cleared.recommendation());
                show(
                        screen,
                        host
                                ? Plan.of(cleared, running, StandaloneCommand.STATE + "/" + Standalone.DATAPLANE_STATE)
                                : Plan.forPod(cleared, running));
                yield 0;
            }
        };
    }

    private void show(Screen screen, Plan plan) {
        screen.line("");
        screen.plan(plan);
        screen.tuning(plan);
        screen.line("");
        if (host) {
            screen.line(Render.configFile(plan));
            return;
        }
        String chosen = plan.model().image();
        screen.line(Render.yaml(Render.objects(plan, chosen == null ? image : chosen)));
    }
}
