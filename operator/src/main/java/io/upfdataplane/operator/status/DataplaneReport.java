package io.upfdataplane.operator.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.model.Yaml;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /status} of a running dataplane, as {@code examples/dataplane-status.json} shows it. */
public record DataplaneReport(
        @Nullable Plan plan,
        @Nullable ActiveMode mode,
        boolean ready,
        @Nullable Refusal refused,
        @Nullable List<String> restartNeeded,
        @Nullable Transition lastTransition,
        @Nullable List<Interface> interfaces,
        @Nullable List<Peer> peers,
        @Nullable Sessions sessions,
        @Nullable List<Worker> workers) {

    public record Plan(@Nullable String candidate, @Nullable String running) {}

    public record ActiveMode(
            @Nullable Mode desired,
            @Nullable Mode active,
            @Nullable String since,
            @Nullable Boolean zeroCopy,
            @Nullable String xdpAttach) {}

    /** What the dataplane could not run, and what to do about it. */
    public record Refusal(
            @Nullable String planHash,
            @Nullable String check,
            @Nullable String found,
            @Nullable String needed,
            @Nullable String hint) {}

    public record Transition(
            @Nullable Mode from,
            @Nullable Mode to,
            @Nullable String startedAt,
            @Nullable String finishedAt,
            @Nullable Long interruptionMicros,
            @Nullable Long packetsLost,
            @Nullable Long sessionsKept,
            @Nullable Long sessionsLost,
            @Nullable String outcome) {}

    public record Interface(
            @Nullable String leg,
            @Nullable String device,
            @Nullable Integer mtu,
            @Nullable Integer queues,
            @Nullable List<NextHop> nextHops) {}

    public record NextHop(
            @Nullable String ip,
            @Nullable String mac,
            @Nullable String state,
            boolean gateway) {}

    public record Peer(
            @Nullable String nodeId,
            @Nullable String address,
            @Nullable String state,
            @Nullable String associatedAt,
            @Nullable Long sessions) {}

    public record Sessions(@Nullable Long active, @Nullable Long max) {}

    public record Worker(int id, int cpu) {}

    /** Reads what {@code /status} answered; throws when it is no such report. */
    public static DataplaneReport of(JsonNode json) throws JsonProcessingException {
        return Yaml.MAPPER.treeToValue(json, DataplaneReport.class);
    }

    /** The hash of the plan that really runs. */
    public @Nullable String runningHash() {
        return plan == null ? null : plan.running();
    }

    /** What of its candidate it cannot take while it runs. */
    @Override
    public List<String> restartNeeded() {
        return restartNeeded == null ? List.of() : restartNeeded;
    }

    /** Whether it has seen the plan of that hash, and only a new process can run it. */
    public boolean needsRestartFor(@Nullable String hash) {
        return plan != null
                && hash != null
                && hash.equals(plan.candidate())
                && !restartNeeded().isEmpty();
    }

    @Nullable
    Mode activeMode() {
        return mode == null ? null : mode.active();
    }
}
