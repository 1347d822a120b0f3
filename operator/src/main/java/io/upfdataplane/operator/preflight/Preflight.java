package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplaneStatus.CheckResult;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    /**
     * @param kept the mode that runs, which {@code Auto} keeps; null when nothing runs yet
     */
    public static Verdict check(UpfModel model, NodeFacts facts, Place place, @Nullable Mode kept) {
        ModeChoice choice = ModeChoice.of(model, facts, place, kept);
        UpfModel settled = model.mode() == Mode.Auto ? model.withMode(choice.mode()) : model;
        List<Finding> findings = findings(settled, facts, place);
        return findings.stream().anyMatch(Finding::failed)
                ? new Refused(settled, facts, findings, choice.recommendation())
                : new Cleared(settled, facts, place, findings, choice.recommendation());
    }

    private static List<Finding> findings(UpfModel model, NodeFacts facts, Place place) {
        List<Finding> findings = new ArrayList<>();
        for (Finding finding : judged(model, facts, place)) {
            boolean lenient = !model.enforce() && !ALWAYS_ENFORCED.contains(finding.check());
            findings.add(finding.failed() && lenient ? finding.warned() : finding);
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
        return List.copyOf(findings);
    }

    /** What the checks say of the model's mode, before {@code spec.preflight.policy} turns a failure into a warning. */
    static List<Finding> judged(UpfModel model, NodeFacts facts, Place place) {
        List<Finding> findings = new ArrayList<>();
        for (Check check : CHECKS) {
            if (check.appliesTo(model.mode())) {
                Finding finding = check.check(model, facts, place);
                boolean skipped =
                        model.skippedChecks().contains(check.name()) && !ALWAYS_ENFORCED.contains(check.name());
                findings.add(skipped ? finding.skipped() : finding);
            }
        }
        return findings;
    }

    /** Whether the check of that name is asked of the one mode and not of the other. */
    static boolean isOnlyFor(String name, Mode mode, Mode other) {
        return CHECKS.stream()
                .anyMatch(check -> check.name().equals(name) && check.appliesTo(mode) && !check.appliesTo(other));
    }

    static List<Check> checks() {
        return CHECKS;
    }
}
