package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** N4 has a place where its socket can be bound. */
final class N4Attachment implements EveryModeCheck {
    @Override
    public String about() {
        return "N4 has a place where its socket can be bound.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        UpfModel.Leg n4 = model.n4();
        if (n4 == null || n4.device() == null) {
            return Finding.pass(this, place == Place.POD ? "on the pod network" : "on every address of the host");
        }
        if (n4.device().equals(model.n3().device())
                || n4.device().equals(model.n6().device())) {
            return Finding.pass(this, "shares " + n4.device() + "; PFCP passes to the kernel there");
        }
        return Finding.pass(this, "on " + n4.device());
    }
}
