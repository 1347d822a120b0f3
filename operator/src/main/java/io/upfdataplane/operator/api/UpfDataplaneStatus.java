package io.upfdataplane.operator.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the operator saw. Only the operator writes it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpfDataplaneStatus(
        @Nullable Long observedGeneration,
        @Size(max = 32) @Nullable List<Condition> conditions,
        @Nullable ModeStatus mode,
        @Nullable PreflightStatus preflight,
        @Nullable PlanStatus plan,
        @Nullable Transition lastTransition,
        @Size(max = 32) @Nullable List<Tuned> tuning,
        @Nullable ResourcesStatus resources,
        @Nullable Recommendation recommendation,
        @Size(max = 253) @Nullable String node,
        @Size(max = 253) @Nullable String pod,
        @Size(max = 8) @Nullable List<InterfaceStatus> interfaces,
        @Size(max = 32) @Nullable List<PeerStatus> peers,
        @Nullable SessionsStatus sessions,
        @Size(max = 64) @Nullable List<WorkerStatus> workers) {

    /** What really runs. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ModeStatus(
            @Nullable Mode desired,
            @Nullable Mode active,
            @Size(max = 40) @Nullable String since,
            @Nullable Boolean zeroCopy,
            @Size(max = 32) @Nullable String xdpAttach) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PreflightStatus(
            @Size(max = 253) @Nullable String node,
            @Size(max = 40) @Nullable String checkedAt,
            @Size(max = 40) @Nullable List<CheckStatus> checks) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record CheckStatus(
            @Required @Size(max = 40) String name,
            @Required CheckResult result,
            @Size(max = 512) @Nullable String observed,
            @Size(max = 512) @Nullable String required,
            @Size(max = 512) @Nullable String hint) {}

    /** {@code Unknown}: it could not be asked. {@code Skipped}: the user left it out. */
    public enum CheckResult {
        Pass,
        Warn,
        Fail,
        Unknown,
        Skipped
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PlanStatus(
            @Size(max = 64) @Nullable String hash,
            @Nullable Mode from,
            @Nullable Mode to,
            @Nullable Method method,
            @Size(max = 64) @Nullable List<@Size(max = 512) String> changes,
            @Size(max = 128) @Nullable String expectedInterruption,
            @Nullable PlanState state) {}

    /** {@code Start}: nothing runs yet. */
    public enum Method {
        Start,
        InPlace,
        Replace
    }

    /** {@code Pending} until the dataplane reports the plan's hash as running. */
    public enum PlanState {
        Pending,
        Applied,
        Refused
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Transition(
            @Nullable Mode from,
            @Nullable Mode to,
            @Nullable Method method,
            @Size(max = 40) @Nullable String startedAt,
            @Size(max = 40) @Nullable String finishedAt,
            @Size(max = 40) @Nullable String interruption,
            @Nullable Long sessionsKept,
            @Nullable Long sessionsLost,
            @Nullable Long packetsLost,
            @Size(max = 64) @Nullable String outcome) {}

    /** A value that was worked out, and why. */
    public record Tuned(
            @Required @Size(max = 63) String name,
            @Required @Size(max = 128) String value,
            @Required @Size(max = 512) String reason,
            @Required Source source) {}

    public enum Source {
        User,
        Derived
    }

    public record ResourcesStatus(
            @Required @Size(max = 32) String cpu,
            @Required @Size(max = 32) String memory) {}

    /** What the node could run best, whatever was asked for. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Recommendation(
            @JsonPropertyDescription("The fastest mode that passes preflight; absent when none does") @Nullable
            Mode mode,

            @JsonPropertyDescription("Workers that have a CPU each, no more than were asked for") @Required
            Integer workers,

            @Required @Size(max = 512) String basis,
            @Size(max = 8) @Nullable List<RejectedMode> rejected) {}

    public record RejectedMode(
            @Required Mode mode, @Required @Size(max = 2048) String reason) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record InterfaceStatus(
            @JsonPropertyDescription("The leg: n3, n6 or n4") @Required @Size(max = 8)
            String name,

            @Size(max = 15) @Nullable String device,
            @Size(max = 64) @Nullable String driver,
            @Nullable Integer mtu,
            @Nullable Integer queues,
            @Nullable GatewayStatus gateway) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record GatewayStatus(
            @Size(max = 43) @Nullable String ip,
            @Size(max = 17) @Nullable String mac,
            @Size(max = 32) @Nullable String state) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record PeerStatus(
            @Required @Size(max = 253) String nodeId,
            @Size(max = 43) @Nullable String address,
            @Size(max = 32) @Nullable String state,
            @Size(max = 40) @Nullable String associatedAt,
            @Nullable Long sessions) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SessionsStatus(
            @Nullable Long active, @Nullable Long max) {}

    public record WorkerStatus(
            @Required Integer id, @Required Integer cpu) {}
}
