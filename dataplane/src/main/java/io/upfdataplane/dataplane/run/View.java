package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.ConfigError;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortSet;
import io.upfdataplane.dataplane.port.PortStatistics;
import io.upfdataplane.dataplane.port.kernel.DeviceCounters;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the control thread last saw of everything that only it may look at. Immutable; any thread reads it.
 *
 * @param candidate what the configuration asks for
 * @param running what runs
 * @param restartNeeded fields of the candidate that do not change in place
 * @param utilisation busy part of each worker, 0 to 1
 * @param forwarding sessions that have passed a packet since they were established
 * @param notes what was found at the start and stays true: each a problem
 */
record View(
        long generation,
        List<ConfigError> configErrors,
        Plan candidate,
        Plan running,
        PortSet.ModeFacts facts,
        Instant modeSince,
        @Nullable Refusal refused,
        List<String> restartNeeded,
        @Nullable Transition lastTransition,
        Map<Transition.Outcome, Long> transitions,
        boolean ready,
        Map<Leg, PortStatistics> ports,
        Map<Leg, DeviceCounters.Lost> devices,
        int sessions,
        int forwarding,
        List<Double> utilisation,
        int poolFrames,
        int poolFree,
        List<Problem> notes) {

    /** Something that is not as it should be, although the dataplane runs. */
    record Problem(String name, String message) {}
}
