package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The node has every device that the spec names. */
final class InterfaceExists implements EveryModeCheck {
    @Override
    public String about() {
        return "The node has every device that the spec names.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        Optional<List<UpfNodeReportSpec.Device>> devices = facts.devices();
        if (devices.isEmpty()) {
            return Finding.unknown(this, "the devices");
        }
        List<String> missing = model.deviceLegs().stream()
                .map(UpfModel.Leg::device)
                .filter(device -> facts.device(device).isEmpty() && !facts.isOwnDevice(String.valueOf(device)))
                .distinct()
                .toList();
        if (missing.isEmpty()) {
            return Finding.pass(this, "every device is there");
        }
        String there =
                devices.get().stream().map(UpfNodeReportSpec.Device::name).collect(Collectors.joining(", "));
        return Finding.fail(
                this,
                facts.node() + " has no " + String.join(", ", missing),
                "a device of that name",
                "it has " + (there.isEmpty() ? "none" : there));
    }
}
