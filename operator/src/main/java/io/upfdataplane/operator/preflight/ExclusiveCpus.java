package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** No other program runs on the CPUs of the workers (a warning in the kernel modes). */
final class ExclusiveCpus implements Check {
    @Override
    public String about() {
        return "No other program runs on the CPUs of the workers (a warning in the kernel modes).";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        if (place == Place.POD || facts.isolatedCpus().isEmpty()) {
            return Finding.unknown(this, "which CPUs are exclusive");
        }
        int isolated = facts.isolatedCpus().get().size();
        if (isolated < model.workers()) {
            return Finding.warn(
                    this,
                    isolated + " CPUs are isolated",
                    model.workers() + ", one for each worker",
                    "other programs may delay packets; start the host with isolcpus=");
        }
        return Finding.pass(this, isolated + " CPUs are isolated");
    }
}
