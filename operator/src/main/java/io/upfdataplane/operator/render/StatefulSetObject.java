package io.upfdataplane.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HTTPGetActionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.plan.Plan;
import java.util.Map;
import java.util.TreeMap;

/** The workload: one pod, which goes only when the operator deletes it ({@code OnDelete}). */
public final class StatefulSetObject {
    /** Annotation of the pod template: {@link Plan#processHash} of what it was made for. */
    public static final String PROCESS = "upfdataplane.io/process";

    private static final String CONFIG_DIRECTORY = "/etc/upf";
    private static final String STATE_DIRECTORY = "/var/lib/upf";
    private static final int LIVENESS_PERIOD_SECONDS = 5;
    private static final int READINESS_PERIOD_SECONDS = 2;
    private static final int STARTUP_TRIES = 60;

    private StatefulSetObject() {}

    static StatefulSet of(Plan plan, String image) {
        UpfModel model = plan.model();
        Map<String, String> annotations = new TreeMap<>(Map.of(
                "k8s.v1.cni.cncf.io/networks",
                NetworkAttachments.annotation(model),
                // What a running process cannot take over makes another template, and so another pod.
                PROCESS,
                plan.processHash()));
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withName(model.name())
                .withNamespace(model.namespace())
                .withLabels(Labels.of(model))
                .endMetadata()
                .withNewSpec()
                .withReplicas(1)
                .withServiceName(model.name())
                .withPodManagementPolicy("Parallel")
                .withNewUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()
                .withNewSelector()
                .withMatchLabels(Labels.selector(model))
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(Labels.of(model))
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withNodeSelector(
                        Map.of("kubernetes.io/hostname", plan.cleared().facts().node()))
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withTerminationGracePeriodSeconds(10L)
                .withInitContainers(
                        container(plan, image, "preflight", "preflight").build())
                .withContainers(dataplane(plan, image))
                .addNewVolume()
                .withName("config")
                .withNewConfigMap()
                .withName(ConfigMapObject.nameOf(model.name()))
                .endConfigMap()
                .endVolume()
                .addNewVolume()
                .withName("state")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static Container dataplane(Plan plan, String image) {
        return container(plan, image, "dataplane", "run")
                .addNewPort()
                .withName("metrics")
                .withContainerPort(Plan.METRICS_PORT)
                .withProtocol("TCP")
                .endPort()
                .addNewPort()
                .withName("pfcp")
                .withContainerPort(plan.model().pfcp().bindPort())
                .withProtocol("UDP")
                .endPort()
                .withStartupProbe(probe("ready", 1, STARTUP_TRIES))
                .withReadinessProbe(probe("ready", READINESS_PERIOD_SECONDS, 3))
                .withLivenessProbe(probe("live", LIVENESS_PERIOD_SECONDS, 3))
                .build();
    }

    private static ContainerBuilder container(Plan plan, String image, String name, String command) {
        return new ContainerBuilder()
                .withName(name)
                .withImage(image)
                .withArgs(command, "--config", CONFIG_DIRECTORY + "/" + DataplaneConfigFile.NAME)
                .withResources(resources(plan))
                .withNewSecurityContext()
                .withPrivileged(true)
                .endSecurityContext()
                .addNewVolumeMount()
                .withName("config")
                .withMountPath(CONFIG_DIRECTORY)
                .withReadOnly(true)
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("state")
                .withMountPath(STATE_DIRECTORY)
                .endVolumeMount();
    }

    /** Requests equal limits: the pod is Guaranteed, and whole CPUs can be its own. */
    private static ResourceRequirements resources(Plan plan) {
        Map<String, Quantity> amounts = new TreeMap<>(Map.of(
                "cpu", new Quantity(plan.cpus().toPlainString()), "memory", new Quantity(memory(plan.memoryBytes()))));
        return new ResourceRequirementsBuilder()
                .withRequests(amounts)
                .withLimits(amounts)
                .build();
    }

    /** As people write it: whole mebibytes where it is some. */
    public static String memory(long bytes) {
        return bytes % (1L << 20) == 0 ? (bytes >> 20) + "Mi" : String.valueOf(bytes);
    }

    private static Probe probe(String of, int periodSeconds, int failures) {
        return new ProbeBuilder()
                .withHttpGet(new HTTPGetActionBuilder()
                        .withPath("/healthz/" + of)
                        .withPort(new IntOrString("metrics"))
                        .build())
                .withPeriodSeconds(periodSeconds)
                .withFailureThreshold(failures)
                .build();
    }
}
