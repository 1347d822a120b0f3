package io.upfdataplane.dataplane.pfcp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PDR as a Create PDR or an Update PDR has it (TS 29.244 §7.5.2.2, §7.5.4.2). What an update leaves out is null and
 * stays as it was; in a Create PDR the mandatory parts are there.
 *
 * @param outerHeaderRemoval the description, first octet of §8.2.64
 * @param qerIds null when there is none
 * @param others types of the IEs in it that this record does not hold
 */
public record PdrSpec(
        int id,
        @Nullable Long precedence,
        @Nullable Pdi pdi,
        @Nullable Integer outerHeaderRemoval,
        @Nullable Long farId,
        @Nullable List<Long> urrIds,
        @Nullable List<Long> qerIds,
        List<Integer> others) {}
