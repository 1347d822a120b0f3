package io.upfdataplane.operator.reconcile;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.SSABasedGenericKubernetesResourceMatcher;
import io.upfdataplane.operator.api.UpfDataplane;
import io.upfdataplane.operator.render.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Makes a cluster hold exactly what was rendered for one UpfDataplane: applies what differs, deletes by label what is no
 * longer rendered, and writes nothing when all is as it should be. One for each reconciliation.
 */
final class Applier {
    static final ResourceDefinitionContext ATTACHMENTS = new ResourceDefinitionContext.Builder()
            .withGroup("k8s.cni.cncf.io")
            .withVersion("v1")
            .withKind("NetworkAttachmentDefinition")
            .withPlural("network-attachment-definitions")
            .withNamespaced(true)
            .build();
    private static final int NOT_FOUND = 404;

    private final KubernetesClient client;
    private final UpfDataplane owner;
    private final Context<UpfDataplane> context;
    private final List<HasMetadata> present = new ArrayList<>();

    /** Reads what is there now. */
    Applier(UpfDataplane owner, Context<UpfDataplane> context) {
        this.client = context.getClient();
        this.owner = owner;
        this.context = context;
        context.getSecondaryResources(ConfigMap.class).forEach(present::add);
        context.getSecondaryResources(StatefulSet.class).forEach(present::add);
        present.addAll(attachments());
    }

    List<GenericKubernetesResource> attachments() {
        try {
            return client.genericKubernetesResources(ATTACHMENTS)
                    .inNamespace(owner.getMetadata().getNamespace())
                    .withLabels(Map.of(
                            Labels.MANAGED_BY,
                            Labels.OPERATOR,
                            Labels.INSTANCE,
                            owner.getMetadata().getName()))
                    .list()
                    .getItems();
        } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND) {
                return List.of(); // the kind is not installed, so there are none
            }
            throw e;
        }
    }

    Optional<ConfigMap> configMap(String name) {
        return present.stream()
                .filter(ConfigMap.class::isInstance)
                .map(ConfigMap.class::cast)
                .filter(map -> map.getMetadata().getName().equals(name))
                .findFirst();
    }

    /** Whether anything was written. */
    boolean apply(List<HasMetadata> rendered) {
        boolean wrote = false;
        for (HasMetadata object : rendered) {
            wrote |= apply(object);
        }
        for (HasMetadata old : present) {
            if (rendered.stream().noneMatch(object -> isSame(object, old))) {
                client.resource(old).delete();
                wrote = true;
            }
        }
        return wrote;
    }

    /** Whether the object had to be written. */
    boolean apply(HasMetadata rendered) {
        rendered.getMetadata()
                .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                        .withApiVersion(owner.getApiVersion())
                        .withKind(owner.getKind())
                        .withName(owner.getMetadata().getName())
                        .withUid(owner.getMetadata().getUid())
                        .withController(true)
                        .withBlockOwnerDeletion(true)
                        .build()));
        Optional<HasMetadata> actual =
                present.stream().filter(object -> isSame(rendered, object)).findFirst();
        if (actual.isPresent() && matches(actual.get(), rendered)) {
            return false;
        }
        try {
            client.resource(rendered)
                    .patch(new PatchContext.Builder()
                            .withPatchType(PatchType.SERVER_SIDE_APPLY)
                            .withFieldManager(
                                    context.getControllerConfiguration().fieldManager())
                            .withForce(true)
                            .build());
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND && rendered.getKind().equals(ATTACHMENTS.getKind())) {
                throw new KubernetesClientException(
                        "the cluster has no NetworkAttachmentDefinitions: install Multus, which moves devices into pods",
                        e);
            }
            throw e;
        }
    }

    private boolean matches(HasMetadata actual, HasMetadata rendered) {
        if (actual instanceof GenericKubernetesResource is && rendered instanceof GenericKubernetesResource shall) {
            return Objects.equals(is.getAdditionalProperties(), shall.getAdditionalProperties())
                    && Objects.equals(
                            is.getMetadata().getLabels(), shall.getMetadata().getLabels());
        }
        return SSABasedGenericKubernetesResourceMatcher.getInstance().matches(actual, rendered, context);
    }

    private static boolean isSame(HasMetadata a, HasMetadata b) {
        return a.getKind().equals(b.getKind())
                && a.getMetadata().getName().equals(b.getMetadata().getName());
    }
}
