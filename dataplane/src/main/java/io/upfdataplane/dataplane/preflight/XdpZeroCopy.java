package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.ArrayList;
import java.util.List;

/** The drivers hand frames over without a copy, where that is asked for. */
final class XdpZeroCopy implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return Check.isXdp(plan) && plan.tuning().zeroCopy() != Plan.ZeroCopy.NEVER;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> copying = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        List<String> zeroCopy = new ArrayList<>();
        for (Device d : facts.distinctDevices(plan)) {
            Boolean can = d.zeroCopy();
            (can == null ? unknown : can ? zeroCopy : copying).add(d.name() + " (" + d.driver() + ")");
        }
        boolean must = plan.tuning().zeroCopy() == Plan.ZeroCopy.REQUIRE;
        String required = must ? "zero-copy on both devices" : "zero-copy if the drivers have it";
        if (!copying.isEmpty()) {
            return finding(
                    must ? Result.Fail : Result.Warn,
                    String.join(", ", copying) + ": the driver copies",
                    required,
                    must ? "use a device with zero-copy, or set tuning.zeroCopy to Prefer" : "frames will be copied");
        }
        return unknown.isEmpty()
                ? pass(String.join(", ", zeroCopy), required)
                : finding(Result.Unknown, String.join(", ", unknown), required, "the port decides when it opens");
    }
}
