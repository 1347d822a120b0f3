package io.upfdataplane.dataplane.config;

/**
 * One thing wrong in a configuration file.
 *
 * @param line counted from 1
 * @param field path from the top, as in {@code candidate.dataNetworks[0].uePools[1].cidr}; empty for the file itself
 */
public record ConfigError(int line, String field, String found, String expected) {
    @Override
    public String toString() {
        return "line " + line + ": " + (field.isEmpty() ? "" : field + ": ") + "found " + found + ", expected "
                + expected;
    }
}
