package io.upfdataplane.operator.standalone;

import io.fabric8.kubernetes.api.model.Condition;
import io.upfdataplane.operator.api.UpfDataplaneStatus;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.plan.Change;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.preflight.Finding;
import io.upfdataplane.operator.preflight.Verdict;
import java.io.PrintStream;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What people read: the preflight table, the plan, and each condition when it changes. Used by one thread. */
final class Screen {
    private final PrintStream out;

    Screen(PrintStream out) {
        this.out = out;
    }

    void line(String text) {
        out.println(text);
        out.flush();
    }

    /** A line of a program that goes on for long. */
    void event(String text) {
        line(LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + "  " + text);
    }

    void malformed(Malformed malformed) {
        line("The resource is not accepted:");
        malformed.faults().forEach(fault -> line("  " + fault));
    }

    void preflight(Verdict verdict) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("CHECK", "RESULT", "FOUND", "NEEDED, AND WHAT TO DO"));
        for (Finding finding : verdict.findings()) {
            String advice = finding.required() == null
                    ? Objects.requireNonNullElse(finding.hint(), "")
                    : finding.required() + (finding.hint() == null ? "" : ": " + finding.hint());
            rows.add(List.of(finding.check(), finding.result().name(), finding.observed(), advice));
        }
        line("Preflight of " + verdict.model().mode() + " on " + verdict.facts().node() + ":");
        table(rows);
    }

    void recommendation(UpfDataplaneStatus.Recommendation recommendation) {
        line("Recommended: " + (recommendation.mode() == null ? "none" : recommendation.mode()) + " with "
                + recommendation.workers() + (recommendation.workers() == 1 ? " worker" : " workers") + " ("
                + recommendation.basis() + ")");
        List<UpfDataplaneStatus.RejectedMode> rejected = recommendation.rejected();
        if (rejected != null) {
            rejected.forEach(mode -> line("  not " + mode.mode() + ": " + mode.reason()));
        }
    }

    void plan(Plan plan) {
        line("Plan " + plan.hash() + ": " + (plan.from() == null ? "" : plan.from() + " → ")
                + plan.model().mode() + ", " + plan.method() + "; interruption: " + plan.expectedInterruption());
        for (Change change : plan.changes()) {
            line("  " + change);
        }
    }

    void tuning(Plan plan) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("VALUE", "IS", "BECAUSE"));
        plan.tuning().forEach(t -> rows.add(List.of(t.name(), t.value(), t.reason())));
        table(rows);
    }

    /** Those that are new, changed or gone. */
    void conditions(@Nullable UpfDataplaneStatus before, UpfDataplaneStatus now) {
        List<Condition> old = conditionsOf(before);
        for (Condition condition : conditionsOf(now)) {
            boolean same = old.stream()
                    .anyMatch(o -> o.getType().equals(condition.getType())
                            && o.getStatus().equals(condition.getStatus())
                            && o.getReason().equals(condition.getReason()));
            if (!same) {
                event(String.format(
                        "%-22s %-7s %s: %s",
                        condition.getType(), condition.getStatus(), condition.getReason(), condition.getMessage()));
            }
        }
        for (Condition gone : old) {
            if (conditionsOf(now).stream().noneMatch(c -> c.getType().equals(gone.getType()))) {
                event(String.format("%-22s %s", gone.getType(), "is over"));
            }
        }
    }

    private static List<Condition> conditionsOf(@Nullable UpfDataplaneStatus status) {
        List<Condition> conditions = status == null ? null : status.conditions();
        return conditions == null ? List.of() : conditions;
    }

    private void table(List<List<String>> rows) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int c = 0; c < columns - 1; c++) {
                widths[c] = Math.max(widths[c], row.get(c).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder text = new StringBuilder(" ");
            for (int c = 0; c < columns; c++) {
                text.append(' ')
                        .append(row.get(c))
                        .append(" ".repeat(Math.max(0, widths[c] - row.get(c).length() + 1)));
            }
            line(text.toString().stripTrailing());
        }
    }
}
