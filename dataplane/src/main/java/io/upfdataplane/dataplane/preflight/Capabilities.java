package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import java.util.ArrayList;
import java.util.List;

/** This process may do what the mode needs. */
final class Capabilities implements Check {
    @Override
    public boolean appliesTo(Plan plan) {
        return true;
    }

    @Override
    public Finding judge(Plan plan, Facts facts) {
        List<String> missing = new ArrayList<>();
        for (String capability : Check.isXdp(plan) ? List.of("NET_RAW", "NET_ADMIN", "IPC_LOCK") : List.of("NET_RAW")) {
            if (!facts.has(capability)) {
                missing.add(capability);
            }
        }
        // BPF is its own capability from kernel 5.8 on; SYS_ADMIN contains it.
        if (Check.isXdp(plan) && !facts.has("BPF") && !facts.has("SYS_ADMIN")) {
            missing.add("BPF");
        }
        String required = Check.isXdp(plan) ? "NET_RAW, NET_ADMIN, IPC_LOCK, BPF" : "NET_RAW, better with NET_ADMIN";
        if (!missing.isEmpty()) {
            return finding(
                    Result.Fail,
                    "no " + String.join(", no ", missing),
                    required,
                    "add them to securityContext.capabilities; a namespace that enforces Pod Security"
                            + " \"baseline\" forbids them");
        }
        if (!facts.has("NET_ADMIN")) {
            return finding(
                    Result.Warn,
                    "NET_RAW without NET_ADMIN",
                    required,
                    "offloads and the drop of what the kernel would answer must be set from outside");
        }
        return pass("all of them", required);
    }
}
