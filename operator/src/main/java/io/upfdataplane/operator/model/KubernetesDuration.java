package io.upfdataplane.operator.model;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Kubernetes writes them: {@code 10s}, {@code 1m30s}, {@code 500ms}. */
public final class KubernetesDuration {
    private static final Pattern PART = Pattern.compile("([0-9]+)(ms|s|m|h)");

    private KubernetesDuration() {}

    /** Reads a text that the schema's pattern has let pass. */
    public static Duration parse(String text) {
        Duration sum = Duration.ZERO;
        Matcher matcher = PART.matcher(text);
        while (matcher.find()) {
            long amount = Long.parseLong(matcher.group(1));
            sum = sum.plus(
                    switch (matcher.group(2)) {
                        case "ms" -> Duration.ofMillis(amount);
                        case "s" -> Duration.ofSeconds(amount);
                        case "m" -> Duration.ofMinutes(amount);
                        default -> Duration.ofHours(amount);
                    });
        }
        return sum;
    }
}
