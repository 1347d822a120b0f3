package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Ipv4Prefix;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import java.util.ArrayList;
import java.util.List;

/** The devices carry the addresses of the plan: the kernel answers ARP for them. */
final class AddressesAsRendered implements DeviceCheck {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> wrong = new ArrayList<>();
        List<String> commands = new ArrayList<>();
        compare("n3", plan.n3(), facts.n3(plan).orElseThrow(), wrong, commands);
        compare("n6", plan.n6(), facts.n6(plan).orElseThrow(), wrong, commands);
        String required =
                "n3 " + text(plan.n3().addresses()) + ", n6 " + text(plan.n6().addresses());
        return wrong.isEmpty()
                ? pass(required, required)
                : finding(Result.Fail, String.join("; ", wrong), required, String.join("; ", commands));
    }

    private static void compare(
            String leg, Plan.Interface planned, Device device, List<String> wrong, List<String> commands) {
        List<String> here = device.addresses();
        for (Ipv4Prefix address : planned.addresses()) {
            if (!here.contains(address.toString())) {
                wrong.add(leg + " has " + (here.isEmpty() ? "no address" : String.join(", ", here)) + ", rendered was "
                        + address);
                commands.add("ip address add " + address + " dev " + planned.device());
            }
        }
    }

    private static String text(List<Ipv4Prefix> addresses) {
        return String.join(", ", addresses.stream().map(Ipv4Prefix::toString).toList());
    }
}
