package io.upfdataplane.operator.status;

import io.upfdataplane.operator.api.Mode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What was seen at one moment, besides the judgement.
 *
 * @param generation of the resource that was judged
 * @param desired the mode that the resource asks for; null when that cannot be read
 * @param handedOver null when the plan was handed over, else why that did not work
 * @param report what the dataplane says; null when it says nothing
 * @param silence why there is no report
 * @param paused the user has asked that nothing be changed
 */
public record Observed(
        long generation,
        @Nullable Mode desired,
        @Nullable String handedOver,
        @Nullable DataplaneReport report,
        String silence,
        @Nullable String pod,
        boolean paused,
        Instant now) {}
