package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** The MTU of each device is one that native XDP takes, and its frames fit the UMEM. */
final class MtuFitsXdp implements XdpCheck {
    @Override
    public String about() {
        return "The MTU of each device is one that native XDP takes, and its frames fit the UMEM.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        for (UpfModel.Leg leg : model.packetLegs()) {
            Optional<Integer> mtu = Mtu.of(leg, facts);
            if (mtu.isEmpty()) {
                return Finding.unknown(this, "the MTU of " + leg.name());
            }
            UpfDataplaneSpec.Umem umem = model.tuning().umem();
            int frameSize = umem == null || umem.frameSize() == null ? Mtu.LARGEST_FRAME : umem.frameSize();
            Optional<UpfNodeReportSpec.Device> device = facts.device(leg.device());
            Optional<Integer> driverMax = device.map(UpfNodeReportSpec.Device::xdpMaxMtu);
            int max = Math.min(Mtu.fits(frameSize), driverMax.orElse(Integer.MAX_VALUE));
            if (mtu.get() > max) {
                String driver = device.map(UpfNodeReportSpec.Device::driver).orElse("device");
                return Finding.fail(
                        this,
                        driver + " MTU " + mtu.get() + " on " + leg.name() + " is above " + max + " for XDP",
                        "at most " + max,
                        "set interfaces." + leg.name() + ".mtu to " + max + " or less, or use AF_PACKET");
            }
        }
        return Finding.pass(this, "the MTUs of n3 and n6 fit");
    }
}
