package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneStatus.Recommendation;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.List;

/** The outcome of preflight. A plan can only be made from the one that is {@link Cleared}. */
public sealed interface Verdict permits Cleared, Refused {
    /** Its mode is one that can run: {@code Auto} has become one. */
    UpfModel model();

    NodeFacts facts();

    List<Finding> findings();

    /** What this node could run best, whatever was asked for. */
    Recommendation recommendation();
}
