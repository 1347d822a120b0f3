package io.upfdataplane.operator.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** One User Plane Function: its dataplane, its interfaces and the mode that moves its packets. */
@Group(UpfDataplane.GROUP)
@Version(UpfDataplane.VERSION)
@Kind("UpfDataplane")
@Plural("upfdataplanes")
@Singular("upfdataplane")
@ShortNames("upf")
@AdditionalPrinterColumn(name = "Mode", jsonPath = ".spec.mode")
@AdditionalPrinterColumn(name = "Active", jsonPath = ".status.mode.active")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type=='Ready')].status")
@AdditionalPrinterColumn(
        name = "Sessions",
        jsonPath = ".status.sessions.active",
        type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "N4", jsonPath = ".status.conditions[?(@.type=='AssociationEstablished')].status")
@AdditionalPrinterColumn(name = "Node", jsonPath = ".status.node")
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(
        name = "Workers",
        jsonPath = ".spec.workers",
        type = AdditionalPrinterColumn.Type.INTEGER,
        priority = 1)
@AdditionalPrinterColumn(
        name = "ZeroCopy",
        jsonPath = ".status.mode.zeroCopy",
        type = AdditionalPrinterColumn.Type.BOOLEAN,
        priority = 1)
@AdditionalPrinterColumn(name = "Reason", jsonPath = ".status.conditions[?(@.type=='Ready')].reason", priority = 1)
public final class UpfDataplane extends CustomResource<UpfDataplaneSpec, UpfDataplaneStatus> implements Namespaced {
    public static final String GROUP = "upfdataplane.io";
    public static final String VERSION = "v1alpha1";
    private static final long serialVersionUID = 1;

    @Override
    @SuppressWarnings("NullAway") // Fabric8 takes null for a part that is not there yet
    protected @Nullable UpfDataplaneSpec initSpec() {
        return null;
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    protected @Nullable UpfDataplaneStatus initStatus() {
        return null;
    }
}
