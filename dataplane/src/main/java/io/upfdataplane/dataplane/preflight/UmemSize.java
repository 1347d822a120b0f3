package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;

/** The frame pool keeps all fill rings supplied while frames are on their way. */
final class UmemSize implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return Check.isXdp(plan);
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        int queues = Math.max(
                plan.devices(),
                facts.distinctDevices(plan).stream()
                        .mapToInt(d -> d.queues().rx())
                        .sum());
        int fill = plan.tuning().fillRing();
        long least = 2L * fill * queues;
        String required =
                "at least " + least + " frames: twice the fill ring of " + fill + " for each of " + queues + " queues";
        int frames = plan.tuning().umemFrames();
        return frames >= least
                ? pass(frames + " frames", required)
                : finding(
                        Result.Fail,
                        frames + " frames",
                        required,
                        "set tuning.umem.frames to " + least + ", or tuning.rings.fill to "
                                + Integer.highestOneBit(Math.max(64, frames / (2 * queues))));
    }
}
