package io.upfdataplane.dataplane.pfcp;

import java.util.List;

/**
 * All that one message asks of a session's rules (TS 29.244 §7.5.2.1, §7.5.4.1). URRs and BARs are known by their id only.
 *
 * @param requestFlags PFCPSMReq-Flags of the message, 0 when absent
 * @param others types of the message's IEs that no record holds
 */
public record RuleChanges(
        List<PdrSpec> createPdrs,
        List<FarSpec> createFars,
        List<QerSpec> createQers,
        List<Long> createUrrs,
        List<Integer> createBars,
        List<PdrSpec> updatePdrs,
        List<FarSpec> updateFars,
        List<QerSpec> updateQers,
        List<Long> updateUrrs,
        List<Integer> updateBars,
        List<Integer> removePdrs,
        List<Long> removeFars,
        List<Long> removeQers,
        List<Long> removeUrrs,
        List<Integer> removeBars,
        List<Long> queryUrrs,
        int requestFlags,
        List<Integer> others) {}
