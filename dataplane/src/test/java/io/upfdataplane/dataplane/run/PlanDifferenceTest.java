package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.config.ConfigJudge;
import io.upfdataplane.dataplane.config.Judgement;
import io.upfdataplane.dataplane.config.Plan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
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
        assertThat(difference).isEqualTo(new PlanDifference(false, List.of(), List.of()));
    }

    @Test
    void namesEachFieldThatNeedsARestart() throws IOException {
        names("workers: 2", "workers: 3", "workers");
        names("device: n3", "device: n9", "interfaces.n3");
        names("gateway: 10.99.0.2", "gateway: 10.99.0.3", "interfaces.n6");
        names("nodeId: 10.33.0.1", "nodeId: 10.33.0.9", "pfcp.nodeId");
        names("bindAddress: 10.33.0.1", "bindAddress: 0.0.0.0", "pfcp.bindAddress");
        names("bindPort: 8805", "bindPort: 8806", "pfcp.bindPort");
        names("maxSessions: 10000", "maxSessions: 20000", "capacity.maxSessions");
        names("batchSize: 64", "batchSize: 32", "tuning");
        names("port: 9464", "port: 9465", "observability");
        names("/var/lib/upf", "/var/lib/upf2", "state.directory");
    }

    private static void names(String from, String to, String field) throws IOException {
        PlanDifference difference = PlanDifference.between(plan("", ""), plan(from, to));
        assertThat(difference.restartNeeded()).as(to).containsExactly(field);
        assertThat(difference.mode()).isFalse();
    }

    /** The operator's plan says the same: docs/api.md. */
    @Test
    void dataNetworksAndN4ChangeInPlace() throws IOException {
        changes("10.60.0.0/16", "10.61.0.0/16", "dataNetworks");
        changes("peers: []", "peers: [{name: smf, address: 10.33.0.2}]", "pfcp.peers");
        assertThat(PlanDifference.between(
                                plan("", ""),
                                plan(
                                        "role: Passive",
                                        "role: Both\n    peers: [{name: smf, address: 10.33.0.2}]",
                                        "    peers: []",
                                        ""))
                        .inPlace())
                .containsExactly("pfcp.role", "pfcp.peers");
        changes("interval: 10s", "interval: 11s", "pfcp.heartbeat.interval");
        changes("retransmission: {timeout: 2s", "retransmission: {timeout: 3s", "pfcp.retransmission.timeout");
    }

    private static void changes(String from, String to, String field) throws IOException {
        PlanDifference difference = PlanDifference.between(plan("", ""), plan(from, to));
        assertThat(difference).isEqualTo(new PlanDifference(false, List.of(field), List.of()));
    }

    /**
     * @param replacements each text and what stands in its place
     */
    private static Plan plan(String... replacements) throws IOException {
        String text = Files.readString(Path.of("../examples/dataplane-config.yaml"));
        for (int i = 0; i < replacements.length; i += 2) {
            assertThat(text).contains(replacements[i]);
            text = replacements[i].isEmpty()
                    ? text
                    : text.replaceFirst(Pattern.quote(replacements[i]), replacements[i + 1]);
        }
        Judgement judgement = ConfigJudge.judge(text.getBytes(StandardCharsets.UTF_8));
        assertThat(judgement).isInstanceOf(Judgement.Accepted.class);
        return ((Judgement.Accepted) judgement).config().candidate();
    }
}
