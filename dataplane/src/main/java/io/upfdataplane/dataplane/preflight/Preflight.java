package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import java.util.List;

/** What a plan needs, judged in the place where it will run. Any thread. */
public final class Preflight {
    private static final List<Check> CHECKS = List.of(
            new InterfaceExists(),
            new DeviceFree(),
            new AddressesAsRendered(),
            new CpuLimit(),
            new BusyPollIsolation(),
            new Kernel(),
            new Capabilities(),
            new MtuBudget(),
            new MtuFitsXdp(),
            new XdpDriver(),
            new XdpZeroCopy(),
            new QueueCount(),
            new Memlock(),
            new UmemSize(),
            new Offloads(),
            new PfcpPort());

    private Preflight() {}

    /** One finding of each check that the plan's mode has, in a fixed order. */
    public static List<Finding> judge(Plan plan, Facts facts) {
        return CHECKS.stream()
                .filter(c -> c.appliesTo(plan))
                .map(c -> judge(c, plan, facts))
                .toList();
    }

    private static Finding judge(Check check, Plan plan, Facts facts) {
        boolean allHere = facts.distinctDevices(plan).size() == plan.devices();
        return check instanceof DeviceCheck && !allHere
                ? check.finding(Finding.Result.Unknown, "a device is missing", "both devices", "")
                : check.judge(plan, facts);
    }

    public static boolean passes(List<Finding> findings) {
        return findings.stream().noneMatch(Finding::refuses);
    }
}
