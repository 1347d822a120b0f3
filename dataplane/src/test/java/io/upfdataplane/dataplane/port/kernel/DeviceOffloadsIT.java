package io.upfdataplane.dataplane.port.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import org.junit.jupiter.api.Test;

class DeviceOffloadsIT {
    @Test
    void switchesMergingOffAndBackOnAsItWas() throws Exception {
        try (NetNamespaceFixture net = NetNamespaceFixture.of("upf")) {
            net.veth("upf", "n3", "upf", "n3far");
            net.veth("upf", "n6", "upf", "n6far");
            net.exec("upf", "ethtool", "-K", "n3", "gro", "on");
            net.exec("upf", "ethtool", "-K", "n6", "gro", "off");
            DeviceOffloads offloads = net.inside("upf", () -> DeviceOffloads.switchOff(KernelGuardIT.PLAN));
            assertThat(net.exec("upf", "ethtool", "-k", "n3")).contains("generic-receive-offload: off");
            assertThat(net.exec("upf", "ethtool", "-k", "n6")).contains("generic-receive-offload: off");
            assertThat(offloads.leftOn()).isEmpty();
            net.inside("upf", () -> {
                offloads.close();
                return 0;
            });
            assertThat(net.exec("upf", "ethtool", "-k", "n3")).contains("generic-receive-offload: on");
            assertThat(net.exec("upf", "ethtool", "-k", "n6")).contains("generic-receive-offload: off");
        }
    }
}
