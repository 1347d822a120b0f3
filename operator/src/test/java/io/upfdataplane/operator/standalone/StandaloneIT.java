package io.upfdataplane.operator.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.operator.model.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The operator of a bare host with a real dataplane: one life of one resource, in order. What is asserted is what comes,
 * not how soon.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StandaloneIT {
    private static final String UE = "10.60.0.1";
    private static BareHost bare;
    private static Smf smf;
    private static String good;

    @BeforeAll
    static void open() throws Exception {
        bare = BareHost.open();
    }

    @AfterAll
    static void close() throws Exception {
        if (smf != null) {
            smf.close();
        }
        if (bare != null) {
            bare.close();
        }
    }

    @Test
    @Order(1)
    void startsBesideWhatADeadDataplaneLeft() throws Exception {
        // As a dataplane without bpf_link leaves it when it is killed.
        bare.ip("link", "set", "n3", "xdpdrv", "obj", "../dataplane/target/classes/bpf/upf_steer.o", "sec", "xdp");
        apply(resource("AF_XDP", "", ""));
        bare.start();
        ready("AF_XDP");
        assertThat(bare.addresses("n3")).containsExactly("10.33.0.1");
        assertThat(bare.status().at("/recommendation/mode").asText()).isEqualTo("AF_XDP");
        smf = new Smf(bare.beyond, "10.33.0.9", "10.33.0.1");
        smf.associate();
        smf.establish(UE, "10.33.0.1");
        bare.until("the session", () -> bare.status().at("/sessions/active").asLong() == 1);
        assertThat(bare.condition("AssociationEstablished").path("status").asText())
                .isEqualTo("True");
    }

    @Test
    @Order(2)
    void anEditedModeBecomesActiveAndKeepsTheSession() throws Exception {
        long pid = bare.dataplanePid();
        apply(resource("AF_PACKET", "", ""));
        ready("AF_PACKET");
        assertThat(bare.dataplanePid()).isEqualTo(pid);
        bare.until(
                "the transition",
                () -> bare.status().at("/lastTransition/to").asText().equals("AF_PACKET"));
        assertThat(bare.status().at("/lastTransition/sessionsKept").asLong()).isEqualTo(1);
        assertThat(bare.status().at("/lastTransition/sessionsLost").asLong()).isZero();
        assertThat(bare.status().at("/plan/method").asText()).isEqualTo("InPlace");
    }

    @Test
    @Order(3)
    void tooFewCpusAreRefusedAndWhatRunsGoesOn() throws Exception {
        apply(resource("AF_XDP", "  resources: {limits: {cpu: 1}}\n", ""));
        refused("CpuLimit");
        assertThat(bare.status().at("/recommendation/mode").isMissingNode()).isTrue();
    }

    @Test
    @Order(4)
    void anMtuThatXdpCannotTakeIsRefusedAndWhatRunsGoesOn() throws Exception {
        apply(resource("AF_XDP", "", "      mtu: 3600\n"));
        refused("MtuFitsXdp");
        assertThat(bare.link("n6").path("mtu").asInt()).isEqualTo(1500);
        assertThat(bare.status().at("/recommendation/mode").asText()).isEqualTo("AF_PACKET");
    }

    @Test
    @Order(5)
    void malformedYamlIsToldOnceAndWhatRunsGoesOn() throws Exception {
        apply("spec: [AF_XDP\n");
        bare.until("the refusal", () -> bare.is("Accepted", "False", "Malformed"));
        assertThat(bare.condition("Accepted").path("message").asText()).contains("line ");
        assertThat(bare.condition("DatapathReady").path("status").asText()).isEqualTo("True");
        assertThat(bare.status().at("/mode/active").asText()).isEqualTo("AF_PACKET");
        Thread.sleep(2000); // several looks at the file
        assertThat(bare.timesLogged("The resource is not accepted")).isEqualTo(1);
    }

    @Test
    @Order(6)
    void anMtuIsSetAndGivenBackUnderTraffic() throws Exception {
        long pid = bare.dataplanePid();
        apply(resource("AF_PACKET", "", "      mtu: 1400\n"));
        bare.until("the smaller MTU", () -> bare.link("n6").path("mtu").asInt() == 1400);
        ready("AF_PACKET");
        assertThat(bare.log()).contains("MTU of n6: 1500 → 1400, in place");
        apply(resource("AF_PACKET", "", ""));
        bare.until("the device's own MTU", () -> bare.link("n6").path("mtu").asInt() == 1500);
        ready("AF_PACKET");
        assertThat(bare.dataplanePid()).isEqualTo(pid);
        assertThat(bare.status().at("/sessions/active").asLong()).isEqualTo(1);
    }

    @Test
    @Order(7)
    void whilePausedNothingChanges() throws Exception {
        String config = Files.readString(bare.folder.resolve("state/config.yaml"));
        apply(resource("AF_XDP", "  paused: true\n", ""));
        bare.until("the pause", () -> bare.is("Progressing", "False", "Paused"));
        assertThat(Files.readString(bare.folder.resolve("state/config.yaml"))).isEqualTo(config);
        assertThat(bare.status().at("/mode/active").asText()).isEqualTo("AF_PACKET");
        apply(resource("AF_PACKET", "", ""));
        ready("AF_PACKET");
    }

    @Test
    @Order(8)
    void autoKeepsWhatRunsAndRecommendsTheFaster() throws Exception {
        apply(resource("Auto", "", ""));
        ready("AF_PACKET");
        assertThat(bare.status().at("/mode/desired").asText()).isEqualTo("Auto");
        assertThat(bare.status().at("/recommendation/mode").asText()).isEqualTo("AF_XDP");
    }

    @Test
    @Order(9)
    void aFileThatIsAwayChangesNothing() throws Exception {
        long pid = bare.dataplanePid();
        Files.delete(bare.resource);
        bare.until("a word about it", () -> bare.timesLogged("what runs goes on as it is") == 1);
        assertThat(bare.dataplaneLives()).isTrue();
        apply(resource("AF_PACKET", "", ""));
        bare.until("a word about it", () -> bare.log().contains("is there again"));
        ready("AF_PACKET");
        assertThat(bare.dataplanePid()).isEqualTo(pid);
    }

    @Test
    @Order(10)
    void fieldsOfN4AndPoolsAreTakenInPlaceOrByANewProcessAsTheDataplaneSays() throws Exception {
        String networks = "    - {name: other, uePools: [{cidr: 10.61.0.0/16}]}\n";
        apply(resource("AF_PACKET", "  pfcp: {heartbeat: {interval: 20s}}\n", "") + networks);
        ready("AF_PACKET");
        boolean replaced = bare.timesLogged("while it runs: it is replaced") > 0;
        assertThat(bare.status().at("/plan/method").asText()).isEqualTo(replaced ? "Replace" : "InPlace");
        assertThat(bare.status().at("/sessions/active").asLong()).isEqualTo(replaced ? 0 : 1);
    }

    @Test
    @Order(11)
    void anotherAddressTakesANewProcessAndTheOldOneGoes() throws Exception {
        long pid = bare.dataplanePid();
        apply(resource("AF_PACKET", "", "").replace("10.99.0.1/24", "10.99.0.3/24"));
        ready("AF_PACKET");
        assertThat(bare.dataplanePid()).isNotEqualTo(pid);
        assertThat(bare.addresses("n6")).containsExactly("10.99.0.3");
    }

    @Test
    @Order(12)
    void aKilledDataplaneIsStartedAgainAfterAWait() throws Exception {
        long pid = bare.dataplanePid();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        bare.until("a word about it", () -> bare.log().contains("it is started again in"));
        bare.until("another process", () -> bare.dataplanePid() != pid);
        bare.until("Ready", () -> bare.is("Ready", "True", "Running") && bare.dataplaneLives());
        assertThat(bare.status().at("/mode/active").asText()).isEqualTo("AF_PACKET");
    }

    @Test
    @Order(13)
    void sigtermEndsTheDataplaneAndGivesEverythingBack() throws Exception {
        long pid = bare.dataplanePid();
        assertThat(bare.stop()).as("it ends").isTrue();
        assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false))
                .as("the dataplane lives")
                .isFalse();
        assertThat(bare.addresses("n3")).isEmpty();
        assertThat(bare.addresses("n6")).isEmpty();
        assertThat(bare.link("n6").path("mtu").asInt()).isEqualTo(1500);
        assertThat(bare.ip("link", "show", "dev", "n3")).doesNotContain("xdp");
        assertThat(bare.log()).doesNotContain("could not be put back");
    }

    private static void apply(String text) throws IOException {
        bare.edit(text);
        good = text;
    }

    /** Ready in that mode, judged from the resource as it is now. */
    private static void ready(String mode) throws Exception {
        bare.until(
                "Ready in " + mode,
                () -> bare.log()
                                .contains("edit "
                                        + bare.status()
                                                .path("observedGeneration")
                                                .asLong())
                        && isJudged()
                        && bare.is("Ready", "True", "Running")
                        && bare.status().at("/mode/active").asText().equals(mode));
    }

    /** Whether the published resource is the one in the file. */
    private static boolean isJudged() throws IOException {
        Path published = bare.folder.resolve("state/status.yaml");
        if (!Files.exists(published)) {
            return false;
        }
        var spec = Yaml.MAPPER.readTree(published.toFile()).path("spec");
        return spec.equals(Yaml.MAPPER.readTree(good).path("spec"));
    }

    private static void refused(String check) throws Exception {
        long pid = bare.dataplanePid();
        bare.until("the refusal", () -> isJudged() && bare.is("PreflightPassed", "False", check));
        assertThat(bare.is("Ready", "False", check)).isTrue();
        assertThat(bare.condition("DatapathReady").path("status").asText()).isEqualTo("True");
        assertThat(bare.status().at("/mode/active").asText()).isEqualTo("AF_PACKET");
        assertThat(bare.dataplanePid()).isEqualTo(pid);
        assertThat(bare.status().at("/sessions/active").asLong()).isEqualTo(1);
    }

    private static String resource(String mode, String more, String moreOfN6) {
        return """
                apiVersion: upfdataplane.io/v1alpha1
                kind: UpfDataplane
                metadata: {name: edge, namespace: upf}
                spec:
                  mode: %s
                  workers: 1
                %s  capacity: {maxSessions: 1000}
                  interfaces:
                    n3:
                      attachment: {hostDevice: {device: n3}}
                      addresses: [10.33.0.1/24]
                    n6:
                      attachment: {hostDevice: {device: n6}}
                      addresses: [10.99.0.1/24]
                      gateway: 10.99.0.2
                %s  dataNetworks:
                    - {name: internet, uePools: [{cidr: 10.60.0.0/16}]}
                """.formatted(mode, more, moreOfN6);
    }
}
