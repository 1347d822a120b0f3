package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.List;

/** Each worker has a receive queue, or packets are spread in software. */
final class QueueCount implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<Device> few = facts.distinctDevices(plan).stream()
                .filter(d -> d.queues().rx() < plan.workers())
                .toList();
        String required = "a receive queue for each of " + plan.workers() + " workers";
        if (few.isEmpty()) {
            return pass("enough", required);
        }
        return finding(
                Result.Warn,
                String.join(
                        ", ",
                        few.stream()
                                .map(d -> d.name() + " has " + d.queues().rx())
                                .toList()),
                required,
                (Check.isXdp(plan) ? "steering in XDP spreads sessions" : "a fanout program spreads sessions")
                        + "; or ethtool -L " + few.getFirst().name() + " combined " + plan.workers());
    }
}
