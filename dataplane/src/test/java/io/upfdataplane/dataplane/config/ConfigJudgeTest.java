package io.upfdataplane.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ConfigJudgeTest {
    static final Path EXAMPLE = Path.of("../examples/dataplane-config.yaml");

    @Test
    void acceptsTheExample() throws IOException {
        DataplaneConfig config = accepted(example());
        Plan plan = config.candidate();
        assertThat(config.generation()).isEqualTo(3);
        assertThat(config.lastGood()).isNull();
        assertThat(plan.planHash()).isEqualTo("5f0c1e9a7b3d");
        assertThat(plan.mode()).isEqualTo(Plan.Mode.AF_XDP);
        assertThat(plan.workers()).isEqualTo(2);
        assertThat(plan.n3().address()).hasToString("10.33.0.1");
        assertThat(plan.n6().gateway()).hasToString("10.99.0.2");
        assertThat(plan.dataNetworks().getFirst().uePools().getFirst()).hasToString("10.60.0.0/16");
        assertThat(plan.pfcp().heartbeatInterval()).isEqualTo(Duration.ofSeconds(10));
        assertThat(plan.tuning().umemFrames()).isEqualTo(32_768);
        assertThat(plan.observability().port()).isEqualTo(9464);
        assertThat(plan.stateDirectory()).isEqualTo("/var/lib/upf");
    }

    @Test
    void readsALastGoodPlanOfTheSameShape() throws IOException {
        String example = example();
        String candidate = example.substring(example.indexOf("candidate:"), example.indexOf("lastGood:"))
                .replaceFirst("candidate:[^\n]*", "lastGood:")
                .replace("mode: AF_XDP", "mode: AF_PACKET");
        DataplaneConfig config = accepted(example.replaceFirst("lastGood: null[^\n]*", "") + candidate);
        assertThat(config.lastGood()).isNotNull();
        assertThat(config.lastGood().mode()).isEqualTo(Plan.Mode.AF_PACKET);
    }

    @Test
    void fillsInWhatMayBeLeftOut() {
        Plan plan = accepted(MINIMAL).candidate();
        assertThat(plan.tuning())
                .isEqualTo(new Plan.Tuning(
                        64, Plan.Poll.ADAPTIVE, Plan.ZeroCopy.PREFER, 32_768, 2048, 2048, 2048, 4096, 4096));
        assertThat(plan.pfcp().bindPort()).isEqualTo(8805);
        assertThat(plan.maxSessions()).isEqualTo(10_000);
        assertThat(plan.dataNetworks().getFirst().networkInstance()).isEqualTo("internet");
        assertThat(plan.dataNetworks().getFirst().ueMtuBytes()).isNull();
        assertThat(plan.n3().gateway()).isNull();
    }

    /** Each field with a wrong value: the line, the path and what is expected are named, and nothing else is. */
    @TestFactory
    Stream<DynamicTest> namesLinePathAndExpectationOfEveryWrongField() {
        return Stream.of(
                        wrong("apiVersion: dataplane.upfdataplane.io/v1alpha1", "apiVersion: v1", "apiVersion"),
                        wrong("kind: DataplaneConfig", "kind: ConfigMap", "kind"),
                        wrong("generation: 3", "generation: -1", "generation"),
                        wrong("generation: 3", "generation: three", "generation"),
                        wrong("planHash: 5f0c1e9a7b3d", "planHash: ''", "candidate.planHash"),
                        wrong("mode: AF_XDP", "mode: DPDK", "candidate.mode"),
                        wrong("workers: 2", "workers: 0", "candidate.workers"),
                        wrong("workers: 2", "workers: 65", "candidate.workers"),
                        wrong("workers: 2", "workers: 1.5", "candidate.workers"),
                        wrong("workers: 2", "workers: \"2\"", "candidate.workers"),
                        wrong("workers: 2", "workers: [2]", "candidate.workers"),
                        wrong("device: n3", "device: a-name-of-17-chars", "candidate.interfaces.n3.device"),
                        wrong("device: n3", "device: a/b", "candidate.interfaces.n3.device"),
                        wrong("device: n3", "device: ..", "candidate.interfaces.n3.device"),
                        wrong("[10.33.0.1/24]", "[10.33.0.1]", "candidate.interfaces.n3.addresses[0]"),
                        wrong("[10.33.0.1/24]", "[10.33.0.256/24]", "candidate.interfaces.n3.addresses[0]"),
                        wrong("[10.33.0.1/24]", "[10.33.0.1/33]", "candidate.interfaces.n3.addresses[0]"),
                        wrong("[10.33.0.1/24]", "[10.33.0.0/24]", "candidate.interfaces.n3.addresses[0]"),
                        wrong("[10.33.0.1/24]", "[10.33.0.255/24]", "candidate.interfaces.n3.addresses[0]"),
                        wrong("[10.33.0.1/24]", "[010.33.0.1/24]", "candidate.interfaces.n3.addresses[0]"),
                        wrong("[10.33.0.1/24]", "[224.0.0.1/24]", "candidate.interfaces.n3.addresses[0]"),
                        wrong("[10.33.0.1/24]", "[]", "candidate.interfaces.n3.addresses"),
                        wrong("[10.33.0.1/24]", "10.33.0.1/24", "candidate.interfaces.n3.addresses"),
                        wrong("gateway: 10.99.0.2", "gateway: 10.98.0.2", "candidate.interfaces.n6.gateway"),
                        wrong("gateway: 10.99.0.2", "gateway: 10.99.0.1", "candidate.interfaces.n6.gateway"),
                        wrong("gateway: 10.99.0.2", "gateway: here", "candidate.interfaces.n6.gateway"),
                        wrong(
                                "routes: []                    # {to: 10.34.0.0/16, via: 10.33.0.254}",
                                "routes: [{to: 10.34.0.0/16, via: 10.35.0.254}]",
                                "candidate.interfaces.n3.routes[0].via"),
                        wrong(
                                "routes: []                    # {to: 10.34.0.0/16, via: 10.33.0.254}",
                                "routes: [{to: 10.34.0.1/16, via: 10.33.0.254}]",
                                "candidate.interfaces.n3.routes[0].to"),
                        wrong("name: internet", "name: -internet", "candidate.dataNetworks[0].name"),
                        wrong(
                                "networkInstance: internet",
                                "networkInstance: 'a b'",
                                "candidate.dataNetworks[0].networkInstance"),
                        wrong("ueMtu: 1456", "ueMtu: 100", "candidate.dataNetworks[0].ueMtu"),
                        wrong("10.60.0.0/16", "10.60.0.1/16", "candidate.dataNetworks[0].uePools[0].cidr"),
                        wrong("10.60.0.0/16", "10.60.0.0", "candidate.dataNetworks[0].uePools[0].cidr"),
                        wrong("10.60.0.0/16", "10.99.0.0/16", "candidate.dataNetworks[0].uePools[0].cidr"),
                        wrong("[{cidr: 10.60.0.0/16}]", "[]", "candidate.dataNetworks[0].uePools"),
                        wrong(
                                "[{cidr: 10.60.0.0/16}]",
                                "[{cidr: 10.60.0.0/16}, {cidr: 10.60.128.0/17}]",
                                "candidate.dataNetworks[0].uePools[1].cidr"),
                        wrong("nodeId: 10.33.0.1", "nodeId: 10.33.0.300", "candidate.pfcp.nodeId"),
                        wrong("nodeId: 10.33.0.1", "nodeId: upf_1", "candidate.pfcp.nodeId"),
                        wrong("bindAddress: 10.33.0.1", "bindAddress: localhost", "candidate.pfcp.bindAddress"),
                        wrong("bindPort: 8805", "bindPort: 70000", "candidate.pfcp.bindPort"),
                        wrong("role: Passive", "role: passive", "candidate.pfcp.role"),
                        wrong("role: Passive", "role: Active", "candidate.pfcp.role"),
                        wrong(
                                "peers: []",
                                "peers: [{name: smf, address: smf.local}]",
                                "candidate.pfcp.peers[0].address"),
                        wrong(
                                "peers: []",
                                "peers: [{name: s, address: 10.0.0.1}, {name: s, address: 10.0.0.2}]",
                                "candidate.pfcp.peers[1].name"),
                        wrong("interval: 10s", "interval: 10", "candidate.pfcp.heartbeat.interval"),
                        wrong("interval: 10s", "interval: 0s", "candidate.pfcp.heartbeat.interval"),
                        wrong("interval: 10s", "interval: 10 s", "candidate.pfcp.heartbeat.interval"),
                        wrong("timeout: 5s", "timeout: -5s", "candidate.pfcp.heartbeat.timeout"),
                        wrong("retries: 3", "retries: 0", "candidate.pfcp.heartbeat.retries"),
                        wrong("timeout: 2s", "timeout: 99h", "candidate.pfcp.retransmission.timeout"),
                        wrong("retries: 5", "retries: 101", "candidate.pfcp.retransmission.retries"),
                        wrong("maxSessions: 10000", "maxSessions: 0", "candidate.capacity.maxSessions"),
                        wrong("batchSize: 64", "batchSize: 1000", "candidate.tuning.batchSize"),
                        wrong("poll: Adaptive", "poll: Spin", "candidate.tuning.poll"),
                        wrong("zeroCopy: Prefer", "zeroCopy: true", "candidate.tuning.zeroCopy"),
                        wrong("frames: 32768", "frames: 8192", "candidate.tuning.umem.frames"),
                        wrong("frameSize: 2048", "frameSize: 3000", "candidate.tuning.umem.frameSize"),
                        wrong("rx: 2048", "rx: 2000", "candidate.tuning.rings.rx"),
                        wrong("tx: 2048", "tx: 1", "candidate.tuning.rings.tx"),
                        wrong("fill: 4096", "fill: 65536", "candidate.tuning.rings.fill"),
                        wrong("completion: 4096", "completion: x", "candidate.tuning.rings.completion"),
                        wrong("bindAddress: 0.0.0.0", "bindAddress: 0", "candidate.observability.bindAddress"),
                        wrong("port: 9464", "port: 0", "candidate.observability.port"),
                        wrong("directory: /var/lib/upf", "directory: var/lib", "candidate.state.directory"),
                        wrong("directory: /var/lib/upf", "directory: /var/../etc", "candidate.state.directory"),
                        wrong("  capacity: {maxSessions: 10000}", "  capacity: 5", "candidate.capacity"))
                .map(w -> DynamicTest.dynamicTest(w.right + " → " + w.wrong, () -> {
                    String example = example();
                    assertThat(example).contains(w.right);
                    List<ConfigError> errors = refused(example.replace(w.right, w.wrong));
                    assertThat(errors).hasSize(1);
                    ConfigError error = errors.getFirst();
                    assertThat(error.field()).isEqualTo(w.field);
                    assertThat(error.line()).isEqualTo(lineOf(example, w.right));
                    assertThat(error.found()).isNotBlank();
                    assertThat(error.expected()).isNotBlank();
                }));
    }

    @TestFactory
    Stream<DynamicTest> namesEachRequiredFieldThatIsMissing() {
        return Stream.of(
                        "apiVersion",
                        "kind",
                        "generation",
                        "planHash",
                        "mode",
                        "workers",
                        "device",
                        "addresses",
                        "name",
                        "uePools",
                        "cidr",
                        "nodeId",
                        "bindAddress")
                .map(field -> DynamicTest.dynamicTest(field, () -> {
                    List<ConfigError> errors = refused(
                            MINIMAL.replaceFirst("(?m)\\b" + field + ": (\\[.*\\]|[^,}\n]+)", field + ": null"));
                    assertThat(errors).hasSize(1);
                    assertThat(errors.getFirst().field()).endsWith(field);
                    assertThat(errors.getFirst().found()).isEqualTo("nothing");
                }));
    }

    @Test
    void findsAllErrorsInOnePassInTheOrderOfLines() throws IOException {
        List<ConfigError> errors = refused(example()
                .replace("workers: 2", "workers: many")
                .replace("mode: AF_XDP", "mode: XDP")
                .replace("port: 9464", "port: none")
                .replace("tx: 2048", "tx: 2047"));
        assertThat(errors)
                .extracting(ConfigError::field)
                .containsExactly(
                        "candidate.mode",
                        "candidate.workers",
                        "candidate.tuning.rings.tx",
                        "candidate.observability.port");
    }

    @Test
    void refusesAnUnknownFieldAndNamesTheNearest() throws IOException {
        ConfigError error = refused(example().replace("  workers: 2", "  workers: 2\n  planhash: x"))
                .getFirst();
        assertThat(error.field()).isEqualTo("candidate.planhash");
        assertThat(error.found()).contains("unknown field planhash");
        assertThat(error.expected()).isEqualTo("planHash");
    }

    @Test
    void listsTheKnownFieldsWhenNoneIsNear() throws IOException {
        ConfigError error = refused(example().replace("rx: 2048", "somethingElse: 1, rx: 2048"))
                .getFirst();
        assertThat(error.expected()).isEqualTo("one of rx, tx, fill, completion");
    }

    @Test
    void refusesAFieldThatStandsTwice() throws IOException {
        List<ConfigError> errors = refused(example().replace("  workers: 2", "  workers: 2\n  workers: 4"));
        assertThat(errors).hasSize(1);
        assertThat(errors.getFirst().field()).isEqualTo("candidate.workers");
    }

    @Test
    void countsOneDeviceForBothLegsOnceInTheUmem() {
        String one = MINIMAL.replace("device: n6", "device: n3") + "  tuning: {umem: {frames: 8192}}\n";
        assertThat(accepted(one).candidate().devices()).isEqualTo(1);
        assertThat(refused(MINIMAL + "  tuning: {umem: {frames: 8192}}\n")
                        .getFirst()
                        .expected())
                .contains("16384");
    }

    @TestFactory
    Stream<DynamicTest> refusesWhatIsNoConfiguration() {
        return Stream.of("", "# only a comment\n", "null", "just text", "[1, 2]", "{}", "--- {}\n--- {}\n")
                .map(text -> DynamicTest.dynamicTest(
                        "«" + text.replace("\n", "⏎") + "»",
                        () -> assertThat(refused(text)).isNotEmpty()));
    }

    @TestFactory
    Stream<DynamicTest> refusesMalformedYamlWithItsLine() {
        return Stream.of(
                        "kind: {\n",
                        "kind: [1, 2\n",
                        "a: b: c\n",
                        "\"open\n",
                        "\tkind: x\n",
                        "kind: x\n - y\n",
                        "%YAML 9\n",
                        "@\n",
                        "*nowhere\n",
                        "? ? ?\n- :\n")
                .map(text -> DynamicTest.dynamicTest("«" + text.replace("\n", "⏎") + "»", () -> {
                    List<ConfigError> errors = refused(text);
                    assertThat(errors).isNotEmpty();
                    assertThat(errors.getFirst().line()).isBetween(1, 4);
                }));
    }

    @Test
    void refusesBytesThatAreNotUtf8() {
        assertThat(refusal(new byte[] {'a', ':', ' ', (byte) 0xc3, (byte) 0x28})
                        .getFirst()
                        .expected())
                .contains("UTF-8");
    }

    @Test
    void refusesAnchorsAndAliasesSoNothingCanGrow() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 30; i++) {
            bomb.append(
                    "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d]\n".formatted(i, i, i - 1, i - 1, i - 1, i - 1, i - 1));
        }
        List<ConfigError> errors = refused(bomb.toString());
        assertThat(errors).isNotEmpty();
        assertThat(errors.getFirst().line()).isEqualTo(1);
    }

    @Test
    void refusesNestingWithoutEnd() {
        assertThat(refused("[".repeat(100_000)).getFirst().expected()).contains("32");
        assertThat(refused("a: ".repeat(1) + "{b: ".repeat(50) + "1" + "}".repeat(50))
                        .getFirst()
                        .expected())
                .contains("32");
    }

    @Test
    void refusesAFileThatNoPlanNeeds() {
        assertThat(refusal(new byte[YamlTree.MAX_BYTES + 1]).getFirst().expected())
                .contains("131072");
    }

    @Test
    void takesTheLargestPlanTwiceWithRoomToSpare() {
        StringBuilder routes = new StringBuilder();
        for (int i = 0; i < 64; i++) {
            routes.append("%n        - {to: 192.168.%d.128/25, via: 10.33.0.254}".formatted(100 + i));
        }
        StringBuilder networks = new StringBuilder("  dataNetworks:\n");
        for (int i = 0; i < 16; i++) {
            networks.append("    - name: data-network-%d%n      uePools:%n".formatted(i));
            for (int pool = 0; pool < 16; pool++) {
                networks.append("        - {cidr: 172.%d.%d.0/24}%n".formatted(16 + i, pool));
            }
        }
        int from = MINIMAL.indexOf("  dataNetworks");
        String plan = MINIMAL.substring(MINIMAL.indexOf("candidate:") + 11, from)
                + networks
                + MINIMAL.substring(MINIMAL.indexOf("  pfcp"));
        plan = plan.replace(
                "    n3: {device: n3, addresses: [10.33.0.1/24]}",
                "    n3:\n      device: n3\n      addresses: [10.33.0.1/24]\n      routes:" + routes);
        String text =
                MINIMAL.substring(0, MINIMAL.indexOf("candidate:")) + "candidate:\n" + plan + "lastGood:\n" + plan;
        DataplaneConfig config = accepted(text);
        assertThat(config.candidate().n3().routes()).hasSize(64);
        assertThat(config.candidate().dataNetworks()).hasSize(16);
        assertThat(text.length() * 2).isLessThan(YamlTree.MAX_BYTES);
    }

    @Test
    void judgesEveryPrefixOfTheExampleWithoutDying() throws IOException {
        byte[] whole = example().getBytes(StandardCharsets.UTF_8);
        int lastNeeded = example().indexOf("lastGood");
        for (int length = 0; length < lastNeeded; length += 7) {
            byte[] cut = java.util.Arrays.copyOf(whole, length);
            Judgement judgement = ConfigJudge.judge(cut);
            if (judgement instanceof Judgement.Refused refused) {
                assertThat(refused.errors()).isNotEmpty();
            }
        }
    }

    static final String MINIMAL = """
            apiVersion: dataplane.upfdataplane.io/v1alpha1
            kind: DataplaneConfig
            generation: 1
            candidate:
              planHash: abc
              mode: AF_PACKET
              workers: 1
              interfaces:
                n3: {device: n3, addresses: [10.33.0.1/24]}
                n6: {device: n6, addresses: [10.99.0.1/24]}
              dataNetworks:
                - name: internet
                  uePools: [{cidr: 10.60.0.0/16}]
              pfcp: {nodeId: upf.example.org, bindAddress: 10.33.0.1}
            """;

    private record Wrong(String right, String wrong, String field) {}

    private static Wrong wrong(String right, String wrong, String field) {
        return new Wrong(right, wrong, field);
    }

    private static int lineOf(String text, String part) {
        return (int) text.substring(0, text.indexOf(part))
                        .chars()
                        .filter(c -> c == '\n')
                        .count()
                + 1;
    }

    static String example() throws IOException {
        return Files.readString(EXAMPLE);
    }

    private static DataplaneConfig accepted(String yaml) {
        Judgement judgement = ConfigJudge.judge(yaml.getBytes(StandardCharsets.UTF_8));
        assertThat(judgement).isInstanceOf(Judgement.Accepted.class);
        return ((Judgement.Accepted) judgement).config();
    }

    private static List<ConfigError> refused(String yaml) {
        return refusal(yaml.getBytes(StandardCharsets.UTF_8));
    }

    private static List<ConfigError> refusal(byte[] bytes) {
        Judgement judgement = ConfigJudge.judge(bytes);
        assertThat(judgement).isInstanceOf(Judgement.Refused.class);
        return ((Judgement.Refused) judgement).errors();
    }
}
