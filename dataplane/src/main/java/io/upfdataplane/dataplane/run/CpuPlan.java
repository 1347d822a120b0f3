package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.config.Plan;
import java.util.ArrayList;
import java.util.List;

/**
 * Which CPU each thread runs on: the control thread and all threads of the virtual machine on the first CPU of the
 * cpuset, each worker on one of the others. Where there are not enough, workers share CPUs with everything else and may
 * not busy-poll: a worker that never sleeps would starve the heartbeats.
 *
 * @param control CPUs for all threads but the workers
 * @param workers one CPU for each
 * @param poll what really is done
 */
public record CpuPlan(List<Integer> control, List<Integer> workers, Plan.Poll poll, boolean shared) {
    public CpuPlan {
        control = List.copyOf(control);
        workers = List.copyOf(workers);
    }

    public static CpuPlan of(List<Integer> allowed, int workers, Plan.Poll wished) {
        if (allowed.size() > workers) {
            return new CpuPlan(List.of(allowed.getFirst()), allowed.subList(1, workers + 1), wished, false);
        }
        List<Integer> cpus = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            cpus.add(allowed.get(i % allowed.size()));
        }
        return new CpuPlan(allowed, cpus, wished == Plan.Poll.BUSY ? Plan.Poll.ADAPTIVE : wished, true);
    }
}
