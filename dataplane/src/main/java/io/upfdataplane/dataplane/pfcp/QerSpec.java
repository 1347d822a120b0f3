package io.upfdataplane.dataplane.pfcp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A QER as a Create QER or an Update QER has it (TS 29.244 §7.5.2.5, §7.5.4.5). What an update leaves out is null and
 * stays as it was.
 *
 * @param others types of the IEs in it that this record does not hold
 */
public record QerSpec(
        long id,
        @Nullable GateStatus gates,
        @Nullable BitRates mbr,
        @Nullable Integer qfi,
        List<Integer> others) {

    /** §8.2.7. */
    public record GateStatus(boolean uplinkOpen, boolean downlinkOpen) {}

    /** §8.2.8, in kilobits (1000 bits) per second. */
    public record BitRates(long uplinkKbps, long downlinkKbps) {}
}
