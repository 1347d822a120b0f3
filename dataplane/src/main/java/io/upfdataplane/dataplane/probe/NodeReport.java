package io.upfdataplane.dataplane.probe;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Facts of a host as its probe saw them, in the form of a Kubernetes object. A fact that could not be asked is null and
 * left out when written: «could not ask» is never «no».
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonPropertyOrder({"apiVersion", "kind", "metadata", "spec"})
public record NodeReport(String apiVersion, String kind, Metadata metadata, Spec spec) {
    public static final String API_VERSION = "upfdataplane.io/v1alpha1";
    public static final String KIND = "UpfNodeReport";

    public static NodeReport of(String node, Spec spec) {
        return new NodeReport(API_VERSION, KIND, new Metadata(node), spec);
    }

    public record Metadata(String name) {}

    /**
     * @param memlockBytes the soft limit of this process, −1 for unlimited
     * @param capabilities effective ones of this process, by name
     * @param recommendedModes best first, for the best device that is free
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Spec(
            String probedAt,
            Kernel kernel,
            Cpus cpus,
            @Nullable Long memlockBytes,
            List<String> capabilities,
            List<Hugepages> hugepages,
            @Nullable Iommu iommu,
            @Nullable Boolean vfioPciModule,
            List<Device> interfaces,
            List<String> recommendedModes) {
        public Spec {
            capabilities = copy(capabilities);
            hugepages = copy(hugepages);
            interfaces = copy(interfaces);
            recommendedModes = copy(recommendedModes);
        }

        /** A report of an older probe may lack a list. */
        private static <T> List<T> copy(@Nullable List<T> list) {
            return list == null ? List.of() : List.copyOf(list);
        }

        public Optional<Device> device(String name) {
            return interfaces.stream().filter(d -> d.name().equals(name)).findFirst();
        }
    }

    public record Kernel(String release, boolean realtime) {}

    /**
     * @param allowed those this process may run on
     * @param quota CPUs of the CFS quota; null when there is none
     * @param siblings hyperthreads that share a core, one list for each core of more than one
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Cpus(
            List<Integer> online,
            List<Integer> allowed,
            List<Integer> isolated,
            List<Integer> nohzFull,
            List<List<Integer>> siblings,
            @Nullable Double quota) {
        public Cpus {
            online = Spec.copy(online);
            allowed = Spec.copy(allowed);
            isolated = Spec.copy(isolated);
            nohzFull = Spec.copy(nohzFull);
            siblings = Spec.copy(siblings);
        }
    }

    /**
     * @param size as Kubernetes writes it: 2Mi, 1Gi
     */
    public record Hugepages(String size, int numaNode, long total, long free) {}

    public record Iommu(int groups) {}

    /**
     * @param driver null when the kernel does not say
     * @param xdpProgram id of the XDP program that is attached now
     * @param master the bridge or bond it is a member of
     * @param inUseBy why it must not be taken, in words; null when nothing was seen
     * @param nativeXdp the driver can; null when neither the kernel nor our table knows
     * @param xdpMaxMtu largest MTU under native XDP, where known
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Device(
            String name,
            @Nullable String driver,
            @Nullable String pciAddress,
            @Nullable Integer numaNode,
            boolean up,
            int mtu,
            @Nullable String macAddress,
            @Nullable Integer speedMbps,
            List<String> addresses,
            boolean defaultRoute,
            @Nullable String master,
            @Nullable String inUseBy,
            Queues queues,
            @Nullable Boolean nativeXdp,
            @Nullable Boolean zeroCopy,
            @Nullable List<String> xdpFeatures,
            @Nullable Integer xdpProgram,
            @Nullable Integer xdpMaxMtu,
            @Nullable Offloads offloads,
            @Nullable Peer peer) {}

    public record Queues(int rx, int tx) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Offloads(
            @Nullable Boolean gro,
            @Nullable Boolean lro,
            @Nullable Boolean tso,
            @Nullable Boolean txChecksum,
            @Nullable Boolean rxVlanStrip) {}

    /** The other end of a veth, where it lies in the same namespace. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Peer(String name, @Nullable Boolean txChecksumOffload) {}

    public String toYaml() {
        try {
            return YAML.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a record of texts and numbers can always be written", e);
        }
    }

    public String toJson() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a record of texts and numbers can always be written", e);
        }
    }

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final YAMLMapper YAML = YAMLMapper.builder(YAMLFactory.builder()
                    .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                    .build())
            .build();
}
