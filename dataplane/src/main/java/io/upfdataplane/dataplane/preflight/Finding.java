package io.upfdataplane.dataplane.preflight;

/**
 * What one check says.
 *
 * @param name of the check, as the custom resource's status has it
 * @param observed what was found
 * @param required what is needed
 * @param hint what to do; empty when nothing is to be done
 */
public record Finding(String name, Result result, String observed, String required, String hint) {
    public enum Result {
        Pass,
        Warn,
        Fail,
        /** Could not ask: neither yes nor no. */
        Unknown
    }

    public boolean refuses() {
        return result == Result.Fail;
    }
}
