package io.upfdataplane.dataplane.worker;

import java.util.List;

/**
 * How workers run.
 *
 * @param batchSize most frames received from a port in one turn
 * @param cpus one CPU for each worker, or empty: then they are not pinned
 */
public record WorkerSettings(int batchSize, PollMode poll, List<Integer> cpus) {
    public WorkerSettings {
        if (batchSize < 1 || batchSize > 256) {
            throw new IllegalArgumentException("batch size " + batchSize + " is not within 1–256");
        }
        cpus = List.copyOf(cpus);
    }
}
