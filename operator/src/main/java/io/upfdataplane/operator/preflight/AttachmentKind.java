package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** The mode can work with how the interface is attached. */
final class AttachmentKind implements Check {
    @Override
    public String about() {
        return "The mode can work with how the interface is attached.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        for (UpfModel.Leg leg : model.packetLegs()) {
            if (leg.device() == null) {
                return Finding.fail(
                        this,
                        leg.name() + " is on the pod network",
                        "a device of its own",
                        "attach " + leg.name() + " with hostDevice: user traffic does not go over the pod network");
            }
        }
        return Finding.pass(this, "n3 and n6 have devices");
    }
}
