package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Frames arrive as they were on the wire. */
final class Offloads implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> seen = new ArrayList<>();
        List<String> hints = new ArrayList<>();
        boolean canSet = facts.has("NET_ADMIN");
        for (Device d : facts.distinctDevices(plan)) {
            NodeReport.Peer peer = d.peer();
            if (peer != null && Boolean.TRUE.equals(peer.txChecksumOffload())) {
                seen.add("the peer " + peer.name() + " leaves checksums unfinished (completed here, in software)");
                hints.add("ethtool -K " + peer.name() + " tx off");
            }
            NodeReport.Offloads o = d.offloads();
            // With NET_ADMIN the dataplane switches these off itself and restores them.
            if (o != null && !canSet) {
                on(o.gro(), d, "gro", seen, hints);
                on(o.lro(), d, "lro", seen, hints);
                on(o.rxVlanStrip(), d, "rxvlan", seen, hints);
            }
        }
        String required = "no unfinished checksums, no merged packets, no stripped VLAN tags";
        return seen.isEmpty()
                ? pass("none that matter", required)
                : finding(Result.Warn, String.join("; ", seen), required, String.join("; ", hints));
    }

    private static void on(
            @Nullable Boolean state, Device device, String feature, List<String> seen, List<String> hints) {
        if (Boolean.TRUE.equals(state)) {
            seen.add(device.name() + " has " + feature + " on");
            hints.add("ethtool -K " + device.name() + " " + feature + " off");
        }
    }
}
