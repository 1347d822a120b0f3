package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** The pool has enough frames to keep all rings supplied. */
final class UmemSize implements Check {
    @Override
    public String about() {
        return "The pool has enough frames to keep all rings supplied.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        int frames = Sizing.frames(model);
        int needed = Sizing.leastFrames(model);
        if (frames < needed) {
            return Finding.fail(
                    this,
                    frames + " frames cannot keep 2 × " + Sizing.fill(model) + " fill entries supplied",
                    "at least " + needed,
                    "set tuning.umem.frames to " + needed + ", or make tuning.rings.fill smaller");
        }
        return Finding.pass(this, frames + " frames for 2 × " + Sizing.fill(model) + " fill entries");
    }
}
