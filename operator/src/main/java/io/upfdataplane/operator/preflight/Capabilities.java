package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The process may open the sockets that the mode needs. */
final class Capabilities implements Check {
    @Override
    public String about() {
        return "The process may open the sockets that the mode needs.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        if (place == Place.POD) {
            return Finding.pass(this, "the pod is privileged");
        }
        Optional<Set<String>> held = facts.capabilities();
        if (held.isEmpty()) {
            return Finding.unknown(this, "the capabilities");
        }
        boolean oldKernel =
                facts.kernelAtLeast(5, 8).filter(atLeast -> !atLeast).isPresent();
        Set<String> needed = new TreeSet<>(Set.of("CAP_NET_RAW"));
        if (model.mode() == Mode.AF_XDP) {
            needed.addAll(Set.of("CAP_NET_ADMIN", "CAP_IPC_LOCK", oldKernel ? "CAP_SYS_ADMIN" : "CAP_BPF"));
        }
        Set<String> missing = new TreeSet<>(needed);
        missing.removeAll(held.get());
        if (missing.equals(Set.of("CAP_BPF")) && held.get().contains("CAP_SYS_ADMIN")) {
            missing.clear(); // it includes CAP_BPF
        }
        if (!missing.isEmpty()) {
            return Finding.fail(
                    this,
                    "without " + String.join(", ", missing),
                    String.join(", ", needed),
                    "run as root, or give the process these capabilities");
        }
        if (!held.get().contains("CAP_NET_ADMIN")) {
            return Finding.warn(
                    this,
                    "without CAP_NET_ADMIN",
                    "CAP_NET_ADMIN, to drop at ingress and to set offloads",
                    "switch forwarding and GRO off on the devices by hand");
        }
        return Finding.pass(this, String.join(", ", needed));
    }
}
