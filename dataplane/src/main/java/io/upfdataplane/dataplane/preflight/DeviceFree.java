package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.ArrayList;
import java.util.List;

/** Nobody else holds the devices. Cannot be skipped: taking a host's own uplink cuts it off. */
final class DeviceFree implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> held = new ArrayList<>();
        List<String> beside = new ArrayList<>();
        for (Device device : facts.distinctDevices(plan)) {
            if (device.inUseBy() == null) {
                continue;
            }
            boolean onlyXdp = !device.defaultRoute() && device.master() == null;
            // AF_PACKET runs beside a program that lets packets pass; a second XDP program cannot be attached.
            (onlyXdp && !Check.isXdp(plan) ? beside : held).add(device.name() + " is in use by " + device.inUseBy());
        }
        String required = "devices that nobody else uses";
        if (!held.isEmpty()) {
            return finding(
                    Result.Fail,
                    String.join("; ", held),
                    required,
                    "give the dataplane devices of its own, or take the other user away (an XDP program: ip link set"
                            + " dev DEVICE xdp off)");
        }
        if (!beside.isEmpty()) {
            return finding(
                    Result.Warn,
                    String.join("; ", beside),
                    required,
                    "packets that the program drops or redirects never arrive here");
        }
        return pass("free", required);
    }
}
