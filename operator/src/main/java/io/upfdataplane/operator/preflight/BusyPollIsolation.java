package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** Busy polling leaves the CPU of the control thread alone, so that heartbeats are answered. */
final class BusyPollIsolation implements XdpCheck {
    @Override
    public String about() {
        return "Busy polling leaves the CPU of the control thread alone, so that heartbeats are answered.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        if (model.tuning().poll() != UpfDataplaneSpec.Poll.Busy) {
            return Finding.pass(this, "workers do not poll without a pause");
        }
        if (facts.allowedCpus().isEmpty()) {
            return Finding.unknown(this, "the CPUs");
        }
        int allowed = facts.allowedCpus().get();
        if (allowed < model.workers() + 1) {
            return Finding.fail(
                    this,
                    model.workers() + " busy workers on " + allowed + " CPUs",
                    (model.workers() + 1) + " CPUs",
                    "busy polling on the CPU of the control thread starves PFCP heartbeats; set tuning.poll to Adaptive or lower spec.workers");
        }
        return Finding.pass(this, "control has a CPU of its own");
    }
}
