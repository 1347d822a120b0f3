package io.upfdataplane.operator.reconcile;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplane;
import io.upfdataplane.operator.api.UpfDataplaneStatus;
import io.upfdataplane.operator.api.UpfNodeReport;
import io.upfdataplane.operator.model.Fault;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.UpfModel;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.plan.Plan;
import io.upfdataplane.operator.plan.Running;
import io.upfdataplane.operator.preflight.Cleared;
import io.upfdataplane.operator.preflight.Refused;
import io.upfdataplane.operator.render.ConfigMapObject;
import io.upfdataplane.operator.render.DataplaneConfigFile;
import io.upfdataplane.operator.render.Labels;
import io.upfdataplane.operator.render.Render;
import io.upfdataplane.operator.render.StatefulSetObject;
import io.upfdataplane.operator.status.DataplaneReport;
import io.upfdataplane.operator.status.Judgement;
import io.upfdataplane.operator.status.Observed;
import io.upfdataplane.operator.status.UpfStatus;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * From a UpfDataplane in a cluster to a pod, and back to its status: observe, judge, apply, report. Up to four of these
 * run at once, each for another resource.
 */
@ControllerConfiguration(name = "upf-operator", fieldManager = "upf-operator")
public final class UpfDataplaneReconciler implements Reconciler<UpfDataplane> {
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);
    private static final long JITTER_MILLIS = 2000;

    private final Settings settings;
    private final Clock clock = Clock.systemUTC();
    private @Nullable InformerEventSource<UpfNodeReport, UpfDataplane> nodeReports;

    UpfDataplaneReconciler(Settings settings) {
        this.settings = settings;
    }

    @Override
    public List<EventSource<?, UpfDataplane>> prepareEventSources(EventSourceContext<UpfDataplane> context) {
        InformerEventSource<UpfNodeReport, UpfDataplane> reports = new InformerEventSource<>(
                InformerEventSourceConfiguration.from(UpfNodeReport.class, UpfDataplane.class)
                        // A node's report may decide about every resource.
                        .withSecondaryToPrimaryMapper(report -> context.getPrimaryCache()
                                .list()
                                .map(ResourceID::fromResource)
                                .collect(Collectors.toSet()))
                        .build(),
                context);
        nodeReports = reports;
        return List.of(
                reports, ours(ConfigMap.class, context), ours(StatefulSet.class, context), ours(Pod.class, context));
    }

    private static <R extends HasMetadata> EventSource<R, UpfDataplane> ours(
            Class<R> kind, EventSourceContext<UpfDataplane> context) {
        return new InformerEventSource<>(
                InformerEventSourceConfiguration.from(kind, UpfDataplane.class)
                        .withLabelSelector(Labels.MANAGED_BY + "=" + Labels.OPERATOR)
                        // By label, since a pod's owner is the StatefulSet.
                        .withSecondaryToPrimaryMapper(object -> Optional.ofNullable(
                                        object.getMetadata().getLabels().get(Labels.INSTANCE))
                                .map(name -> Set.of(new ResourceID(
                                        name, object.getMetadata().getNamespace())))
                                .orElse(Set.of()))
                        .build(),
                context);
    }

    @Override
    public UpdateControl<UpfDataplane> reconcile(UpfDataplane upf, Context<UpfDataplane> context) {
        Applier applier = new Applier(upf, context);
        DataplanePod pod = new DataplanePod(
                context.getSecondaryResourcesAsStream(Pod.class).findFirst());
        DataplaneReport report = pod.report();
        Running running = running(upf, applier)
                .inProcess(process(context))
                .promoted(report == null ? null : report.runningHash());
        UpfModel model = null;
        Judgement judgement;
        try {
            model = UpfModel.of(Yaml.MAPPER.valueToTree(upf));
            judgement = judge(upf, model, running, applier, context);
        } catch (Malformed malformed) {
            judgement = new Judgement.NotAccepted(malformed);
        }
        String handedOver = null;
        if (judgement instanceof Judgement.Planned(Plan plan)) {
            handedOver = handOver(plan, applier, pod, report, context);
        } else if (model == null || !model.paused()) {
            keepPromoted(upf, model, running, applier);
        }
        Mode desired = upf.getSpec() == null ? null : upf.getSpec().mode();
        UpfDataplaneStatus status = UpfStatus.of(
                judgement,
                new Observed(
                        upf.getMetadata().getGeneration(),
                        desired,
                        handedOver,
                        report,
                        pod.silence(),
                        pod.name(),
                        model != null && model.paused(),
                        clock.instant()),
                upf.getStatus());
        return written(upf, status, context);
    }

    private UpdateControl<UpfDataplane> written(
            UpfDataplane upf, UpfDataplaneStatus status, Context<UpfDataplane> context) {
        Duration next = LOOK_AGAIN.plusMillis(ThreadLocalRandom.current().nextLong(-JITTER_MILLIS, JITTER_MILLIS));
        if (status.equals(upf.getStatus())) {
            return UpdateControl.<UpfDataplane>noUpdate().rescheduleAfter(next);
        }
        Events.tell(context.getClient(), upf, upf.getStatus(), status);
        UpfDataplane patch = new UpfDataplane();
        patch.setMetadata(new ObjectMetaBuilder()
                .withName(upf.getMetadata().getName())
                .withNamespace(upf.getMetadata().getNamespace())
                .build());
        patch.setStatus(status);
        return UpdateControl.patchStatus(patch).rescheduleAfter(next);
    }

    private Judgement judge(
            UpfDataplane upf, UpfModel model, Running running, Applier applier, Context<UpfDataplane> context)
            throws Malformed {
        String image = model.image();
        if (image != null && !settings.allows(image)) {
            throw new Malformed(List.of(
                    new Fault("spec.image", image, "an image that this operator allows: " + settings.allowedList())));
        }
        if (model.paused()) {
            return new Judgement.NotJudged("Paused", "spec.paused is true");
        }
        Stream<UpfNodeReport> reports = nodeReports == null ? Stream.empty() : nodeReports.list();
        NodeChoice choice = new NodeChoice(
                reports.toList(), context.getPrimaryCache().list().toList(), applier.attachments());
        return choice.judge(upf, model, running)
                .map(verdict -> switch (verdict) {
                    case Refused refused -> new Judgement.NotCleared(refused);
                    case Cleared cleared -> new Judgement.Planned(Plan.forPod(cleared, running));
                })
                .orElseGet(() -> new Judgement.NotJudged(
                        "NoNodeReport",
                        "no node has reported what it can do: run `dataplane probe | kubectl apply -f -` on it"));
    }

    /** Why it could not be handed over; null when it was. */
    private @Nullable String handOver(
            Plan plan,
            Applier applier,
            DataplanePod pod,
            @Nullable DataplaneReport report,
            Context<UpfDataplane> context) {
        String image = plan.model().image();
        try {
            if (applier.apply(Render.objects(plan, image == null ? settings.image() : image))) {
                pod.nudge(context.getClient(), plan.hash());
            }
            if (report != null && report.needsRestartFor(plan.hash())) {
                pod.replace(context.getClient());
            } else {
                pod.replaceWhenOutdated(context.getClient(), context.getSecondaryResource(StatefulSet.class));
            }
            return null;
        } catch (KubernetesClientException e) {
            return e.getMessage();
        }
    }

    /** A refused edit changes nothing, but what runs may just have proved itself: that must outlive a restart. */
    private static void keepPromoted(UpfDataplane upf, @Nullable UpfModel model, Running running, Applier applier) {
        if (model != null && !running.inProcess(null).equals(running(upf, applier))) {
            applier.apply(ConfigMapObject.holding(
                    model, DataplaneConfigFile.promoted(upf.getMetadata().getGeneration(), running)));
        }
    }

    private static @Nullable String process(Context<UpfDataplane> context) {
        return context.getSecondaryResource(StatefulSet.class)
                .map(set -> set.getSpec().getTemplate().getMetadata().getAnnotations())
                .map(annotations -> annotations.get(StatefulSetObject.PROCESS))
                .orElse(null);
    }

    private static Running running(UpfDataplane upf, Applier applier) {
        Optional<String> file = applier.configMap(
                        ConfigMapObject.nameOf(upf.getMetadata().getName()))
                .map(ConfigMap::getData)
                .map(data -> data.get(DataplaneConfigFile.NAME));
        if (file.isEmpty()) {
            return Running.NOTHING;
        }
        try {
            JsonNode config = Yaml.MAPPER.readTree(file.get());
            return Running.of(config);
        } catch (JsonProcessingException e) {
            return Running.NOTHING; // somebody has written nonsense into it: it is rendered anew
        }
    }
}
