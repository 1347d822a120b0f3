package io.upfdataplane.operator.reconcile;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The real API server that {@code hack/test} starts and names by KUBECONFIG, with our CRDs and a namespace of ours. */
final class ApiServer implements AutoCloseable {
    private static final AtomicInteger OPENED = new AtomicInteger();

    final KubernetesClient client;
    /** A namespace that is being deleted takes nothing, so each test class has its own. */
    final String namespace = "upf-it-" + ProcessHandle.current().pid() + "-" + OPENED.incrementAndGet();

    private ApiServer(KubernetesClient client) {
        this.client = client;
    }

    static ApiServer open() throws IOException {
        String kubeconfig = System.getProperty("kubeconfig", System.getenv().getOrDefault("KUBECONFIG", ""));
        boolean there = !kubeconfig.isBlank() && Files.exists(Path.of(kubeconfig));
        if (!there) {
            System.out.println("SKIPPED: no API server: KUBECONFIG names none; start one with"
                    + " `export KUBE_DIR=/tmp/upf-kube KUBECONFIG=$(KUBE_DIR=/tmp/upf-kube hack/kube/kube-up)`");
        }
        assumeTrue(there, "no API server: KUBECONFIG names none");
        ApiServer server = new ApiServer(new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(new File(kubeconfig)))
                .build());
        server.install(Path.of("../crds"));
        server.install(Path.of("src/test/resources/crds"));
        server.client
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(server.namespace)
                        .endMetadata()
                        .build())
                .serverSideApply();
        // No controller makes it here, and no pod is admitted without it.
        server.client
                .resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withName("default")
                        .withNamespace(server.namespace)
                        .endMetadata()
                        .build())
                .serverSideApply();
        return server;
    }

    private void install(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".yaml")).toList()) {
                for (HasMetadata crd : client.load(Files.newInputStream(file)).items()) {
                    client.resource(crd).forceConflicts().serverSideApply();
                    until(
                            file + " to be served",
                            () -> client
                                    .apiextensions()
                                    .v1()
                                    .customResourceDefinitions()
                                    .withName(crd.getMetadata().getName())
                                    .get()
                                    .getStatus()
                                    .getConditions()
                                    .stream()
                                    .anyMatch(c -> c.getType().equals("Established")
                                            && c.getStatus().equals("True")));
                }
            }
        }
    }

    /** Waits, for a loaded machine: what is asserted is that it comes, not how soon. */
    static void until(String what, Callable<Boolean> holds) {
        long deadline = System.nanoTime() + 90_000_000_000L;
        Exception last = null;
        while (System.nanoTime() < deadline) {
            try {
                if (holds.call()) {
                    return;
                }
                last = null;
            } catch (Exception e) {
                last = e; // asked again: the object may not be there yet
            }
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + what, e);
            }
        }
        throw new AssertionError("waited 90 s for " + what, last);
    }

    @Override
    public void close() {
        client.namespaces().withName(namespace).delete();
        client.close();
    }
}
