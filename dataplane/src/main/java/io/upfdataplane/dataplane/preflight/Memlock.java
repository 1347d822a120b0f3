package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;

/** The frame pool may be locked into memory. */
final class Memlock implements Check {
    @Override
    public boolean appliesTo(Plan plan) {
        return Check.isXdp(plan);
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        Long limit = facts.node().memlockBytes();
        long needed = (long) plan.tuning().umemFrames() * plan.tuning().umemFrameSizeBytes();
        String required = (needed >> 20) + " MiB for the UMEM";
        if (facts.has("IPC_LOCK")) {
            return pass("IPC_LOCK lifts the limit", required);
        }
        if (limit == null) {
            return finding(Result.Unknown, "the limit could not be read", required, "");
        }
        return limit < 0 || limit >= needed
                ? pass(limit < 0 ? "unlimited" : (limit >> 20) + " MiB", required)
                : finding(
                        Result.Fail,
                        "RLIMIT_MEMLOCK " + (limit >> 20) + " MiB and no IPC_LOCK",
                        required,
                        "add the capability IPC_LOCK, or raise LimitMEMLOCK in the container runtime's unit");
    }
}
