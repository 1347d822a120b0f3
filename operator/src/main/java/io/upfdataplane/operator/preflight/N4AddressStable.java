package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** The N4 address outlives the pod (a warning: SMFs must find it again). */
final class N4AddressStable implements EveryModeCheck {
    @Override
    public String about() {
        return "The N4 address outlives the pod (a warning: SMFs must find it again).";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        UpfModel.Leg n4 = model.n4();
        if (place == Place.POD && (n4 == null || n4.device() == null)) {
            return Finding.warn(
                    this,
                    "N4 has the address of the pod, which changes with it",
                    "an address that stays",
                    "give interfaces.n4 a hostDevice and an address of its own");
        }
        if (n4 == null || n4.device() == null) {
            return Finding.pass(this, "N4 is on the addresses of the host, which stay");
        }
        return Finding.pass(this, "the N4 address is " + model.pfcp().bindAddress());
    }
}
