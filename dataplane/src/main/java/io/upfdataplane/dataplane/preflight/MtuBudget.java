package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;

/** A UE's largest packet fits N3 with its tunnel headers, and N6. */
final class MtuBudget implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    /** Outer IPv4 20, UDP 8, GTP-U 8 with its 4 optional bytes, PDU Session Container 4 (TS 29.281 §5.1, §5.2.2.7). */
    static final int GTPU_OVERHEAD_BYTES = 44;

    /** What a UE may rely on where no MTU is given: the least MTU of IPv6. */
    private static final int LEAST_UE_MTU_BYTES = 1280;

    @Override
    public Finding judge(Plan plan, Facts facts) {
        Device n3 = facts.n3(plan).orElseThrow();
        Device n6 = facts.n6(plan).orElseThrow();
        int ueMtu = plan.dataNetworks().stream()
                .mapToInt(n -> n.ueMtuBytes() == null ? 0 : n.ueMtuBytes())
                .max()
                .orElse(0);
        int least = ueMtu == 0 ? LEAST_UE_MTU_BYTES : ueMtu;
        String required = "N3 MTU less " + GTPU_OVERHEAD_BYTES + " of GTP-U overhead, and N6 MTU, of at least "
                + (ueMtu == 0 ? "" : "the UE MTU ") + least;
        String observed = "N3 MTU " + n3.mtu() + ", N6 MTU " + n6.mtu();
        int fits = Math.min(n3.mtu() - GTPU_OVERHEAD_BYTES, n6.mtu());
        if (fits >= least) {
            return pass(observed, required);
        }
        return finding(
                Result.Fail,
                observed,
                required,
                "raise the MTU of N3 to " + (least + GTPU_OVERHEAD_BYTES) + " and of N6 to " + least
                        + (ueMtu == 0 ? "" : ", or set ueMtu to " + fits));
    }
}
