package io.upfdataplane.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a user asks for. The annotations are the schema that the API server enforces, so defaults, bounds and rules stand
 * here once; each {@code @ValidationRule} has a twin of the same message in {@code model.Rules} for hosts without an
 * API server.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpfDataplaneSpec(
        @JsonPropertyDescription(
                "How packets are moved: the one-field switch. Auto takes the best mode that passes preflight when the dataplane is first placed; afterwards it only changes status.recommendation")
        @Required
        @Nullable
        Mode mode,

        @JsonPropertyDescription("Threads that move packets; each owns one CPU")
        @Default("1")
        @Min(1)
        @Max(64)
        @Nullable
        Integer workers,

        @Required @Nullable Interfaces interfaces,

        @JsonPropertyDescription("Data networks and the UE addresses behind them")
        @Required
        @Size(min = 1, max = 16)
        @ValidationRule(value = Cel.POOLS_DO_NOT_OVERLAP, message = Messages.POOLS_DO_NOT_OVERLAP)
        @ValidationRule(value = Cel.INSTANCES_DIFFER, message = Messages.INSTANCES_DIFFER)
        @Nullable
        List<DataNetwork> dataNetworks,

        @Default("{}") @Nullable Pfcp pfcp,
        @Default("{}") @Nullable Capacity capacity,
        @Nullable Tuning tuning,
        @Nullable Resources resources,

        @JsonPropertyDescription("Image of the dataplane; it must be on the operator's list of allowed images")
        @Size(min = 1, max = 512)
        @Nullable
        String image,

        @Default("{}") @Nullable Preflight preflight,

        @JsonPropertyDescription("While true, the operator changes nothing") @Default("false") @Nullable
        Boolean paused) {

    /** The legs that have an interface. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Interfaces(
            @JsonPropertyDescription("Towards the gNB (GTP-U)") @Required @Nullable
            Interface n3,

            @JsonPropertyDescription("Towards the data network; may name the device of n3") @Required @Nullable
            Interface n6,

            @JsonPropertyDescription("Towards the SMF (PFCP); the pod network when absent") @Nullable
            Interface n4) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(value = Cel.ADDRESS_FITS_ATTACHMENT, message = Messages.ADDRESS_FITS_ATTACHMENT)
    @ValidationRule(value = Cel.GATEWAY_IN_PREFIX, message = Messages.GATEWAY_IN_PREFIX, fieldPath = ".gateway")
    @ValidationRule(value = Cel.VIA_IN_PREFIX, message = Messages.VIA_IN_PREFIX, fieldPath = ".routes")
    public record Interface(
            @Required @Nullable Attachment attachment,

            @JsonPropertyDescription("Own address with its prefix, such as 192.168.252.3/24")
            @Size(max = 1)
            @ValidationRule(value = Cel.IPV4_PREFIXES, message = Messages.IPV4_PREFIXES)
            @Nullable
            List<@Size(min = 9, max = 18) String> addresses,

            @JsonPropertyDescription("Next hop of all that no route covers")
            @Size(min = 7, max = 15)
            @ValidationRule(value = Cel.IPV4, message = Messages.IPV4)
            @Nullable
            String gateway,

            @Size(max = 16) @Nullable List<Route> routes,

            @JsonPropertyDescription("Set on the device when given; else the device's own")
            @Min(1280)
            @Max(9600)
            @Nullable
            Integer mtu) {}

    /** Exactly one of its members says where the interface comes from. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(value = Cel.ONE_ATTACHMENT, message = Messages.ONE_ATTACHMENT)
    public record Attachment(
            @JsonPropertyDescription("A network device of the node") @Nullable
            HostDevice hostDevice,

            @JsonPropertyDescription("The pod's own network (n4 only); on a bare host, the host's") @Nullable
            PodNetwork podNetwork) {}

    public record HostDevice(
            @JsonPropertyDescription("Name of the device on the node")
            @Required
            @Size(min = 1, max = 15)
            @Pattern("^[^/:\\s]+$")
            @Nullable
            String device) {}

    /** Has no member, and still differs from an absent one. */
    @JsonIgnoreProperties
    public record PodNetwork() {}

    public record Route(
            @Required
            @Size(min = 9, max = 18)
            @ValidationRule(value = Cel.IPV4_NETWORK, message = Messages.IPV4_NETWORK)
            @Nullable
            String to,

            @Required @Size(min = 7, max = 15) @ValidationRule(value = Cel.IPV4, message = Messages.IPV4) @Nullable
            String via) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record DataNetwork(
            @JsonPropertyDescription("The DNN")
            @Required
            @Size(min = 1, max = 63)
            @Pattern("^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$")
            @Nullable
            String name,

            @JsonPropertyDescription("Network Instance in PFCP (TS 29.244 §8.2.4); the name when absent")
            @Size(min = 1, max = 100)
            @Nullable
            String networkInstance,

            @JsonPropertyDescription("MTU of the UEs; the N3 MTU less the GTP-U overhead when absent")
            @Min(1280)
            @Max(9556)
            @Nullable
            Integer ueMtu,

            @JsonPropertyDescription("Addresses that the SMF gives to UEs") @Required @Size(min = 1, max = 16) @Nullable
            List<UePool> uePools) {}

    public record UePool(
            @Required
            @Size(min = 9, max = 18)
            @ValidationRule(value = Cel.IPV4_NETWORK, message = Messages.IPV4_NETWORK)
            @Nullable
            String cidr) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(value = Cel.ACTIVE_HAS_PEERS, message = Messages.ACTIVE_HAS_PEERS, fieldPath = ".peers")
    public record Pfcp(
            @JsonPropertyDescription(
                    "Node ID (TS 29.244 §8.2.38): an IPv4 address or an FQDN; the N4, else N3 address when absent")
            @Size(min = 1, max = 253)
            @Pattern("^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$")
            @Nullable
            String nodeId,

            @Default("8805") @Min(1024) @Max(65535) @Nullable
            Integer bindPort,

            @JsonPropertyDescription("Who sets up the association") @Default("Passive") @Nullable
            Role role,

            @Size(max = 16) @Nullable List<Peer> peers,
            @Default("{}") @Nullable Heartbeat heartbeat,
            @Default("{}") @Nullable Retransmission retransmission) {}

    public enum Role {
        Passive,
        Active,
        Both
    }

    public record Peer(
            @Required @Size(min = 1, max = 63) @Nullable String name,

            @JsonPropertyDescription("Address of the SMF")
            @Required
            @Size(min = 7, max = 15)
            @ValidationRule(value = Cel.IPV4, message = Messages.IPV4)
            @Nullable
            String address) {}

    @ValidationRule(
            value = Cel.TIMEOUT_WITHIN_INTERVAL,
            message = Messages.TIMEOUT_WITHIN_INTERVAL,
            fieldPath = ".timeout")
    public record Heartbeat(
            @Default("10s") @Size(min = 2, max = 16) @Pattern(Cel.DURATION) @Nullable
            String interval,

            @Default("5s") @Size(min = 2, max = 16) @Pattern(Cel.DURATION) @Nullable
            String timeout,

            @Default("3") @Min(1) @Max(10) @Nullable Integer retries) {}

    public record Retransmission(
            @Default("2s") @Size(min = 2, max = 16) @Pattern(Cel.DURATION) @Nullable
            String timeout,

            @Default("5") @Min(1) @Max(10) @Nullable Integer retries) {}

    public record Capacity(
            @JsonPropertyDescription("Sizes every table and the memory of the pod")
            @Default("10000")
            @Min(1)
            @Max(1_000_000)
            @Nullable
            Integer maxSessions) {}

    /** All optional: what is absent is worked out, and shown in status.tuning. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Tuning(
            @Min(1) @Max(256) @Nullable Integer batchSize,
            @Nullable Poll poll,
            @Nullable Umem umem,
            @Nullable ZeroCopy zeroCopy,
            @Nullable Rings rings) {}

    public enum Poll {
        Interrupt,
        Adaptive,
        Busy
    }

    public enum ZeroCopy {
        Prefer,
        Require,
        Never
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Umem(
            @Min(1024)
            @Max(1_048_576)
            @ValidationRule(value = Cel.FRAMES_POWER_OF_TWO, message = Messages.POWER_OF_TWO)
            @Nullable
            Integer frames,

            @ValidationRule(value = "self in [2048, 4096]", message = Messages.FRAME_SIZE)
            @Min(2048)
            @Max(4096)
            @Nullable
            Integer frameSize) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Rings(
            @Min(64)
            @Max(32768)
            @ValidationRule(value = Cel.RING_POWER_OF_TWO, message = Messages.POWER_OF_TWO)
            @Nullable
            Integer rx,

            @Min(64)
            @Max(32768)
            @ValidationRule(value = Cel.RING_POWER_OF_TWO, message = Messages.POWER_OF_TWO)
            @Nullable
            Integer tx,

            @Min(64)
            @Max(32768)
            @ValidationRule(value = Cel.RING_POWER_OF_TWO, message = Messages.POWER_OF_TWO)
            @Nullable
            Integer fill,

            @Min(64)
            @Max(32768)
            @ValidationRule(value = Cel.RING_POWER_OF_TWO, message = Messages.POWER_OF_TWO)
            @Nullable
            Integer completion) {}

    /** Requests equal limits, so that the pod is Guaranteed. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Resources(@Nullable Limits limits) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Limits(
            @JsonPropertyDescription("workers + 1 when absent") @Nullable
            Quantity cpu,

            @JsonPropertyDescription("Worked out from capacity and tuning when absent") @Nullable
            Quantity memory) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Preflight(
            @JsonPropertyDescription("Warn lets a failed check pass, visibly") @Default("Enforce") @Nullable
            Policy policy,

            @JsonPropertyDescription("Names of checks to leave out; they stay visible in status")
            @Size(max = 32)
            @ValidationRule(value = "!('DeviceFree' in self)", message = Messages.DEVICE_FREE_STAYS)
            @Nullable
            List<@Size(min = 1, max = 40) @Pattern("^[A-Z][A-Za-z0-9]*$") String> skip) {}

    public enum Policy {
        Enforce,
        Warn
    }
}
