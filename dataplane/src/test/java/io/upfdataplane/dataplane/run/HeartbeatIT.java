package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.upfdataplane.dataplane.testbed.Traffic;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heartbeats are answered with every worker at full load. */
class HeartbeatIT {
    private static final int HEARTBEATS = 20;
    // As fast as one thread each way can: more than the workers need to be busy all the time on a small machine.
    private static final int FLOOD = 1_000_000;

    @TempDir
    private Path folder;

    @Test
    void areAnsweredByAControlCpuWhileAWorkerNeverSleeps() throws Exception {
        int cpus = Runtime.getRuntime().availableProcessors();
        assumeTrue(cpus >= 2, "skipped: a control CPU needs a second CPU, this machine has " + cpus);
        underFlood("Busy", 1, false);
    }

    @Test
    void areAnsweredInAdaptiveWithoutAControlCpu() throws Exception {
        underFlood("Adaptive", Math.max(2, Runtime.getRuntime().availableProcessors()), true);
    }

    private void underFlood(String poll, int workers, boolean shared) throws Exception {
        try (Stage stage = new Stage(folder, poll, workers)) {
            stage.plan("AF_PACKET");
            stage.start();
            stage.associate();
            List<Traffic.Ue> ues = stage.establish(16);
            try (Traffic traffic = new Traffic(stage.namespaces, ues, FLOOD)) {
                Thread.sleep(500);
                int answered = 0;
                long longestNs = 0;
                for (int i = 0; i < HEARTBEATS; i++) {
                    long ns = stage.smf.heartbeat();
                    answered += ns >= 0 ? 1 : 0;
                    longestNs = Math.max(longestNs, ns);
                    Thread.sleep(50);
                }
                System.out.printf(
                        "%s, %d workers under flood: %d of %d heartbeats answered, the slowest in %.1f ms%n",
                        poll, workers, answered, HEARTBEATS, longestNs / 1e6);
                assertThat(answered).isEqualTo(HEARTBEATS);
                // SMFs give up after seconds (5 s and more); one that waits two is already noticed by nobody.
                assertThat(longestNs).isLessThan(2_000_000_000L);
                JsonNode status = stage.dataplane.status();
                assertThat(status.path("traffic")
                                .path("uplink")
                                .path("received")
                                .asLong())
                        .isGreaterThan(1000);
                assertThat(status.path("problems").toString().contains("CpusShared"))
                        .isEqualTo(shared);
            }
        }
    }
}
