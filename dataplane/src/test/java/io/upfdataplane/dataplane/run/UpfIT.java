package io.upfdataplane.dataplane.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import io.upfdataplane.dataplane.testbed.Traffic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole process with real PFCP and GTP-U around it, two workers on one queue, and the mode changed under traffic. */
class UpfIT {
    private static final int UES = 8;
    private static final int PACKETS_PER_SECOND = 1000;
    private static final int MOST_CHANGES = 6;

    /** The goal is 50 ms. */
    private static final long LONGEST_INTERRUPTION_NS = 250_000_000;

    /** Below this the clocks of two processes say no more. */
    private static final long FLOOR_NS = 2_000_000;

    private static final Path EXAMPLE = Path.of("../examples/dataplane-status.json");

    @TempDir
    private Path folder;

    @Timeout(240)
    @Test
    void carriesTrafficBothWaysWhileTheModeChangesThereAndBack() throws Exception {
        try (Stage stage = new Stage(folder, "Adaptive", 2)) {
            stage.plan("AF_PACKET");
            stage.start();
            stage.associate();
            List<Traffic.Ue> ues = stage.establish(UES);
            Set<Integer> owners = new HashSet<>();
            ues.forEach(u -> owners.add(stage.workerOf(u)));
            assertThat(owners).as("both workers own sessions").hasSize(2);

            int agreed = 0;
            try (Traffic traffic = new Traffic(stage.namespaces, ues, PACKETS_PER_SECOND)) {
                settle(stage, traffic);
                int changes = 0;
                // A machine that takes the CPU from a worker between its clock and the wire may spoil a change, not
                // all.
                while (changes < 2 || (agreed < 2 && changes < MOST_CHANGES)) {
                    agreed += changeMode(stage, traffic, ues, changes++ % 2 == 0 ? "AF_XDP" : "AF_PACKET") ? 1 : 0;
                }
                assertThat(agreed)
                        .as("changes of %d whose own figures agree with the sink's within a tenth", changes)
                        .isGreaterThanOrEqualTo(2);
                settle(stage, traffic);
                traffic.drain();
                JsonNode status = stage.dataplane.status();

                for (Traffic.Direction direction : List.of(traffic.uplink(), traffic.downlink())) {
                    assertThat(direction.bad())
                            .as("frames that nobody should send")
                            .isZero();
                    assertThat(direction.duplicated())
                            .as("%s", direction.duplicates())
                            .isZero();
                    assertThat(direction.reordered()).isZero();
                    // Each change at most a quarter of a second; the goal is 50 ms.
                    assertThat(direction.sent() - direction.received())
                            .as("lost of %d in %d changes", direction.sent(), changes)
                            .isBetween(0L, changes * PACKETS_PER_SECOND / 4L);
                }
                booksClose(status);
                if (Boolean.getBoolean("examples.write")) {
                    Files.writeString(
                            EXAMPLE,
                            new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(status) + "\n");
                }
                assertThat(shape("", status))
                        .as("examples/dataplane-status.json; -Dexamples.write=true writes it anew")
                        .isEqualTo(shape("", example()));
                assertThat(status.path("sessions").path("active").asInt()).isEqualTo(UES);
                assertThat(status.path("sessions").path("forwarding").asInt()).isEqualTo(UES);
                assertThat(status.path("peers").get(0).path("sessions").asInt()).isEqualTo(UES);
                for (JsonNode worker : status.path("workers")) {
                    assertThat(worker.path("received").asLong()).isPositive();
                }
            }
            assertThat(stage.smf.heartbeat()).as("the association goes on").isPositive();
            assertThat(stage.dataplane.terminate()).isZero();
            assertThat(stage.namespaces.exec("upf", "nft", "list", "ruleset")).isBlank();
            assertThat(stage.namespaces.ip("upf", "-d", "link", "show", "n3")).doesNotContain("xdp");
        }
    }

    private static void settle(Stage stage, Traffic traffic) throws Exception {
        long uplink = traffic.uplink().received();
        long downlink = traffic.downlink().received();
        long untilNs = System.nanoTime() + 20_000_000_000L;
        while (System.nanoTime() < untilNs
                && (traffic.uplink().received() < uplink + PACKETS_PER_SECOND / 2
                        || traffic.downlink().received() < downlink + PACKETS_PER_SECOND / 2)) {
            Thread.sleep(20);
        }
        String seen = traffic.uplink().bad() + " and " + traffic.downlink().bad() + " foreign frames; "
                + stage.dataplane.status().path("traffic");
        assertThat(traffic.uplink().received()).as("uplink flows: %s", seen).isGreaterThan(uplink);
        assertThat(traffic.downlink().received()).as("downlink flows: %s", seen).isGreaterThan(downlink);
    }

    private static boolean changeMode(Stage stage, Traffic traffic, List<Traffic.Ue> ues, String mode)
            throws Exception {
        long waitedBefore = stage.dataplane.workersWaitedNs();
        String plan = stage.plan(mode);
        JsonNode status;
        long slowestHeartbeatNs = 0;
        do {
            // N4 is served while ports are opened: SMFs give up after seconds.
            long heartbeatNs = stage.smf.heartbeat();
            assertThat(heartbeatNs).as("heartbeat in the change to %s", mode).isBetween(0L, 2_000_000_000L);
            slowestHeartbeatNs = Math.max(slowestHeartbeatNs, heartbeatNs);
            Thread.sleep(5);
            status = stage.dataplane.status();
        } while (!status.path("plan").path("running").asText().equals(plan) && stage.dataplane.isAlive());
        assertThat(status.path("mode").path("active").asText()).isEqualTo(mode);
        System.out.printf("to %s: the slowest heartbeat took %.1f ms%n", mode, slowestHeartbeatNs / 1e6);
        long waitedNs = stage.dataplane.workersWaitedNs() - waitedBefore;
        settle(stage, traffic);
        JsonNode transition = status.path("lastTransition");
        assertThat(transition.path("outcome").asText()).isEqualTo("Succeeded");
        assertThat(transition.path("sessionsLost").asInt()).isZero();
        assertThat(transition.path("sessionsKept").asInt()).isEqualTo(UES);
        boolean judged = agree(stage, traffic.uplink(), ues, transition, "uplinkMicros", waitedNs);
        return judged & agree(stage, traffic.downlink(), ues, transition, "downlinkMicros", waitedNs);
    }

    /** What the dataplane says it interrupted is what the sink saw. */
    private static boolean agree(
            Stage stage,
            Traffic.Direction direction,
            List<Traffic.Ue> ues,
            JsonNode transition,
            String figure,
            long waitedNs) {
        long fromNs = nanos(transition.path("startedAt").asText());
        long toNs = nanos(transition.path("finishedAt").asText());
        long sinkNs = 0;
        for (int worker = 0; worker < 2; worker++) {
            int owner = worker;
            sinkNs = Math.max(sinkNs, direction.longestGapNs(ue -> stage.workerOf(ues.get(ue)) == owner, fromNs, toNs));
        }
        long ownNs = transition.path("interruption").path(figure).asLong() * 1000;
        long pauseNs = direction.longestPauseNs(fromNs, toNs);
        System.out.printf(
                "%s → %s, %s: own figure %.1f ms, at the sink %.1f ms; meanwhile the generator paused %.1f ms and"
                        + " workers waited %.1f ms for a CPU%n",
                transition.path("from").asText(),
                transition.path("to").asText(),
                figure,
                ownNs / 1e6,
                sinkNs / 1e6,
                pauseNs / 1e6,
                waitedNs / 1e6);
        long apartNs = Math.abs(ownNs - sinkNs);
        long allowedNs = Math.max(sinkNs / 10, FLOOR_NS);
        // A worker that loses its CPU between its clock and the wire cannot know: so much is granted, and said.
        long busyNs = pauseNs + waitedNs;
        assertThat(apartNs)
                .as("%s: own %d ns, at the sink %d ns, machine busy %d ns", figure, ownNs, sinkNs, busyNs)
                .isLessThan(allowedNs + busyNs);
        assertThat(sinkNs - busyNs).as("%s: time without traffic", figure).isLessThan(LONGEST_INTERRUPTION_NS);
        return apartNs <= allowedNs;
    }

    private static long nanos(String time) {
        Instant instant = Instant.parse(time);
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }

    private static JsonNode example() throws Exception {
        return new ObjectMapper().readTree(EXAMPLE.toFile());
    }

    /** All field paths; lists by their first element. What a problem is called and why packets drop may differ. */
    private static Set<String> shape(String path, JsonNode node) {
        Set<String> paths = new TreeSet<>();
        if (path.endsWith(".drops") || path.endsWith(".problems")) {
            return paths;
        }
        node.properties().forEach(field -> {
            String at = path + "." + field.getKey();
            paths.add(at);
            paths.addAll(shape(at, field.getValue()));
        });
        if (node.isArray() && !node.isEmpty()) {
            paths.addAll(shape(path + "[]", node.get(0)));
        }
        return paths;
    }

    /** received = forwarded + answered + Σ drops, for each direction. */
    private static void booksClose(JsonNode status) {
        for (String direction : List.of("uplink", "downlink")) {
            JsonNode traffic = status.path("traffic").path(direction);
            long drops = 0;
            for (JsonNode drop : traffic.path("drops")) {
                drops += drop.asLong();
            }
            assertThat(traffic.path("sent").asLong() + traffic.path("answered").asLong() + drops)
                    .as("%s: %s", direction, traffic)
                    .isEqualTo(traffic.path("received").asLong());
        }
    }

    /** AF_XDP with an MTU that native XDP cannot take is refused; the old mode goes on, also after a crash. */
    @Test
    void goesOnInTheOldModeWhenTheNewOneIsRefusedAndStartsTheLastGoodAfterACrash() throws Exception {
        try (Stage stage = new Stage(folder, "Adaptive", 1)) {
            for (String[] end : new String[][] {{"upf", "n3"}, {"gnb", "n3p"}}) {
                stage.namespaces.ip(end[0], "link", "set", end[1], "mtu", "3700");
            }
            String good = stage.plan("AF_PACKET");
            stage.start();
            stage.associate();
            List<Traffic.Ue> ues = stage.establish(2);
            String bad;
            try (Traffic traffic = new Traffic(stage.namespaces, ues, 200)) {
                settle(stage, traffic);
                bad = stage.plan("AF_XDP");
                JsonNode refused =
                        stage.dataplane.await("refused", s -> s.path("refused").isObject());
                assertThat(refused.path("refused").path("check").asText()).isEqualTo("MtuFitsXdp");
                assertThat(refused.path("refused").path("planHash").asText()).isEqualTo(bad);
                assertThat(refused.path("refused").path("found").asText()).contains("3700");
                assertThat(refused.path("refused").path("hint").asText()).isNotBlank();
                assertThat(refused.path("mode").path("active").asText()).isEqualTo("AF_PACKET");
                assertThat(refused.path("plan").path("running").asText()).isEqualTo(good);
                settle(stage, traffic);
                traffic.drain();
                assertThat(traffic.uplink().sent() - traffic.uplink().received())
                        .isZero();
                assertThat(traffic.downlink().sent() - traffic.downlink().received())
                        .isZero();
            }
            stage.dataplane.kill();
            stage.start();
            JsonNode restarted = stage.dataplane.status();
            assertThat(restarted.path("mode").path("active").asText()).isEqualTo("AF_PACKET");
            assertThat(restarted.path("plan").path("running").asText()).isEqualTo(good);
            assertThat(restarted.path("plan").path("candidate").asText()).isEqualTo(bad);
            assertThat(restarted.path("refused").path("planHash").asText()).isEqualTo(bad);

            // The cause is gone and the plan is a new one: it is tried.
            for (String[] end : new String[][] {{"upf", "n3"}, {"gnb", "n3p"}}) {
                stage.namespaces.ip(end[0], "link", "set", end[1], "mtu", "1500");
            }
            stage.awaitMode(stage.plan("AF_XDP"), "AF_XDP");
            assertThat(stage.dataplane.status().path("refused").isNull()).isTrue();
        }
    }

    /** Data networks and N4's peers, role and timers; what needs a new process is named and changes nothing. */
    @Test
    void takesDataNetworksAndN4InPlaceInBothModes() throws Exception {
        try (Stage stage = new Stage(folder, "Adaptive", 1)) {
            stage.plan("AF_PACKET");
            stage.start();
            stage.associate();
            List<Traffic.Ue> ues = new ArrayList<>(stage.establish(1));
            Traffic.Ue second = stage.ue("10.61.0.1", 10);
            assertThat(stage.establish(second)).as("no pool for it yet").isNotEqualTo(1);

            stage.usePools("10.60.0.0/16", "10.61.0.0/16");
            stage.usePfcp("role: Both, peers: [{name: smf, address: 10.33.0.2}], heartbeat: {interval: 11s}");
            JsonNode status = stage.awaitPlan(stage.plan("AF_PACKET"));
            assertThat(status.path("restartNeeded")).isEmpty();
            assertThat(stage.namespaces.exec("upf", "nft", "list", "ruleset")).contains("10.61.0.0/16");
            assertThat(stage.establish(second)).isEqualTo(1);
            ues.add(second);
            flows(stage, ues);

            // With the mode in one edit.
            stage.usePools("10.60.0.0/16", "10.61.0.0/16", "10.62.0.0/16");
            stage.awaitMode(stage.plan("AF_XDP"), "AF_XDP");
            Traffic.Ue third = stage.ue("10.62.0.1", 20);
            assertThat(stage.establish(third)).isEqualTo(1);
            ues.add(third);
            flows(stage, ues);

            // In AF_XDP, one less and one more.
            stage.usePools("10.61.0.0/16", "10.62.0.0/16", "10.63.0.0/16");
            stage.awaitPlan(stage.plan("AF_XDP"));
            Traffic.Ue fourth = stage.ue("10.63.0.1", 30);
            assertThat(stage.establish(fourth)).isEqualTo(1);
            flows(stage, List.of(second, third, fourth));
            assertThat(stage.namespaces.exec("upf", "nft", "list", "ruleset")).doesNotContain("10.60.0.0/16");

            String running =
                    stage.dataplane.status().path("plan").path("running").asText();
            stage.plan("AF_XDP", 2);
            status = stage.dataplane.await(
                    "needs a restart", s -> !s.path("restartNeeded").isEmpty());
            assertThat(status.path("restartNeeded").toString()).isEqualTo("[\"workers\"]");
            assertThat(status.path("plan").path("running").asText()).isEqualTo(running);
            assertThat(status.path("sessions").path("active").asInt()).isEqualTo(4);
            assertThat(stage.smf.heartbeat()).isPositive();
        }
    }

    private static void flows(Stage stage, List<Traffic.Ue> ues) throws Exception {
        try (Traffic traffic = new Traffic(stage.namespaces, ues, 200)) {
            settle(stage, traffic);
            traffic.drain();
            for (int i = 0; i < ues.size(); i++) {
                int ue = i;
                assertThat(traffic.uplink().receivedOf(ue))
                        .as("uplink of UE %d", ue)
                        .isPositive();
                assertThat(traffic.downlink().receivedOf(ue))
                        .as("downlink of UE %d", ue)
                        .isPositive();
            }
        }
    }

    @Test
    void leavesAForeignProgramAloneAndLeavesNoneWhenKilled() throws Exception {
        try (Stage stage = new Stage(folder, "Adaptive", 1)) {
            stage.plan("AF_PACKET");
            stage.start();
            stage.associate();
            List<Traffic.Ue> ues = stage.establish(2);
            foreignProgram(stage);
            try (Traffic traffic = new Traffic(stage.namespaces, ues, 200)) {
                settle(stage, traffic);
                stage.plan("AF_XDP");
                JsonNode refused =
                        stage.dataplane.await("refused", s -> s.path("refused").isObject());
                assertThat(refused.path("refused").path("check").asText()).isEqualTo("DeviceFree");
                assertThat(refused.path("refused").path("found").asText()).contains("n3", "XDP program");
                assertThat(refused.path("refused").path("hint").asText()).contains("xdp off");
                assertThat(refused.path("mode").path("active").asText()).isEqualTo("AF_PACKET");
                settle(stage, traffic);
                traffic.drain();
                assertThat(traffic.uplink().sent() - traffic.uplink().received())
                        .isZero();
            }
            assertThat(stage.namespaces.ip("upf", "-d", "link", "show", "n3")).contains("prog/xdp");
            stage.namespaces.ip("upf", "link", "set", "dev", "n3", "xdp", "off");
            stage.awaitMode(stage.plan("AF_XDP"), "AF_XDP");

            stage.dataplane.kill();
            assertThat(stage.namespaces.ip("upf", "-d", "link", "show", "n3")).doesNotContain("prog/xdp");
            stage.smf.close();
            stage.start();
            assertThat(stage.dataplane.status().path("mode").path("active").asText())
                    .isEqualTo("AF_XDP");
            stage.associate();
            flows(stage, stage.establish(2));
        }
    }

    /** A program that passes everything, from somebody else. */
    private void foreignProgram(Stage stage) throws Exception {
        Path source = folder.resolve("pass.c");
        Path object = folder.resolve("pass.o");
        Files.writeString(source, """
                __attribute__((section("xdp"), used)) int somebody_elses(void *context) { return 2; }
                """);
        NetNamespaceFixture.run(
                "clang", "-O2", "-g", "-target", "bpf", "-c", source.toString(), "-o", object.toString());
        stage.namespaces.ip("upf", "link", "set", "dev", "n3", "xdpdrv", "obj", object.toString(), "sec", "xdp");
    }

    @Test
    void aBadEditChangesNothingAndIsShown() throws Exception {
        try (Stage stage = new Stage(folder, "Interrupt", 1)) {
            String good = stage.plan("AF_PACKET");
            stage.start();
            Files.writeString(stage.config, "candidate: {workers: many}\n");
            JsonNode status = stage.dataplane.await(
                    "errors shown", s -> !s.path("configErrors").isEmpty());
            assertThat(status.path("plan").path("running").asText()).isEqualTo(good);
            assertThat(status.path("ready").asBoolean()).isTrue();
            assertThat(status.path("configErrors").toString()).contains("candidate.workers", "many");
            String text = stage.plan("AF_PACKET");
            assertThat(stage.awaitMode(text, "AF_PACKET").path("configErrors")).isEmpty();
        }
    }
}
