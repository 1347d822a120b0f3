package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;

/** One thing that must hold before a mode may start. A check decides from its arguments alone. */
interface Check {
    /** The name, which users write into {@code spec.preflight.skip} and alerts match on. */
    default String name() {
        return getClass().getSimpleName();
    }

    /** Whether the mode cares. */
    default boolean appliesTo(Mode mode) {
        return mode == Mode.AF_PACKET || mode == Mode.AF_XDP;
    }

    /** A sentence for {@code docs/checks.md}. */
    String about();

    Finding check(UpfModel model, NodeFacts facts, Place place);
}
