package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** Each worker has a receive queue (a warning: steering spreads sessions over the workers of one queue). */
final class QueueCount implements Check {
    @Override
    public String about() {
        return "Each worker has a receive queue (a warning: steering spreads sessions over the workers of one queue).";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        for (UpfModel.Leg leg : model.packetLegs()) {
            Optional<Integer> queues = facts.device(leg.device())
                    .map(UpfNodeReportSpec.Device::queues)
                    .map(UpfNodeReportSpec.Queues::rx);
            if (queues.isEmpty()) {
                return Finding.unknown(this, "the queues of " + leg.name());
            }
            if (queues.get() < model.workers()) {
                return Finding.warn(
                        this,
                        queues.get() + (queues.get() == 1 ? " queue for " : " queues for ") + model.workers()
                                + " workers on " + leg.device(),
                        model.workers() + " queues",
                        "our steering spreads sessions; or `ethtool -L " + leg.device() + " combined " + model.workers()
                                + "`");
            }
        }
        return Finding.pass(this, "a queue for each of " + model.workers() + " workers");
    }
}
