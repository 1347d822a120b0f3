package io.upfdataplane.operator.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Facts of one node. A value that could not be asked is absent, so that it never reads as «no». */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpfNodeReportSpec(
        @JsonPropertyDescription("When the facts last changed") @Size(max = 40) @Nullable
        String probedAt,

        @Nullable Kernel kernel,
        @Nullable Cpus cpus,

        @JsonPropertyDescription("RLIMIT_MEMLOCK of the probed place; -1 is unlimited") @Min(-1) @Nullable
        Long memlockBytes,

        @JsonPropertyDescription("Effective capabilities of the probed place") @Size(max = 64) @Nullable
        List<@Size(max = 40) String> capabilities,

        @Size(max = 64) @Nullable List<Hugepages> hugepages,
        @Size(max = 256) @Nullable List<Device> interfaces) {

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Kernel(
            @Size(max = 100) @Nullable String release,
            @Nullable Boolean realtime) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Cpus(
            @JsonPropertyDescription("CPUs that the probed place may run on") @Size(max = 1024) @Nullable
            List<@Min(0) @Max(8191) Integer> allowed,

            @JsonPropertyDescription("CPUs taken from the scheduler") @Size(max = 1024) @Nullable
            List<@Min(0) @Max(8191) Integer> isolated,

            @JsonPropertyDescription("CPUs of the CFS quota; absent when there is none") @Min(0) @Nullable
            Double quota) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Hugepages(
            @Required @Size(max = 8) String size,
            @Min(0) @Nullable Integer numaNode,
            @Min(0) @Nullable Long total,
            @Min(0) @Nullable Long free) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Device(
            @Required @Size(min = 1, max = 15) String name,
            @Size(max = 64) @Nullable String driver,
            @Size(max = 32) @Nullable String pciAddress,
            @Nullable Integer numaNode,
            @Nullable Boolean up,
            @Min(0) @Nullable Integer mtu,
            @Size(max = 17) @Nullable String macAddress,
            @Nullable Long speedMbps,

            @JsonPropertyDescription("Addresses with their prefix, without link-local ones") @Size(max = 64) @Nullable
            List<@Size(max = 43) String> addresses,

            @JsonPropertyDescription("The default route leaves by this device") @Nullable
            Boolean defaultRoute,

            @JsonPropertyDescription("The bridge or bond that it is a member of") @Size(max = 15) @Nullable
            String master,

            @JsonPropertyDescription("Who else holds it") @Size(max = 256) @Nullable
            String inUseBy,

            @Nullable Queues queues,

            @JsonPropertyDescription("The driver can run XDP itself; a flag, no promise") @Nullable
            Boolean nativeXdp,

            @JsonPropertyDescription("The driver offers AF_XDP without a copy; a flag, no promise") @Nullable
            Boolean zeroCopy,

            @JsonPropertyDescription("The largest MTU under native XDP") @Min(0) @Nullable
            Integer xdpMaxMtu,

            @Nullable Offloads offloads,
            @Nullable VethPeer peer) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Queues(
            @Min(0) @Nullable Integer rx, @Min(0) @Nullable Integer tx) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Offloads(
            @Nullable Boolean gro,
            @Nullable Boolean lro,
            @Nullable Boolean rxVlanStrip) {}

    /** The other end of a veth, where it can be seen. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record VethPeer(
            @Size(max = 15) @Nullable String name,
            @Nullable Boolean txChecksumOffload,

            @JsonPropertyDescription("It takes redirected frames: it has GRO or an XDP program") @Nullable
            Boolean takesRedirects) {}
}
