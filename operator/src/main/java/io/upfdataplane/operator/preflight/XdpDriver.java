package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** The driver of each device can run XDP itself. */
final class XdpDriver implements XdpCheck {
    @Override
    public String about() {
        return "The driver of each device can run XDP itself.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        for (UpfModel.Leg leg : model.packetLegs()) {
            Optional<UpfNodeReportSpec.Device> device = facts.device(leg.device());
            if (device.isEmpty()) {
                if (facts.isOwnDevice(String.valueOf(leg.device()))) {
                    return Finding.unknown(this, "whether " + leg.device() + " has native XDP");
                }
                continue; // InterfaceExists says so
            }
            Boolean xdp = device.get().nativeXdp();
            if (xdp == null) {
                return Finding.unknown(this, "whether " + leg.device() + " has native XDP");
            }
            if (!xdp) {
                String driver = device.get().driver() == null
                        ? "its driver"
                        : device.get().driver();
                return Finding.fail(
                        this,
                        driver + " on " + leg.device() + " has no native XDP",
                        "a driver with native XDP",
                        "attach a device whose driver has it, or use AF_PACKET");
            }
        }
        return Finding.pass(this, "n3 and n6 have native XDP");
    }
}
