package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfDataplaneStatus.CheckResult;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Judges a model against a node before anything is touched. The only maker of {@link Cleared}. */
public final class Preflight {
    private static final List<Check> CHECKS = List.of(
            new ModeBuilt(),
            new InterfaceExists(),
            new DeviceFree(),
            new AttachmentKind(),
            new CpuLimit(),
            new ExclusiveCpus(),
            new BusyPollIsolation(),
            new MtuBudget(),
            new Offloads(),
            new Kernel(),
            new Capabilities(),
            new XdpDriver(),
            new XdpZeroCopy(),
            new MtuFitsXdp(),
            new XdpPeer(),
            new QueueCount(),
            new Memlock(),
            new UmemSize(),
            new N4Attachment(),
            new N4AddressStable(),
            new AddressConflict());

    /** Neither skipped nor turned into a warning: the one would cut the node off, the other cannot run at all. */
    private static final Set<String> ALWAYS_ENFORCED = Set.of("DeviceFree", "ModeBuilt");

    private Preflight() {}

    public static Verdict check(UpfModel model, NodeFacts facts, Place place) {
        List<Finding> findings = new ArrayList<>();
        for (Check check : CHECKS) {
            if (check.appliesTo(model.mode())) {
                findings.add(judge(check, model, facts, place));
            }
        }
        for (String skipped : model.skippedChecks()) {
            if (CHECKS.stream().noneMatch(check -> check.name().equals(skipped))) {
                findings.add(new Finding(
                        skipped,
                        CheckResult.Warn,
                        "there is no check of that name",
                        "the name of a check in spec.preflight.skip",
                        "see docs/checks.md"));
            }
        }
        return findings.stream().anyMatch(Finding::failed)
                ? new Refused(model, facts, List.copyOf(findings))
                : new Cleared(model, facts, place, List.copyOf(findings));
    }

    private static Finding judge(Check check, UpfModel model, NodeFacts facts, Place place) {
        Finding finding = check.check(model, facts, place);
        if (ALWAYS_ENFORCED.contains(check.name())) {
            return finding;
        }
        if (model.skippedChecks().contains(check.name())) {
            return finding.skipped();
        }
        return finding.failed() && !model.enforce() ? finding.warned() : finding;
    }

    static List<Check> checks() {
        return CHECKS;
    }
}
