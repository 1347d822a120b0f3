package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneStatus.Recommendation;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.List;

/** A model that may run on that node, in that place. Only {@link Preflight} makes one. */
public final class Cleared implements Verdict {
    private final UpfModel model;
    private final NodeFacts facts;
    private final Place place;
    private final List<Finding> findings;
    private final Recommendation recommendation;

    Cleared(UpfModel model, NodeFacts facts, Place place, List<Finding> findings, Recommendation recommendation) {
        this.model = model;
        this.facts = facts;
        this.place = place;
        this.findings = findings;
        this.recommendation = recommendation;
    }

    @Override
    public UpfModel model() {
        return model;
    }

    @Override
    public NodeFacts facts() {
        return facts;
    }

    public Place place() {
        return place;
    }

    @Override
    public List<Finding> findings() {
        return findings;
    }

    @Override
    public Recommendation recommendation() {
        return recommendation;
    }
}
