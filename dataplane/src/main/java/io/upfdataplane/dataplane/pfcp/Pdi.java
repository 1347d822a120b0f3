package io.upfdataplane.dataplane.pfcp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Packet Detection Information (TS 29.244 §7.5.2.2, table 2).
 *
 * @param sourceInterface value of §8.2.2
 * @param networkInstance lower case; empty when absent
 * @param others types of the IEs in it that this record does not hold
 */
public record Pdi(
        int sourceInterface,
        @Nullable LocalFTeid localFTeid,
        String networkInstance,
        @Nullable UeIpAddress ueIpAddress,
        List<SdfFilterIe> sdfFilters,
        List<Integer> qfis,
        List<Integer> others) {}
