package io.upfdataplane.operator.reconcile;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.status.DataplaneReport;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The pod of one UpfDataplane, as far as there is one: what it says, and what the operator does to it. */
final class DataplanePod {
    /** Changing it makes the kubelet sync the ConfigMap at once instead of within a minute. */
    private static final String CONFIG_SEEN = "upfdataplane.io/config";

    private static final int HTTP_MILLIS = 2000;

    private final @Nullable Pod pod;
    private String silence;

    DataplanePod(Optional<Pod> pod) {
        this.pod = pod.orElse(null);
        this.silence = pod.map(p -> p.getMetadata().getName() + " is "
                        + (p.getStatus() == null ? "Pending" : p.getStatus().getPhase()))
                .orElse("there is no pod yet");
    }

    @Nullable
    String name() {
        return pod == null ? null : pod.getMetadata().getName();
    }

    /** Why there is no report. */
    String silence() {
        return silence;
    }

    @Nullable
    DataplaneReport report() {
        String address =
                pod == null || pod.getStatus() == null ? null : pod.getStatus().getPodIP();
        if (address == null) {
            return null;
        }
        URI uri = URI.create("http://" + address + ":" + Plan.METRICS_PORT + "/status");
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setConnectTimeout(HTTP_MILLIS);
            connection.setReadTimeout(HTTP_MILLIS);
            try (InputStream body = connection.getInputStream()) {
                return DataplaneReport.of(Yaml.MAPPER.readTree(body));
            }
        } catch (JsonProcessingException e) {
            silence = "/status of " + name() + " cannot be read: " + e.getOriginalMessage();
            return null;
        } catch (IOException e) {
            silence = name() + " does not answer on " + uri + ": " + e.getMessage();
            return null;
        }
    }

    /** Lets the kubelet see a changed ConfigMap now. */
    void nudge(KubernetesClient client, String configHash) {
        if (pod == null) {
            return;
        }
        Map<String, String> annotations = pod.getMetadata().getAnnotations();
        if (annotations != null && configHash.equals(annotations.get(CONFIG_SEEN))) {
            return;
        }
        client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .edit(now -> {
                    now.getMetadata().getAnnotations().put(CONFIG_SEEN, configHash);
                    return now;
                });
    }

    /** Ends the pod when it was made from an older template: the StatefulSet then makes a new one. */
    void replaceWhenOutdated(KubernetesClient client, Optional<StatefulSet> workload) {
        if (pod == null || workload.isEmpty()) {
            return;
        }
        StatefulSet set = workload.get();
        boolean settled = set.getStatus() != null
                && Objects.equals(
                        set.getStatus().getObservedGeneration(),
                        set.getMetadata().getGeneration());
        String wanted = set.getStatus() == null ? null : set.getStatus().getUpdateRevision();
        Map<String, String> labels = pod.getMetadata().getLabels();
        String has = labels == null ? null : labels.get("controller-revision-hash");
        if (settled && wanted != null && has != null && !wanted.equals(has)) {
            replace(client);
        }
    }

    /** Ends the pod: the StatefulSet then makes a new one. */
    void replace(KubernetesClient client) {
        if (pod != null && pod.getMetadata().getDeletionTimestamp() == null) {
            client.resource(pod).delete();
        }
    }
}
