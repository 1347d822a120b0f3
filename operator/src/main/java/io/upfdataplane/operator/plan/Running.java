package io.upfdataplane.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.api.Mode;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration file in force says: the last candidate, and the one before that is known to have run well.
 *
 * @param candidate null before the first file
 * @param lastGood null until a candidate has run
 * @param processHash {@link Plan#processHash} of the workload that runs; null where there is none to compare with
 */
public record Running(
        @Nullable ObjectNode candidate,
        @Nullable ObjectNode lastGood,
        @Nullable String processHash) {
    public static final Running NOTHING = new Running(null, null, null);

    /** Reads the file's tree. */
    public static Running of(JsonNode config) {
        return new Running(
                config.get("candidate") instanceof ObjectNode candidate ? candidate : null,
                config.get("lastGood") instanceof ObjectNode lastGood ? lastGood : null,
                null);
    }

    /** The same, once the dataplane has said which hash it runs: a candidate that runs becomes the last good one. */
    public Running promoted(@Nullable String runningHash) {
        return candidate != null && candidate.path("planHash").asText().equals(runningHash)
                ? new Running(candidate, candidate, processHash)
                : this;
    }

    /** The same, in a workload that was made for that hash. */
    public Running inProcess(@Nullable String hash) {
        return new Running(candidate, lastGood, hash);
    }

    /** The mode that {@code Auto} keeps: the one that ran well, else the one that was chosen and is on its way. */
    public @Nullable Mode mode() {
        ObjectNode chosen = lastGood == null ? candidate : lastGood;
        return chosen == null ? null : Mode.valueOf(chosen.path("mode").asText());
    }

    /** What a new plan is compared with: a candidate that never ran is nothing one could change from. */
    @Nullable
    ObjectNode inForce() {
        return lastGood;
    }
}
