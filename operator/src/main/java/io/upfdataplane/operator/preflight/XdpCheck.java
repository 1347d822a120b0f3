package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.Mode;

/** A check of what only native XDP needs. */
interface XdpCheck extends Check {
    @Override
    default boolean appliesTo(Mode mode) {
        return mode == Mode.AF_XDP;
    }
}
