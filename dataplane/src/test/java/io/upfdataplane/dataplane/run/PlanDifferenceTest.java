package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.config.ConfigJudge;
import io.upfdataplane.dataplane.config.Judgement;
import io.upfdataplane.dataplane.config.Plan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PlanDifferenceTest {
    @Test
    void theModeChangesInPlace() throws IOException {
        PlanDifference difference = PlanDifference.between(plan("", ""), plan("mode: AF_XDP ", "mode: AF_PACKET "));
        assertThat(difference.mode()).isTrue();
        assertThat(difference.restartNeeded()).isEmpty();
    }

    @Test
    void anotherHashAloneChangesNothing() throws IOException {
        PlanDifference difference =
                PlanDifference.between(plan("", ""), plan("planHash: 5f0c1e9a7b3d", "planHash: other"));
        assertThat(difference).isEqualTo(new PlanDifference(false, java.util.List.of()));
    }

    @Test
    void namesEachFieldThatNeedsARestart() throws IOException {
        names("workers: 2", "workers: 3", "workers");
        names("device: n3", "device: n9", "interfaces.n3");
        names("gateway: 10.99.0.2", "gateway: 10.99.0.3", "interfaces.n6");
        names("10.60.0.0/16", "10.61.0.0/16", "dataNetworks");
        names("role: Passive", "bindPort: 8806", "pfcp");
        names("maxSessions: 10000", "maxSessions: 20000", "capacity.maxSessions");
        names("batchSize: 64", "batchSize: 32", "tuning");
        names("port: 9464", "port: 9465", "observability");
        names("/var/lib/upf", "/var/lib/upf2", "state.directory");
    }

    private static void names(String from, String to, String field) throws IOException {
        PlanDifference difference = PlanDifference.between(
                plan("", ""), from.startsWith("role") ? plan("bindPort: 8805", to) : plan(from, to));
        assertThat(difference.restartNeeded()).as(to).containsExactly(field);
        assertThat(difference.mode()).isFalse();
    }

    private static Plan plan(String from, String to) throws IOException {
        String text = Files.readString(Path.of("../examples/dataplane-config.yaml"));
        assertThat(text).contains(from);
        Judgement judgement =
                ConfigJudge.judge((from.isEmpty() ? text : text.replace(from, to)).getBytes(StandardCharsets.UTF_8));
        assertThat(judgement).isInstanceOf(Judgement.Accepted.class);
        return ((Judgement.Accepted) judgement).config().candidate();
    }
}
