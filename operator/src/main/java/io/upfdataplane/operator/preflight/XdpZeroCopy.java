package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** The devices can do without a copy, as far as tuning.zeroCopy asks for it. */
final class XdpZeroCopy implements XdpCheck {
    @Override
    public String about() {
        return "The devices can do without a copy, as far as tuning.zeroCopy asks for it.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        UpfDataplaneSpec.ZeroCopy wish = model.tuning().zeroCopy();
        if (wish == UpfDataplaneSpec.ZeroCopy.Never) {
            return Finding.pass(this, "zero-copy is not asked for");
        }
        for (UpfModel.Leg leg : model.packetLegs()) {
            Optional<UpfNodeReportSpec.Device> device = facts.device(leg.device());
            if (device.isEmpty()) {
                if (facts.isOwnDevice(String.valueOf(leg.device()))) {
                    return Finding.unknown(this, "whether " + leg.device() + " can do zero-copy");
                }
                continue; // InterfaceExists says so
            }
            Boolean able = device.get().zeroCopy();
            if (able == null) {
                return Finding.unknown(this, "whether " + leg.device() + " can do zero-copy");
            }
            if (!able) {
                String observed = (device.get().driver() == null
                                ? leg.device()
                                : device.get().driver()) + " copies";
                return wish == UpfDataplaneSpec.ZeroCopy.Require
                        ? Finding.fail(
                                this,
                                observed,
                                "zero-copy on " + leg.device(),
                                "set tuning.zeroCopy to Prefer, or attach a device that has it")
                        : Finding.warn(this, observed, "zero-copy, if there", "packets are copied once by the kernel");
            }
        }
        return Finding.pass(this, "n3 and n6 offer zero-copy; the bind decides");
    }
}
