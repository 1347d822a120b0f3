package io.upfdataplane.operator.plan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplaneStatus.Method;
import io.upfdataplane.operator.api.UpfDataplaneStatus.Tuned;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.preflight.Cleared;
import io.upfdataplane.operator.preflight.Mtu;
import io.upfdataplane.operator.preflight.Place;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is to run, and what the way there costs. Made from a cleared preflight only, and from nothing but its arguments:
 * the same model, facts and running state give the same plan in every process.
 */
public final class Plan {
    /** Where each place keeps what outlives a process. */
    private static final String POD_STATE = "/var/lib/upf";

    public static final int METRICS_PORT = 9464;
    private static final long JVM_BYTES = 384L << 20;
    private static final long SESSION_BYTES = 4096;
    private static final long ROUNDING_BYTES = 64L << 20;

    private final Cleared cleared;
    private final ObjectNode candidate;
    private final Running running;
    private final List<Change> changes;
    private final List<Tuned> tuning;
    private final BigDecimal cpus;
    private final long memoryBytes;

    private Plan(Cleared cleared, Running running, String stateDirectory) {
        this.cleared = cleared;
        this.running = running;
        UpfModel model = cleared.model();
        NodeFacts facts = cleared.facts();
        TuningChoice choice = TuningChoice.of(model, facts, cleared.place());
        this.tuning = choice.reasons();
        this.candidate = new Candidate(
                        model.mode(),
                        model.workers(),
                        new Candidate.Interfaces(
                                Candidate.leg(model.n3(), deviceOf(model.n3(), model, cleared.place())),
                                Candidate.leg(model.n6(), deviceOf(model.n6(), model, cleared.place()))),
                        model.networks().stream()
                                .map(network -> network(network, model, facts))
                                .toList(),
                        new Candidate.Pfcp(
                                model.pfcp().nodeId(),
                                model.pfcp().bindAddress(),
                                model.pfcp().bindPort(),
                                model.pfcp().role(),
                                model.pfcp().peers(),
                                model.pfcp().heartbeat(),
                                model.pfcp().retransmission()),
                        new Candidate.Capacity(model.maxSessions()),
                        choice.tuning(),
                        new Candidate.Observability("0.0.0.0", METRICS_PORT),
                        new Candidate.State(stateDirectory))
                .tree();
        ObjectNode inForce = running.inForce();
        this.changes = inForce == null ? List.of() : Change.between(inForce, candidate);
        BigDecimal cpuLimit = model.cpuLimit();
        this.cpus = cpuLimit == null ? BigDecimal.valueOf(model.workers() + 1L) : cpuLimit;
        Long memoryLimit = model.memoryLimitBytes();
        this.memoryBytes = memoryLimit == null ? memory(model, choice) : memoryLimit;
    }

    /** The plan for a pod or for this host, whose state lies in a directory of its own. */
    public static Plan of(Cleared cleared, Running running, String stateDirectory) {
        return new Plan(cleared, running, stateDirectory);
    }

    public static Plan forPod(Cleared cleared, Running running) {
        return new Plan(cleared, running, POD_STATE);
    }

    public UpfModel model() {
        return cleared.model();
    }

    public Cleared cleared() {
        return cleared;
    }

    public ObjectNode candidate() {
        return candidate.deepCopy();
    }

    public @Nullable ObjectNode lastGood() {
        return running.lastGood();
    }

    public String hash() {
        return candidate.path("planHash").asText();
    }

    /** The same for two plans when a running dataplane can go from one to the other. */
    public String processHash() {
        ObjectNode rest = Change.withoutInPlaceFields(candidate);
        // The pod's network is made with it.
        for (UpfModel.Leg leg : model().deviceLegs()) {
            rest.put("attach-" + leg.name(), leg.device() + " " + leg.address() + " " + leg.mtu());
        }
        return Candidate.hash(rest);
    }

    public Method method() {
        if (running.inForce() == null) {
            return Method.Start;
        }
        boolean otherProcess =
                running.processHash() != null && !running.processHash().equals(processHash());
        return otherProcess || !changes.stream().allMatch(Change::inPlace) ? Method.Replace : Method.InPlace;
    }

    public List<Change> changes() {
        return changes;
    }

    /** The mode that runs before the change; null when nothing runs. */
    public @Nullable Mode from() {
        return running.inForce() == null ? null : running.mode();
    }

    public String expectedInterruption() {
        return expectedInterruption(method());
    }

    /** The same, when it is carried out in that way. */
    public String expectedInterruption(Method method) {
        if (method == Method.Start) {
            return "none: nothing runs yet";
        }
        if (method == Method.Replace) {
            return "about 2 s; sessions are set up anew";
        }
        return changes.stream().anyMatch(change -> change.field().equals("mode")) ? "under 50 ms" : "none";
    }

    public List<Tuned> tuning() {
        return tuning;
    }

    public BigDecimal cpus() {
        return cpus;
    }

    public long memoryBytes() {
        return memoryBytes;
    }

    /** The name of a leg's device where the dataplane runs: in a pod it is called after the first leg that uses it. */
    public static String deviceOf(UpfModel.Leg leg, UpfModel model, Place place) {
        String device = Objects.requireNonNull(leg.device(), "AttachmentKind lets no packet leg pass without one");
        if (place == Place.HOST) {
            return device;
        }
        return model.deviceLegs().stream()
                .filter(other -> device.equals(other.device()))
                .findFirst()
                .orElse(leg)
                .name();
    }

    private static Candidate.DataNetwork network(UpfModel.Network network, UpfModel model, NodeFacts facts) {
        int budget = Mtu.planned(model.n3(), facts) - Mtu.GTPU_OVERHEAD;
        Integer wish = network.ueMtu();
        return new Candidate.DataNetwork(
                network.name(),
                network.networkInstance(),
                wish == null ? budget : wish,
                network.uePools().stream()
                        .map(pool -> new Candidate.Pool(pool.toString()))
                        .toList());
    }

    private static long memory(UpfModel model, TuningChoice choice) {
        Candidate.Umem umem = choice.tuning().umem();
        long needed = JVM_BYTES + (long) umem.frames() * umem.frameSize() + (long) model.maxSessions() * SESSION_BYTES;
        return (needed + ROUNDING_BYTES - 1) / ROUNDING_BYTES * ROUNDING_BYTES;
    }
}
