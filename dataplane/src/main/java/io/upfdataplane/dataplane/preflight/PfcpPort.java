package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;

/** The address and port of N4 can be bound. */
final class PfcpPort implements Check {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        String required = "UDP " + plan.pfcp().bindAddress() + ":" + plan.pfcp().bindPort();
        String error = facts.pfcpPortError();
        return error == null
                ? pass("free", required)
                : finding(
                        Result.Fail,
                        error,
                        required,
                        "stop what holds the port (ss -lunp), or give pfcp.bindAddress an address of this place");
    }
}
