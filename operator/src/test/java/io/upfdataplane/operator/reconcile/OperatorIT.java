package io.upfdataplane.operator.reconcile;

import static io.upfdataplane.operator.reconcile.ApiServer.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.upfdataplane.operator.api.ConditionType;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplane;
import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.api.UpfNodeReport;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.plan.Running;
import io.upfdataplane.operator.preflight.Cleared;
import io.upfdataplane.operator.preflight.Place;
import io.upfdataplane.operator.preflight.Preflight;
import io.upfdataplane.operator.render.Render;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The built operator as a process against a real API server. No controller runs beside it, so the test itself plays the
 * StatefulSet's part and the kubelet's. The tests are one life of one resource, in order.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OperatorIT {
    private static final Path JAR = Path.of("target/quarkus-app/quarkus-run.jar");
    private static final String NAME = "edge";
    /** Where the made-up pod answers: in 127/8, and unlike that of another test run on this machine. */
    private static final String POD_ADDRESS =
            "127." + (1 + ProcessHandle.current().pid() % 250) + "."
                    + (ProcessHandle.current().pid() / 250 % 250) + ".7";

    private static final int HEALTH_PORT = 8081;

    private static ApiServer server;
    private static KubernetesClient client;
    private static Process operator;
    private static Path log;
    private static HttpServer dataplane;
    private static volatile String dataplaneStatus = "";

    @BeforeAll
    static void start() throws IOException {
        server = ApiServer.open();
        client = server.client;
        log = Files.createTempFile("upf-operator", ".log");
        UpfNodeReport report =
                Yaml.MAPPER.readValue(Path.of("../examples/node-report.yaml").toFile(), UpfNodeReport.class);
        client.resource(report).forceConflicts().serverSideApply();
        operator = operator(log);
        until("the operator to lead", () -> Files.readString(log).contains("leading as"));
    }

    private static Process operator(Path to) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx192m",
                "-jar",
                JAR.toString(),
                "reconcile");
        builder.environment()
                .put(
                        "KUBECONFIG",
                        System.getProperty("kubeconfig", System.getenv().getOrDefault("KUBECONFIG", "")));
        builder.environment().put("UPF_LEASE_NAMESPACE", server.namespace);
        builder.environment().put("QUARKUS_HTTP_HOST", POD_ADDRESS);
        builder.environment().put("QUARKUS_HTTP_PORT", String.valueOf(HEALTH_PORT));
        builder.environment().put("UPF_IMAGE", "registry.example/upf-dataplane:0.1");
        builder.environment().put("UPF_ALLOWED_IMAGES", "registry.example/allowed/*");
        return builder.redirectErrorStream(true).redirectOutput(to.toFile()).start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (dataplane != null) {
            dataplane.stop(0);
        }
        if (operator != null && operator.isAlive()) {
            operator.destroyForcibly().waitFor();
        }
        if (server != null) {
            client.resources(UpfDataplane.class).inNamespace(server.namespace).delete();
            client.resources(UpfNodeReport.class).withName("edge-1").delete();
            server.close();
        }
    }

    @Test
    @Order(1)
    void aResourceBecomesWhatTheCoreRenders() throws Exception {
        UpfDataplane upf =
                Yaml.MAPPER.readValue(Path.of("../examples/upfdataplane.yaml").toFile(), UpfDataplane.class);
        upf.getMetadata().setNamespace(server.namespace);
        client.resource(upf).create();
        until("the StatefulSet", () -> workload() != null);

        JsonNode stored = Yaml.MAPPER.valueToTree(get());
        NodeFacts facts = NodeFacts.of(
                Yaml.MAPPER.readTree(Path.of("../examples/node-report.yaml").toFile()));
        Cleared cleared = (Cleared) Preflight.check(UpfModel.of(stored), facts, Place.POD, null);
        List<HasMetadata> rendered =
                Render.objects(Plan.forPod(cleared, Running.NOTHING), "registry.example/upf-dataplane:0.1");
        ConfigMap shall = (ConfigMap) rendered.getFirst();
        assertThat(configMap().getData()).isEqualTo(shall.getData());
        assertThat(workload().getSpec().getUpdateStrategy().getType()).isEqualTo("OnDelete");
        assertThat(workload().getSpec().getTemplate().getMetadata().getAnnotations())
                .isEqualTo(((StatefulSet) rendered.getLast())
                        .getSpec()
                        .getTemplate()
                        .getMetadata()
                        .getAnnotations());
        assertThat(workload().getMetadata().getOwnerReferences().getFirst().getUid())
                .isEqualTo(get().getMetadata().getUid());
        assertThat(attachments())
                .extracting(a -> a.getMetadata().getName())
                .containsExactlyInAnyOrder("edge-n3", "edge-n6");
    }

    @Test
    @Order(2)
    void everyConditionIsThereWithItsGenerationAndReason() {
        until(
                "the status",
                () -> condition(ConditionType.Progressing).getReason().equals("Starting"));
        for (ConditionType type : ConditionType.values()) {
            if (!type.isProblem()) {
                assertThat(condition(type).getObservedGeneration()).isEqualTo(1L);
                assertThat(condition(type).getReason()).isNotBlank();
                assertThat(condition(type).getLastTransitionTime()).isNotBlank();
            }
        }
        assertThat(condition(ConditionType.PreflightPassed).getStatus()).isEqualTo("True");
        assertThat(condition(ConditionType.Programmed).getStatus()).isEqualTo("True");
        assertThat(condition(ConditionType.Ready).getStatus()).isEqualTo("False");
        assertThat(client.v1().events().inNamespace(server.namespace).list().getItems())
                .isNotEmpty();
    }

    @Test
    @Order(3)
    void whileNothingChangesNothingIsWritten() throws Exception {
        List<String> before = versions();
        Thread.sleep(26_000); // it looks again every 8 to 12 s, so at least twice
        assertThat(versions()).isEqualTo(before);
    }

    @Test
    @Order(4)
    void aRefusedEditLeavesEveryObjectAsItIs() {
        List<String> before = objectVersions();
        edit(spec -> with(
                spec,
                spec.mode(),
                new UpfDataplaneSpec.Resources(new UpfDataplaneSpec.Limits(new Quantity("2"), null))));
        until(
                "the refusal",
                () -> condition(ConditionType.PreflightPassed).getReason().equals("CpuLimit"));
        assertThat(condition(ConditionType.PreflightPassed).getMessage()).contains("set limits.cpu to 3");
        assertThat(condition(ConditionType.Ready).getStatus()).isEqualTo("False");
        assertThat(objectVersions()).isEqualTo(before);
        edit(spec -> with(spec, spec.mode(), null));
        until(
                "the repair",
                () -> condition(ConditionType.PreflightPassed).getStatus().equals("True"));
    }

    @Test
    @Order(4)
    void anImageThatIsNotAllowedIsRefusedAndNothingIsChanged() {
        List<String> before = objectVersions();
        edit(spec -> with(spec, spec.mode(), null, "registry.example/other:1", false));
        until("the refusal", () -> condition(ConditionType.Accepted).getStatus().equals("False"));
        assertThat(condition(ConditionType.Accepted).getMessage())
                .contains("spec.image: found registry.example/other:1")
                .contains("an image that this operator allows: registry.example/upf-dataplane:0.1");
        assertThat(condition(ConditionType.Ready).getStatus()).isEqualTo("False");
        assertThat(objectVersions()).isEqualTo(before);
        edit(spec -> with(spec, spec.mode(), null, "registry.example/allowed/upf-dataplane:2", false));
        until(
                "the image",
                () -> workload()
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage()
                        .equals("registry.example/allowed/upf-dataplane:2"));
        edit(spec -> with(spec, spec.mode(), null, null, false));
        until(
                "the operator's own image",
                () -> workload()
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage()
                        .equals("registry.example/upf-dataplane:0.1"));
    }

    @Test
    @Order(4)
    void whilePausedNothingIsChangedNorPutBack() throws Exception {
        List<String> before = objectVersions();
        edit(spec -> with(spec, Mode.AF_XDP, null, null, true));
        until(
                "the pause",
                () -> condition(ConditionType.Progressing).getReason().equals("Paused"));
        client.configMaps()
                .inNamespace(server.namespace)
                .withName("edge-config")
                .edit(map -> {
                    map.getData().put("config.yaml", "nonsense: true");
                    return map;
                });
        Thread.sleep(13_000); // it looks again every 8 to 12 s
        assertThat(configMap().getData()).containsEntry("config.yaml", "nonsense: true");
        assertThat(condition(ConditionType.Ready).getReason()).isEqualTo("Paused");
        edit(spec -> with(spec, Mode.AF_PACKET, null, null, false));
        until(
                "the end of the pause",
                () -> config().at("/candidate/mode").asText().equals("AF_PACKET"));
        assertThat(objectVersions().subList(1, before.size())).isEqualTo(before.subList(1, before.size()));
    }

    @Test
    @Order(4)
    void itIsLiveAndReady() throws Exception {
        for (String path : List.of("live", "ready")) {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create("http://" + POD_ADDRESS + ":" + HEALTH_PORT + "/healthz/" + path)
                            .toURL()
                            .openConnection(Proxy.NO_PROXY);
            assertThat(connection.getResponseCode()).as(path).isEqualTo(200);
            try (InputStream body = connection.getInputStream()) {
                assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("\"status\": \"UP\"");
            }
        }
    }

    @Test
    @Order(5)
    void whatSomebodyElseChangesIsPutBack() {
        String shall = configMap().getData().get("config.yaml");
        client.configMaps()
                .inNamespace(server.namespace)
                .withName("edge-config")
                .edit(map -> {
                    map.getData().put("config.yaml", "nonsense: true");
                    return map;
                });
        until("the content to be back", () -> shall.equals(configMap().getData().get("config.yaml")));
    }

    @Test
    @Order(6)
    void whatIsNoLongerRenderedIsDeleted() {
        client.resources(UpfNodeReport.class).withName("edge-1").edit(report -> {
            UpfNodeReport copy = Serialization.clone(report);
            List<io.upfdataplane.operator.api.UpfNodeReportSpec.Device> devices =
                    new ArrayList<>(copy.getSpec().interfaces());
            devices.add(Yaml.MAPPER.convertValue(
                    Map.of("name", "n4", "mtu", 1500, "addresses", List.of()),
                    io.upfdataplane.operator.api.UpfNodeReportSpec.Device.class));
            var old = copy.getSpec();
            copy.setSpec(new io.upfdataplane.operator.api.UpfNodeReportSpec(
                    old.probedAt(),
                    old.kernel(),
                    old.cpus(),
                    old.memlockBytes(),
                    old.capabilities(),
                    old.hugepages(),
                    devices));
            return copy;
        });
        UpfDataplaneSpec.Interface n4 = new UpfDataplaneSpec.Interface(
                new UpfDataplaneSpec.Attachment(new UpfDataplaneSpec.HostDevice("n4"), null),
                List.of("10.100.0.1/24"),
                null,
                null,
                null);
        edit(spec -> withN4(spec, n4));
        until("n4's attachment", () -> attachments().size() == 3);
        edit(spec -> withN4(spec, null));
        until("n4's attachment to go", () -> attachments().size() == 2);
    }

    @Test
    @Order(7)
    void aRunningPodIsReadAndItsPlanBecomesTheLastGoodOne() throws Exception {
        dataplane = HttpServer.create(new InetSocketAddress(InetAddress.getByName(POD_ADDRESS), Plan.METRICS_PORT), 0);
        dataplane.createContext("/status", exchange -> {
            byte[] body = dataplaneStatus.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        dataplane.start();
        runs(Mode.AF_PACKET, candidateHash());
        startPod();
        until("Ready", () -> condition(ConditionType.Ready).getStatus().equals("True"));
        assertThat(condition(ConditionType.AssociationEstablished).getStatus()).isEqualTo("True");
        assertThat(get().getStatus().mode().active()).isEqualTo(Mode.AF_PACKET);
        assertThat(get().getStatus().pod()).isEqualTo("edge-0");
        until(
                "the last good plan to be kept",
                () -> config().at("/lastGood/planHash").asText().equals(candidateHash()));
    }

    @Test
    @Order(8)
    void anEditedModeGoesToTheRunningPodByItsConfigMap() {
        String before = candidateHash();
        edit(spec -> with(spec, Mode.AF_XDP, null));
        until("the candidate", () -> !candidateHash().equals(before));
        assertThat(config().at("/candidate/mode").asText()).isEqualTo("AF_XDP");
        assertThat(config().at("/lastGood/planHash").asText()).isEqualTo(before);
        until(
                "the pod's annotation",
                () -> candidateHash()
                        .equals(pod().getMetadata().getAnnotations().get("upfdataplane.io/config")));
        until(
                "the plan in status",
                () -> "InPlace".equals(String.valueOf(get().getStatus().plan().method())));
        assertThat(condition(ConditionType.Ready).getStatus()).isEqualTo("False");
        runs(Mode.AF_XDP, candidateHash());
        until(
                "Ready in the new mode",
                () -> condition(ConditionType.Ready).getStatus().equals("True"));
        assertThat(get().getStatus().mode().active()).isEqualTo(Mode.AF_XDP);
    }

    @Test
    @Order(9)
    void autoKeepsTheModeThatRuns() {
        String before = candidateHash();
        edit(spec -> with(spec, Mode.Auto, null));
        until("Auto", () -> get().getStatus().mode().desired() == Mode.Auto);
        until("Ready", () -> condition(ConditionType.Ready).getStatus().equals("True"));
        assertThat(candidateHash()).isEqualTo(before);
        assertThat(get().getStatus().mode().active()).isEqualTo(Mode.AF_XDP);
        assertThat(get().getStatus().recommendation().mode()).isEqualTo(Mode.AF_XDP);
        assertThat(get().getStatus().recommendation().rejected())
                .extracting(rejected -> rejected.mode().name())
                .containsExactly("DPDK", "CNDP");
    }

    @Test
    @Order(10)
    void anOutdatedPodIsReplaced() {
        String uid = pod().getMetadata().getUid();
        StatefulSet set = workload();
        set.setStatus(new io.fabric8.kubernetes.api.model.apps.StatefulSetStatusBuilder()
                .withReplicas(1)
                .withObservedGeneration(set.getMetadata().getGeneration())
                .withCurrentRevision("edge-1")
                .withUpdateRevision("edge-2")
                .build());
        client.resource(set).updateStatus();
        until(
                "the pod to go",
                () -> pod() == null
                        || !pod().getMetadata().getUid().equals(uid)
                        || pod().getMetadata().getDeletionTimestamp() != null);
    }

    @Test
    @Order(11)
    void theLeaseIsReleasedOnSigterm() throws Exception {
        assertThat(lease()).isNotEmpty();
        operator.destroy(); // SIGTERM
        assertThat(operator.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(lease()).isEmpty();
    }

    // ---- the cluster ----

    private static UpfDataplane get() {
        return client.resources(UpfDataplane.class)
                .inNamespace(server.namespace)
                .withName(NAME)
                .get();
    }

    private static Condition condition(ConditionType type) {
        return get().getStatus().conditions().stream()
                .filter(c -> c.getType().equals(type.name()))
                .findFirst()
                .orElseThrow();
    }

    private static ConfigMap configMap() {
        return client.configMaps()
                .inNamespace(server.namespace)
                .withName("edge-config")
                .get();
    }

    private static JsonNode config() {
        try {
            return Yaml.MAPPER.readTree(configMap().getData().get("config.yaml"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String candidateHash() {
        return config().at("/candidate/planHash").asText();
    }

    private static StatefulSet workload() {
        return client.apps()
                .statefulSets()
                .inNamespace(server.namespace)
                .withName(NAME)
                .get();
    }

    private static List<GenericKubernetesResource> attachments() {
        return client.genericKubernetesResources(Applier.ATTACHMENTS)
                .inNamespace(server.namespace)
                .list()
                .getItems();
    }

    private static Pod pod() {
        return client.pods().inNamespace(server.namespace).withName("edge-0").get();
    }

    private static String lease() {
        String holder = client.leases()
                .inNamespace(server.namespace)
                .withName(Leadership.LEASE)
                .get()
                .getSpec()
                .getHolderIdentity();
        return holder == null ? "" : holder;
    }

    private static List<String> objectVersions() {
        List<String> versions = new ArrayList<>();
        versions.add(configMap().getMetadata().getResourceVersion());
        versions.add(workload().getMetadata().getResourceVersion());
        attachments().forEach(a -> versions.add(a.getMetadata().getResourceVersion()));
        return versions;
    }

    private static List<String> versions() {
        List<String> versions = objectVersions();
        versions.add(get().getMetadata().getResourceVersion());
        return versions;
    }

    private static void edit(Function<UpfDataplaneSpec, UpfDataplaneSpec> change) {
        until("the edit to be taken", () -> {
            try {
                client.resources(UpfDataplane.class)
                        .inNamespace(server.namespace)
                        .withName(NAME)
                        .edit(upf -> {
                            UpfDataplane copy = Serialization.clone(upf);
                            copy.setSpec(change.apply(upf.getSpec()));
                            return copy;
                        });
                return true;
            } catch (KubernetesClientException e) {
                if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                    return false; // the operator has just written the status
                }
                throw e;
            }
        });
    }

    private static UpfDataplaneSpec with(UpfDataplaneSpec s, Mode mode, UpfDataplaneSpec.Resources resources) {
        return with(s, mode, resources, s.image(), Boolean.TRUE.equals(s.paused()));
    }

    private static UpfDataplaneSpec with(
            UpfDataplaneSpec s, Mode mode, UpfDataplaneSpec.Resources resources, String image, boolean paused) {
        return new UpfDataplaneSpec(
                mode,
                s.workers(),
                s.interfaces(),
                s.dataNetworks(),
                s.pfcp(),
                s.capacity(),
                s.tuning(),
                resources,
                image,
                s.preflight(),
                paused);
    }

    private static UpfDataplaneSpec withN4(UpfDataplaneSpec s, UpfDataplaneSpec.Interface n4) {
        return new UpfDataplaneSpec(
                s.mode(),
                s.workers(),
                new UpfDataplaneSpec.Interfaces(
                        s.interfaces().n3(), s.interfaces().n6(), n4),
                s.dataNetworks(),
                s.pfcp(),
                s.capacity(),
                s.tuning(),
                s.resources(),
                s.image(),
                s.preflight(),
                s.paused());
    }

    /** What the made-up dataplane says from now on. */
    private static void runs(Mode mode, String hash) {
        try {
            dataplaneStatus = Files.readString(Path.of("src/test/resources/golden/running/dataplane-status.json"))
                    .replace("HASH-CANDIDATE", hash)
                    .replace("AF_PACKET", mode.name());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void startPod() {
        Pod pod = client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("edge-0")
                        .withNamespace(server.namespace)
                        .withLabels(
                                workload().getSpec().getTemplate().getMetadata().getLabels())
                        .addToLabels("controller-revision-hash", "edge-1")
                        .addToAnnotations("made-by", "the test")
                        .endMetadata()
                        .withNewSpec()
                        .withAutomountServiceAccountToken(false)
                        .withTerminationGracePeriodSeconds(0L)
                        .addNewContainer()
                        .withName("dataplane")
                        .withImage("registry.example/upf-dataplane:0.1")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        pod.setStatus(new io.fabric8.kubernetes.api.model.PodStatusBuilder()
                .withPhase("Running")
                .withPodIP(POD_ADDRESS)
                .build());
        client.resource(pod).updateStatus();
    }
}
