package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.config.Plan.Poll;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuPlanTest {
    @Test
    void givesTheFirstCpuToTheControlThreadAndOneToEachWorker() {
        CpuPlan plan = CpuPlan.of(List.of(2, 4, 6, 8), 2, Poll.BUSY);
        assertThat(plan).isEqualTo(new CpuPlan(List.of(2), List.of(4, 6), Poll.BUSY, false));
    }

    @Test
    void doesNotBusyPollWhereWorkersShareCpusWithTheControlThread() {
        assertThat(CpuPlan.of(List.of(0, 1), 2, Poll.BUSY))
                .isEqualTo(new CpuPlan(List.of(0, 1), List.of(0, 1), Poll.ADAPTIVE, true));
        assertThat(CpuPlan.of(List.of(5), 3, Poll.BUSY))
                .isEqualTo(new CpuPlan(List.of(5), List.of(5, 5, 5), Poll.ADAPTIVE, true));
    }

    @Test
    void leavesOtherWaysOfWaitingAsTheyAre() {
        assertThat(CpuPlan.of(List.of(0), 1, Poll.INTERRUPT).poll()).isEqualTo(Poll.INTERRUPT);
        assertThat(CpuPlan.of(List.of(0), 1, Poll.ADAPTIVE).poll()).isEqualTo(Poll.ADAPTIVE);
    }
}
