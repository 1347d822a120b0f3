package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.List;
import java.util.Optional;

/** No device is taken that the node, a bridge, a bond or somebody else needs; it cannot be skipped. */
final class DeviceFree implements EveryModeCheck {
    @Override
    public String about() {
        return "No device is taken that the node, a bridge, a bond or somebody else needs; it cannot be skipped.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        for (UpfModel.Leg leg : model.deviceLegs()) {
            Optional<String> taken = facts.device(leg.device()).flatMap(device -> usedBy(device, model, facts));
            if (taken.isPresent()) {
                return Finding.fail(
                        this,
                        leg.device() + " " + taken.get(),
                        "a device that nobody else needs",
                        "name a device of its own for " + leg.name() + "; taking this one would cut its user off");
            }
        }
        return Finding.pass(this, "no device is used by another");
    }

    private static Optional<String> usedBy(UpfNodeReportSpec.Device device, UpfModel model, NodeFacts facts) {
        if (Boolean.TRUE.equals(device.defaultRoute())) {
            return Optional.of("carries the default route of the node");
        }
        if (device.master() != null) {
            return Optional.of("is a member of " + device.master());
        }
        if (device.inUseBy() != null && !facts.isOwnDevice(device.name())) {
            return Optional.of("is in use by " + device.inUseBy());
        }
        if (facts.isOwnDevice(device.name())) {
            return Optional.empty(); // its addresses were given or judged before the dataplane that holds it started
        }
        List<String> own = model.deviceLegs().stream()
                .filter(leg -> device.name().equals(leg.device()))
                .map(leg -> String.valueOf(leg.address()))
                .toList();
        List<String> carried = device.addresses() == null ? List.of() : device.addresses();
        return carried.stream()
                .filter(address -> !own.contains(address))
                .findFirst()
                .map(address -> "carries the address " + address + ", which the spec does not give it");
    }
}
