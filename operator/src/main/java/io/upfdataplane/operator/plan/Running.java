package io.upfdataplane.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration file in force says: the last candidate, and the one before that is known to have run well.
 *
 * @param candidate null before the first file
 * @param lastGood null until a candidate has run
 */
public record Running(
        @Nullable ObjectNode candidate, @Nullable ObjectNode lastGood) {
    public static final Running NOTHING = new Running(null, null);

    /** Reads the file's tree. */
    public static Running of(JsonNode config) {
        return new Running(
                config.get("candidate") instanceof ObjectNode candidate ? candidate : null,
                config.get("lastGood") instanceof ObjectNode lastGood ? lastGood : null);
    }

    /** The same, once the dataplane has said which hash it runs: a candidate that runs becomes the last good one. */
    public Running promoted(@Nullable String runningHash) {
        return candidate != null && candidate.path("planHash").asText().equals(runningHash)
                ? new Running(candidate, candidate)
                : this;
    }

    /** What a new plan is compared with: what runs well if that is known, else what was last asked for. */
    @Nullable
    ObjectNode inForce() {
        return lastGood != null ? lastGood : candidate;
    }
}
