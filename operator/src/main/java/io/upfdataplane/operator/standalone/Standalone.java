package io.upfdataplane.operator.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplaneStatus;
import io.upfdataplane.operator.api.UpfDataplaneStatus.Method;
import io.upfdataplane.operator.model.Fault;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.plan.Running;
import io.upfdataplane.operator.preflight.Cleared;
import io.upfdataplane.operator.preflight.Finding;
import io.upfdataplane.operator.preflight.Place;
import io.upfdataplane.operator.preflight.Preflight;
import io.upfdataplane.operator.preflight.Refused;
import io.upfdataplane.operator.preflight.Verdict;
import io.upfdataplane.operator.render.DataplaneConfigFile;
import io.upfdataplane.operator.render.Render;
import io.upfdataplane.operator.status.DataplaneReport;
import io.upfdataplane.operator.status.Judgement;
import io.upfdataplane.operator.status.Observed;
import io.upfdataplane.operator.status.UpfStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The operator of one host: a file is the API server, a child process the pod. Editing the file is editing the resource.
 * All of it runs on one thread, which first moves into the network namespace.
 */
final class Standalone {
    /** In the directory of this program: what the dataplane itself keeps. */
    static final String DATAPLANE_STATE = "dataplane";

    private static final long TICK_MILLIS = 200;
    private static final long REPORT_EVERY_TICKS = 2;
    private static final int LOOKS_TO_WAIT = 5;
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final String PROBE_FAILED = "ProbeFailed";

    private final Path resourceFile;
    private final Path statusFile;
    private final Path configFile;
    private final String stateDirectory;
    private final Host host;
    private final DataplaneChild child;
    private final Screen screen;
    private final Clock clock;

    private Running running;
    private Judgement judgement = new Judgement.NotJudged("Starting", "the resource was not read yet");
    private @Nullable String lastText;
    private @Nullable JsonNode resource;
    private @Nullable UpfModel model;
    private @Nullable String handedOver;
    private @Nullable DataplaneReport report;
    private @Nullable UpfDataplaneStatus status;
    private @Nullable String seenText;
    private int missedLooks;
    private long retryDueNanos;
    private List<Finding> shownFindings = List.of();
    private @Nullable String replacedFor;
    private long generation;

    Standalone(Path resourceFile, Path directory, Path statusFile, Host host, DataplaneChild child, Screen screen)
            throws IOException {
        this.resourceFile = resourceFile;
        this.statusFile = statusFile;
        this.configFile = directory.resolve(DataplaneConfigFile.NAME);
        this.stateDirectory = directory.resolve(DATAPLANE_STATE).toString();
        this.host = host;
        this.child = child;
        this.screen = screen;
        this.clock = Clock.systemUTC();
        Files.createDirectories(Path.of(stateDirectory));
        this.running = readRunning();
    }

    /** Goes on until the thread is interrupted, then ends the dataplane and puts the host back. */
    void run() throws IOException {
        try {
            for (long tick = 0; !Thread.currentThread().isInterrupted(); tick++) {
                follow();
                if (running.candidate() != null && model != null) {
                    child.keepRunning();
                }
                if (tick % REPORT_EVERY_TICKS == 0) {
                    report = child.report();
                    promote();
                    replaceWhenAsked();
                }
                publish();
                Thread.sleep(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            screen.event("stopping");
        }
        end();
    }

    private void end() {
        boolean interrupted = Thread.interrupted(); // the end itself must not be cut short
        try {
            child.stop();
            host.restore();
            screen.event("stopped");
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Judges the file anew when its text has changed, and again while what it asks for could not be carried out. */
    private void follow() throws InterruptedException, IOException {
        String text = readResource();
        if (text != null && !text.equals(lastText)) {
            lastText = text;
            generation++;
            screen.event("the resource, edit " + generation);
            judgeAndCarryOut(text);
        } else if (lastText != null && isUnsettled() && System.nanoTime() - retryDueNanos >= 0) {
            judgeAndCarryOut(lastText);
        }
    }

    /** The text, once two looks in a row found the same: a writer that truncates first is not taken at its half. */
    private @Nullable String readResource() throws IOException {
        String text;
        try {
            text = new String(Files.readAllBytes(resourceFile), StandardCharsets.UTF_8);
        } catch (IOException e) {
            if (lastText == null) {
                throw new IOException("the resource cannot be read: " + e.getMessage(), e);
            }
            // An editor takes the file away for a moment, a deployment for longer.
            if (++missedLooks == LOOKS_TO_WAIT) {
                screen.event(resourceFile + " cannot be read (" + e.getMessage() + "); what runs goes on as it is");
            }
            return null;
        }
        if (missedLooks >= LOOKS_TO_WAIT) {
            screen.event(resourceFile + " is there again");
        }
        missedLooks = 0;
        boolean steady = lastText == null || text.equals(seenText);
        seenText = text;
        return steady ? text : null;
    }

    /** Whether another look at this host may come out differently although nobody has edited the resource. */
    private boolean isUnsettled() {
        return handedOver != null
                || judgement instanceof Judgement.NotJudged(String reason, String message)
                        && reason.equals(PROBE_FAILED)
                || judgement instanceof Judgement.NotCleared && running.candidate() == null;
    }

    private void judgeAndCarryOut(String text) throws InterruptedException {
        handedOver = null;
        retryDueNanos = System.nanoTime() + RETRY.toNanos();
        judgement = judge(text);
        if (judgement instanceof Judgement.Planned(Plan plan)) {
            carryOut(plan);
        }
    }

    private Judgement judge(String text) throws InterruptedException {
        try {
            JsonNode parsed = ResourceFile.parse(text);
            if (parsed.path("metadata") instanceof ObjectNode metadata) {
                metadata.put("generation", generation);
            }
            resource = parsed;
            UpfModel judged = UpfModel.of(parsed);
            model = judged;
            if (judged.paused()) {
                return new Judgement.NotJudged("Paused", "spec.paused is true");
            }
            NodeFacts facts = host.probe().withOwnDevices(child.isAlive() ? host.taken() : Set.of());
            // A new process of ours chooses anew what Auto is: nothing runs yet.
            Verdict verdict = Preflight.check(judged, facts, Place.HOST, child.wasStarted() ? running.mode() : null);
            if (!verdict.findings().equals(shownFindings)) {
                screen.preflight(verdict);
                shownFindings = verdict.findings();
            }
            return switch (verdict) {
                case Refused refused -> new Judgement.NotCleared(refused);
                case Cleared cleared -> new Judgement.Planned(Plan.of(cleared, running, stateDirectory));
            };
        } catch (Malformed malformed) {
            screen.malformed(malformed);
            return new Judgement.NotAccepted(malformed);
        } catch (IOException e) {
            return new Judgement.NotJudged(PROBE_FAILED, "this host could not be probed: " + e.getMessage());
        }
    }

    /** Hands the plan over: by the file alone where the dataplane can follow, else by a new process. */
    private void carryOut(Plan plan) throws InterruptedException {
        screen.plan(plan);
        try {
            if (plan.method() != Method.InPlace) { // also one that never came up with an earlier candidate
                child.stop();
            }
            host.prepare(plan.model(), plan.cleared().facts());
            ResourceFile.replace(configFile, Render.configFile(plan));
            running = new Running(plan.candidate(), plan.lastGood(), null);
            host.raiseMtus(plan.model());
        } catch (IOException e) {
            handedOver = e.getMessage();
        }
    }

    /** What the dataplane says it cannot change while it runs is changed by a new process. */
    private void replaceWhenAsked() throws InterruptedException {
        String candidate = running.candidate() == null
                ? null
                : running.candidate().path("planHash").asText();
        if (report != null && report.needsRestartFor(candidate) && !Objects.equals(candidate, replacedFor)) {
            replacedFor = candidate;
            screen.event("the dataplane cannot take " + String.join(", ", report.restartNeeded())
                    + " while it runs: it is replaced");
            child.stop();
        }
    }

    /** A candidate that runs is what a restart may fall back to. */
    private void promote() throws IOException {
        if (report == null || !report.ready()) {
            return;
        }
        Running promoted = running.promoted(report.runningHash());
        if (!promoted.equals(running)) {
            ResourceFile.replace(configFile, DataplaneConfigFile.promoted(generation, promoted));
            running = promoted;
        }
    }

    private void publish() throws IOException {
        Mode desired = model == null ? null : model.mode();
        UpfDataplaneStatus now = UpfStatus.of(
                judgement,
                new Observed(
                        generation,
                        desired,
                        handedOver,
                        report,
                        child.silence(),
                        null,
                        model != null && model.paused(),
                        clock.instant()),
                status);
        if (now.equals(status)) {
            return;
        }
        screen.conditions(status, now);
        status = now;
        ObjectNode shown = resource instanceof ObjectNode object
                ? object.deepCopy()
                : Yaml.MAPPER.createObjectNode().put("apiVersion", "upfdataplane.io/v1alpha1");
        shown.set("status", Yaml.MAPPER.valueToTree(now));
        ResourceFile.replace(statusFile, Yaml.MAPPER.writeValueAsString(shown));
    }

    /** What an earlier run of this program left: its last good configuration outlives it. */
    private Running readRunning() throws IOException {
        if (!Files.exists(configFile)) {
            return Running.NOTHING;
        }
        try {
            Running left = Running.of(ResourceFile.parse(Files.readString(configFile)));
            return new Running(left.lastGood(), left.lastGood(), null);
        } catch (Malformed e) {
            List<Fault> faults = e.faults();
            screen.event(configFile + " of an earlier run cannot be read and is written anew: " + faults.getFirst());
            return Running.NOTHING;
        }
    }
}
