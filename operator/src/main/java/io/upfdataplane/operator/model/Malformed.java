package io.upfdataplane.operator.model;

import java.util.List;
import java.util.stream.Collectors;

/** A custom resource that no API server would take, with every fault it has. */
public final class Malformed extends Exception {
    private static final long serialVersionUID = 1;
    private final transient List<Fault> faults;

    public Malformed(List<Fault> faults) {
        super(faults.stream().map(Fault::toString).collect(Collectors.joining("\n")));
        this.faults = List.copyOf(faults);
    }

    public List<Fault> faults() {
        return faults;
    }
}
