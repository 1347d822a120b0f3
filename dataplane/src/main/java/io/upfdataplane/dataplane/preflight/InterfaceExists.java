package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.List;
import java.util.stream.Stream;

/** The devices of N3 and N6 are here. */
final class InterfaceExists implements Check {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> wanted =
                Stream.of(plan.n3().device(), plan.n6().device()).distinct().toList();
        List<String> here = facts.node().interfaces().stream().map(Device::name).toList();
        List<String> missing = wanted.stream().filter(d -> !here.contains(d)).toList();
        String required = String.join(" and ", wanted);
        if (missing.isEmpty()) {
            return pass(required, required);
        }
        String has = here.isEmpty() ? "no devices" : String.join(", ", here);
        return finding(
                Result.Fail,
                "no " + String.join(" and no ", missing) + "; this place has " + has,
                required,
                "name one of the devices that are here, or attach " + String.join(" and ", missing));
    }
}
