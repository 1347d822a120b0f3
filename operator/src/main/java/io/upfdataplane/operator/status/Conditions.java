package io.upfdataplane.operator.status;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.upfdataplane.operator.api.ConditionType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of one moment. A condition keeps its transition time while its status stays, and its message while its
 * reason stays, so that nothing is written when nothing happens. Used by one thread.
 */
final class Conditions {
    private final List<Condition> previous;
    private final long generation;
    private final String now;
    private final List<Condition> conditions = new ArrayList<>();

    Conditions(@Nullable List<Condition> previous, long generation, Instant now) {
        this.previous = previous == null ? List.of() : previous;
        this.generation = generation;
        this.now = now.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    void isTrue(ConditionType type, String reason, String message) {
        add(type, "True", reason, message);
    }

    void isFalse(ConditionType type, String reason, String message) {
        add(type, "False", reason, message);
    }

    void isUnknown(ConditionType type, String reason, String message) {
        add(type, "Unknown", reason, message);
    }

    boolean holds(ConditionType type) {
        return conditions.stream()
                .anyMatch(c -> c.getType().equals(type.name()) && c.getStatus().equals("True"));
    }

    Condition get(ConditionType type) {
        return conditions.stream()
                .filter(c -> c.getType().equals(type.name()))
                .findFirst()
                .orElseThrow();
    }

    List<Condition> all() {
        return List.copyOf(conditions);
    }

    private void add(ConditionType type, String status, String reason, String message) {
        Optional<Condition> before = previous.stream()
                .filter(c -> type.name().equals(c.getType()) && status.equals(c.getStatus()))
                .findFirst();
        Optional<Condition> same = before.filter(
                c -> reason.equals(c.getReason()) && Objects.equals(c.getObservedGeneration(), generation));
        conditions.add(new ConditionBuilder()
                .withType(type.name())
                .withStatus(status)
                .withReason(reason)
                .withMessage(same.map(Condition::getMessage).orElse(message))
                .withObservedGeneration(generation)
                .withLastTransitionTime(
                        before.map(Condition::getLastTransitionTime).orElse(now))
                .build());
    }
}
