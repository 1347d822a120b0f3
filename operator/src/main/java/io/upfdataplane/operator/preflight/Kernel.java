package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** The kernel has what the mode needs. */
final class Kernel implements Check {
    @Override
    public String about() {
        return "The kernel has what the mode needs.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        boolean xdp = model.mode() == Mode.AF_XDP;
        Optional<Boolean> enough = xdp ? facts.kernelAtLeast(5, 10) : facts.kernelAtLeast(4, 20);
        if (enough.isEmpty()) {
            return Finding.unknown(this, "the version of the kernel");
        }
        String release = facts.kernelRelease().orElseThrow();
        if (enough.get()) {
            return Finding.pass(this, release);
        }
        return xdp
                ? Finding.fail(
                        this,
                        release,
                        "5.10",
                        "a UMEM shared by two devices needs 5.10; use AF_PACKET or a newer kernel")
                : Finding.fail(this, release, "4.20", "PACKET_IGNORE_OUTGOING needs 4.20; use a newer kernel");
    }
}
