package io.upfdataplane.dataplane.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import org.junit.jupiter.api.Test;

/** What the probe says of devices that a test has made. */
class ProbeIT {
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
}
