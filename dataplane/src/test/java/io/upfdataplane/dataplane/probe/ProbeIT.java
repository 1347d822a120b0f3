package io.upfdataplane.dataplane.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.upfdataplane.dataplane.ffi.IfXdp;
import io.upfdataplane.dataplane.ffi.Libbpf;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What the probe says of devices that a test has made. */
class ProbeIT {
    /** The operator's tests read the example: it may have no field that the probe does not write, and none less. */
    @Test
    void writesTheFieldsOfTheExample() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("upf")) {
            ns.veth("upf", "n3", "upf", "gnb0");
            ns.veth("upf", "n6", "upf", "dn0");
            ns.address("upf", "n3", "10.33.0.1/24");
            ns.address("upf", "n6", "10.99.0.1/24");
            String real = ns.inside("upf", () -> new Probe().report("edge-1").toYaml());
            ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
            Set<String> written = new TreeSet<>();
            fields("", yaml.readTree(real), written);
            Set<String> example = new TreeSet<>();
            fields("", yaml.readTree(Path.of("../examples/node-report.yaml").toFile()), example);
            // Left out where there is none.
            Set<String> optional = Set.of(".spec.cpus.quota");
            written.removeAll(optional);
            example.removeAll(optional);
            assertThat(example).isEqualTo(written);
        }
    }

    /** Fields that have a value; null is as good as left out. A list counts as all its elements. */
    private static void fields(String path, JsonNode node, Set<String> into) {
        node.properties().forEach(field -> {
            if (!field.getValue().isNull()) {
                into.add(path + "." + field.getKey());
            }
            fields(path + "." + field.getKey(), field.getValue(), into);
        });
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            fields(path + "[]", node.get(i), into);
        }
    }

    @Test
    void tellsDriversAddressesUsersAndPeers() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("upf")) {
            ns.veth("upf", "n3", "upf", "gnb0");
            ns.veth("upf", "n6", "upf", "dn0");
            ns.address("upf", "n3", "10.33.0.1/24");
            ns.address("upf", "n6", "10.99.0.1/24");
            ns.ip("upf", "link", "set", "n3", "mtu", "1400");
            ns.ip("upf", "route", "add", "default", "via", "10.99.0.2");
            ns.ip("upf", "link", "add", "br0", "type", "bridge");
            ns.ip("upf", "link", "set", "gnb0", "master", "br0");
            NodeReport.Spec spec =
                    ns.inside("upf", () -> new Probe().report("here").spec());

            NodeReport.Device n3 = spec.device("n3").orElseThrow();
            assertThat(n3.driver()).isEqualTo("veth");
            assertThat(n3.mtu()).isEqualTo(1400);
            assertThat(n3.addresses()).containsExactly("10.33.0.1/24");
            assertThat(n3.queues()).isEqualTo(new NodeReport.Queues(1, 1));
            assertThat(n3.nativeXdp()).isTrue();
            assertThat(n3.zeroCopy()).isFalse();
            assertThat(n3.xdpMaxMtu()).isEqualTo(3506);
            assertThat(n3.inUseBy()).isNull();
            assertThat(n3.peer()).isNotNull();
            assertThat(n3.peer().name()).isEqualTo("gnb0");
            assertThat(n3.peer().txChecksumOffload()).isTrue();

            assertThat(spec.device("n6").orElseThrow().defaultRoute()).isTrue();
            assertThat(spec.device("n6").orElseThrow().inUseBy()).isEqualTo("the default route");
            assertThat(spec.device("gnb0").orElseThrow().inUseBy()).isEqualTo("bridge br0");
            assertThat(spec.device("br0").orElseThrow().nativeXdp()).isFalse();
            assertThat(spec.device("lo")).isEmpty();
            assertThat(spec.recommendedModes()).containsExactly("AF_XDP", "AF_PACKET");
        }
    }

    @Test
    void whatADeadDataplaneLeftKeepsNobodyFromADevice() throws Exception {
        try (NetNamespaceFixture ns = NetNamespaceFixture.of("upf")) {
            ns.veth("upf", "n3", "upf", "gnb0");
            ns.veth("upf", "n6", "upf", "dn0");
            // By netlink it stays when its process is killed; only its name tells whose it was.
            ns.ip("upf", "link", "set", "n3", "xdpdrv", "obj", "target/classes/bpf/upf_steer.o", "sec", "xdp");
            ns.inside("upf", () -> {
                Libbpf libbpf = new Libbpf();
                long object;
                try (Arena arena = Arena.ofConfined()) {
                    object = libbpf.objectOpen(
                            arena.allocateFrom(
                                    ValueLayout.JAVA_BYTE,
                                    Files.readAllBytes(Path.of("target/classes/bpf/upf_steer.o"))),
                            arena.allocate(4096));
                    assertThat(libbpf.objectLoad(object)).isZero();
                }
                int n6 = Links.links().stream()
                        .filter(l -> l.name().equals("n6"))
                        .findFirst()
                        .orElseThrow()
                        .index();
                int link =
                        libbpf.xdpLinkCreate(libbpf.programFd(object, Probe.OWN_PROGRAM), n6, IfXdp.XDP_FLAGS_DRV_MODE);
                assertThat(link).isPositive();
                NodeReport.Spec spec = new Probe().report("here").spec();
                assertThat(spec.device("n3").orElseThrow().xdpProgram()).isNotNull();
                assertThat(spec.device("n3").orElseThrow().inUseBy()).isNull();
                assertThat(spec.device("n6").orElseThrow().inUseBy()).startsWith("a running dataplane (XDP program");
                Libc.close(link);
                libbpf.objectClose(object);
                assertThat(new Probe()
                                .report("here")
                                .spec()
                                .device("n6")
                                .orElseThrow()
                                .inUseBy())
                        .isNull();
                return null;
            });
        }
    }
}
