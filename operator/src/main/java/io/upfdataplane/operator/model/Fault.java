package io.upfdataplane.operator.model;

/** One wrong field of a custom resource: where it is, what was found, what is needed. */
public record Fault(String field, String found, String needed) {
    @Override
    public String toString() {
        return field + ": found " + found + ", needed " + needed;
    }
}
