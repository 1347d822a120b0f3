package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** The UMEM may be locked into memory. */
final class Memlock implements XdpCheck {
    @Override
    public String about() {
        return "The UMEM may be locked into memory.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        if (place == Place.POD
                || facts.capabilities().filter(c -> c.contains("CAP_IPC_LOCK")).isPresent()) {
            return Finding.pass(this, "CAP_IPC_LOCK lifts the limit");
        }
        Optional<Long> limit = facts.memlockBytes();
        if (limit.isEmpty()) {
            return Finding.unknown(this, "RLIMIT_MEMLOCK");
        }
        long needed = Sizing.poolBytes(model);
        if (limit.get() >= 0 && limit.get() < needed) {
            return Finding.fail(
                    this,
                    "RLIMIT_MEMLOCK " + (limit.get() >> 20) + " MiB and no CAP_IPC_LOCK",
                    (needed >> 20) + " MiB for the UMEM",
                    "give CAP_IPC_LOCK, or raise the limit where this process is started");
        }
        return Finding.pass(this, "the limit holds the UMEM");
    }
}
