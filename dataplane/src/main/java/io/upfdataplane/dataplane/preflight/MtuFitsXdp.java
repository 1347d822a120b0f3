package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.ArrayList;
import java.util.List;

/** A packet fits one buffer under native XDP. */
final class MtuFitsXdp implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return Check.isXdp(plan);
    }

    /** A frame holds the kernel's headroom of 256 bytes and the Ethernet header besides the packet. */
    private static final int FRAME_OVERHEAD_BYTES = 256 + 14;

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> tooLarge = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        List<String> hints = new ArrayList<>();
        int frame = plan.tuning().umemFrameSizeBytes();
        int frameMtu = frame - FRAME_OVERHEAD_BYTES;
        for (Device d : facts.distinctDevices(plan)) {
            Integer driverMtu = d.xdpMaxMtu();
            boolean byDriver = driverMtu != null && driverMtu <= frameMtu;
            int most = driverMtu == null || !byDriver ? frameMtu : driverMtu;
            seen.add(d.name() + " MTU " + d.mtu());
            if (driverMtu != null && d.mtu() > driverMtu) {
                tooLarge.add(d.name() + " (" + d.driver() + ") MTU " + d.mtu() + " is above " + driverMtu + " for XDP");
                hints.add("ip link set " + d.name() + " mtu " + most);
            } else if (d.mtu() > frameMtu) {
                tooLarge.add(d.name() + " MTU " + d.mtu() + " is above " + frameMtu + " for frames of " + frame);
                hints.add("ip link set " + d.name() + " mtu " + most);
            } else if (driverMtu == null && d.mtu() > 1500) {
                unknown.add(d.name() + ": the largest MTU of " + d.driver() + " under XDP is not known");
            }
        }
        String required = "MTUs that native XDP takes and frames of " + frame + " hold";
        if (!tooLarge.isEmpty()) {
            return finding(
                    Result.Fail,
                    String.join("; ", tooLarge),
                    required,
                    String.join("; ", hints) + "; or use AF_PACKET");
        }
        return unknown.isEmpty()
                ? pass(String.join(", ", seen), required)
                : finding(Result.Unknown, String.join("; ", unknown), required, "the port decides when it opens");
    }
}
