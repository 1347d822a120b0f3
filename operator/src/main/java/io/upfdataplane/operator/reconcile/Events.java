package io.upfdataplane.operator.reconcile;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.upfdataplane.operator.api.ConditionType;
import io.upfdataplane.operator.api.UpfDataplane;
import io.upfdataplane.operator.api.UpfDataplaneStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of turns: an event for each of the conditions that matter when its status or reason becomes another. */
final class Events {
    private static final Logger LOG = LoggerFactory.getLogger(Events.class);
    private static final int MESSAGE_LENGTH = 1024;
    private static final Set<String> TOLD = Set.of(
            ConditionType.Accepted.name(),
            ConditionType.PreflightPassed.name(),
            ConditionType.Programmed.name(),
            ConditionType.Ready.name(),
            ConditionType.RolledBack.name(),
            ConditionType.AssociationLost.name(),
            ConditionType.NeighborUnresolved.name());

    private Events() {}

    static void tell(
            KubernetesClient client, UpfDataplane upf, @Nullable UpfDataplaneStatus before, UpfDataplaneStatus now) {
        List<Condition> old = before == null || before.conditions() == null ? List.of() : before.conditions();
        List<Condition> current = now.conditions() == null ? List.of() : now.conditions();
        for (Condition condition : current) {
            boolean same = old.stream()
                    .anyMatch(o -> o.getType().equals(condition.getType())
                            && o.getStatus().equals(condition.getStatus())
                            && o.getReason().equals(condition.getReason()));
            if (!same && TOLD.contains(condition.getType())) {
                create(client, upf, condition);
            }
        }
    }

    private static void create(KubernetesClient client, UpfDataplane upf, Condition condition) {
        boolean problem = ConditionType.valueOf(condition.getType()).isProblem();
        boolean good = condition.getStatus().equals(problem ? "False" : "True");
        String time = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        String message = condition.getType() + " is " + condition.getStatus() + ": " + condition.getMessage();
        Event event = new EventBuilder()
                .withNewMetadata()
                .withGenerateName(upf.getMetadata().getName() + "-")
                .withNamespace(upf.getMetadata().getNamespace())
                .endMetadata()
                .withType(good ? "Normal" : "Warning")
                .withReason(condition.getReason())
                .withMessage(message.length() <= MESSAGE_LENGTH ? message : message.substring(0, MESSAGE_LENGTH))
                .withFirstTimestamp(time)
                .withLastTimestamp(time)
                .withCount(1)
                .withNewInvolvedObject()
                .withApiVersion(upf.getApiVersion())
                .withKind(upf.getKind())
                .withName(upf.getMetadata().getName())
                .withNamespace(upf.getMetadata().getNamespace())
                .withUid(upf.getMetadata().getUid())
                .endInvolvedObject()
                .withNewSource()
                .withComponent("upf-operator")
                .endSource()
                .build();
        try {
            client.resource(event).create();
        } catch (KubernetesClientException e) {
            LOG.warn("an event could not be written: {}", e.getMessage()); // the condition says it, too
        }
    }
}
