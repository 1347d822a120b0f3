package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** The mode is one that this release has. */
final class ModeBuilt implements EveryModeCheck {
    @Override
    public String about() {
        return "The mode is one that this release has.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        return switch (model.mode()) {
            case AF_PACKET, AF_XDP -> Finding.pass(this, model.mode() + " is built");
            case CNDP, DPDK ->
                Finding.fail(
                        this,
                        "mode " + model.mode() + " is not built in this release",
                        "AF_PACKET or AF_XDP",
                        "set spec.mode to AF_PACKET or AF_XDP");
            case Auto -> throw new IllegalStateException("Auto has become one of the others before it is judged");
        };
    }
}
