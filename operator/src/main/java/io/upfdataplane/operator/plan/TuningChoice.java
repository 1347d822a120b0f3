package io.upfdataplane.operator.plan;

import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.api.UpfDataplaneStatus.Source;
import io.upfdataplane.operator.api.UpfDataplaneStatus.Tuned;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.preflight.Place;
import io.upfdataplane.operator.preflight.Sizing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tuning that a plan has settled on, each value with its reason. */
final class TuningChoice {
    private static final int DEFAULT_BATCH = 64;

    private final Candidate.Tuning tuning;
    private final List<Tuned> reasons = new ArrayList<>();

    private TuningChoice(UpfModel model, NodeFacts facts, Place place) {
        UpfDataplaneSpec.Tuning wish = model.tuning();
        Integer batchWish = wish.batchSize();
        int batch = batchWish == null ? DEFAULT_BATCH : batchWish;
        note("batchSize", batch, batchWish, "a batch of 64 hides memory latency and still fits the first-level cache");
        UpfDataplaneSpec.Poll poll = poll(model, facts, place);
        UpfDataplaneSpec.ZeroCopy zeroCopy =
                wish.zeroCopy() == null ? UpfDataplaneSpec.ZeroCopy.Prefer : wish.zeroCopy();
        note("zeroCopy", zeroCopy, wish.zeroCopy(), "zero-copy where the driver has it, else a native copy");
        UpfDataplaneSpec.Umem umemWish = wish.umem();
        int frames = Sizing.frames(model);
        note(
                "umem.frames",
                frames,
                umemWish == null ? null : umemWish.frames(),
                "4 frames for each of 2 × " + Sizing.fill(model) + " fill entries, and the rings of " + model.workers()
                        + (model.workers() == 1 ? " worker" : " workers"));
        int frameSize = Sizing.frameSize(model);
        note(
                "umem.frameSize",
                frameSize,
                umemWish == null ? null : umemWish.frameSize(),
                "the smallest that holds the mtu given for n3 and n6 (1500 when none is), with headroom");
        UpfDataplaneSpec.Rings ringsWish =
                wish.rings() == null ? new UpfDataplaneSpec.Rings(null, null, null, null) : wish.rings();
        Candidate.Rings rings =
                new Candidate.Rings(Sizing.rx(model), Sizing.tx(model), Sizing.fill(model), Sizing.completion(model));
        note("rings.rx", rings.rx(), ringsWish.rx(), "rides out a pause of 2 ms at 1 Mpps");
        note("rings.tx", rings.tx(), ringsWish.tx(), "as long as rings.rx");
        note("rings.fill", rings.fill(), ringsWish.fill(), "twice rings.rx, so that refilling keeps up");
        note("rings.completion", rings.completion(), ringsWish.completion(), "twice rings.tx");
        this.tuning = new Candidate.Tuning(batch, poll, zeroCopy, new Candidate.Umem(frames, frameSize), rings);
    }

    static TuningChoice of(UpfModel model, NodeFacts facts, Place place) {
        return new TuningChoice(model, facts, place);
    }

    Candidate.Tuning tuning() {
        return tuning;
    }

    List<Tuned> reasons() {
        return List.copyOf(reasons);
    }

    /** Busy polling only where every worker and control have a CPU of their own: else heartbeats would starve. */
    private UpfDataplaneSpec.Poll poll(UpfModel model, NodeFacts facts, Place place) {
        UpfDataplaneSpec.Poll wish = model.tuning().poll();
        int needed = model.workers() + 1;
        boolean tooFew = facts.allowedCpus().filter(cpus -> cpus < needed).isPresent()
                || place == Place.HOST
                        && facts.cpuQuota().filter(quota -> quota < needed).isPresent();
        if (wish == UpfDataplaneSpec.Poll.Busy && tooFew) {
            reasons.add(new Tuned(
                    "poll",
                    UpfDataplaneSpec.Poll.Adaptive.name(),
                    "Busy needs " + needed + " CPUs, and fewer are there",
                    Source.Derived));
            return UpfDataplaneSpec.Poll.Adaptive;
        }
        UpfDataplaneSpec.Poll poll = wish == null ? UpfDataplaneSpec.Poll.Adaptive : wish;
        note("poll", poll, wish, "spins under load and waits when idle");
        return poll;
    }

    private void note(String name, Object value, @Nullable Object wish, String reason) {
        reasons.add(
                wish == null
                        ? new Tuned(name, value.toString(), reason, Source.Derived)
                        : new Tuned(name, value.toString(), "asked for in spec.tuning", Source.User));
    }
}
