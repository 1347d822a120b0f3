package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.ArrayList;
import java.util.List;

/** The drivers run XDP programs natively. */
final class XdpDriver implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return Check.isXdp(plan);
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> without = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        List<String> with = new ArrayList<>();
        for (Device d : facts.distinctDevices(plan)) {
            Boolean can = d.nativeXdp();
            (can == null ? unknown : can ? with : without).add(d.name() + " (" + d.driver() + ")");
        }
        String required = "native XDP on both devices";
        if (!without.isEmpty()) {
            boolean must = plan.tuning().zeroCopy() == Plan.ZeroCopy.REQUIRE;
            return finding(
                    must ? Result.Fail : Result.Warn,
                    String.join(", ", without) + ": no native XDP",
                    required,
                    "attach a device with native XDP (not a VF of iavf, not macvlan), or use AF_PACKET"
                            + (must ? "" : ": generic XDP, which is taken instead, is slower"));
        }
        return unknown.isEmpty()
                ? pass(String.join(", ", with), required)
                : finding(Result.Unknown, String.join(", ", unknown), required, "the port decides when it opens");
    }
}
