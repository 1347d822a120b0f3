package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.Mode;

/** A check that every mode needs, also one that is not built. */
interface EveryModeCheck extends Check {
    @Override
    default boolean appliesTo(Mode mode) {
        return true;
    }
}
