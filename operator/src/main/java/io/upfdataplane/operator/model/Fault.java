package io.upfdataplane.operator.model;

/**
 * One wrong field of a custom resource: where it is, what was found, what is needed. What a file holds may be long; what is
 * said of it is not.
 */
public record Fault(String field, String found, String needed) {
    private static final int MOST_SHOWN = 200;

    public Fault {
        field = shortened(field);
        found = shortened(found);
    }

    private static String shortened(String text) {
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "…";
    }

    @Override
    public String toString() {
        return field + ": found " + found + ", needed " + needed;
    }
}
