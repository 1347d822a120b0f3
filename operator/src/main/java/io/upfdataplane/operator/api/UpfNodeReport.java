package io.upfdataplane.operator.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** What a node can do, as its probe saw it; cluster-scoped and named for the node. The operator only reads it. */
@Group(UpfDataplane.GROUP)
@Version(UpfDataplane.VERSION)
@Kind("UpfNodeReport")
@Plural("upfnodereports")
@Singular("upfnodereport")
@ShortNames("upfnode")
@AdditionalPrinterColumn(name = "Kernel", jsonPath = ".spec.kernel.release")
@AdditionalPrinterColumn(name = "Probed", jsonPath = ".spec.probedAt")
public final class UpfNodeReport extends CustomResource<UpfNodeReportSpec, Void> {
    private static final long serialVersionUID = 1;

    @Override
    @SuppressWarnings("NullAway") // Fabric8 takes null for a part that is not there yet
    protected @Nullable UpfNodeReportSpec initSpec() {
        return null;
    }
}
