package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneStatus.Recommendation;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.List;
import java.util.stream.Collectors;

/** A model that must not run on that node, with all that was found. */
public record Refused(UpfModel model, NodeFacts facts, List<Finding> findings, Recommendation recommendation)
        implements Verdict {

    /** The failed checks in one sentence each: found, needed, what to do. */
    public String why() {
        return findings.stream().filter(Finding::failed).map(Finding::sentence).collect(Collectors.joining(". "));
    }
}
