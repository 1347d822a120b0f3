package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** Packets of the UE MTU fit N3 with the GTP-U headers around them, and a frame of the pool. */
final class MtuBudget implements Check {
    @Override
    public String about() {
        return "Packets of the UE MTU fit N3 with the GTP-U headers around them, and a frame of the pool.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        int frame = Mtu.fits(Sizing.frameSize(model));
        for (UpfModel.Leg leg : model.packetLegs()) {
            Optional<Integer> mtu = Mtu.of(leg, facts);
            if (mtu.isPresent() && mtu.get() > frame) {
                return Finding.warn(
                        this,
                        leg.name() + " MTU " + mtu.get(),
                        "at most " + frame + ", what a frame of " + Sizing.frameSize(model) + " bytes holds",
                        "larger packets are dropped; set interfaces." + leg.name() + ".mtu, at most "
                                + Mtu.fits(Mtu.LARGEST_FRAME));
            }
        }
        Optional<Integer> n3 = Mtu.of(model.n3(), facts);
        if (n3.isEmpty()) {
            return Finding.unknown(this, "the MTU of n3");
        }
        int budget = n3.get() - Mtu.GTPU_OVERHEAD;
        for (UpfModel.Network network : model.networks()) {
            if (network.ueMtu() != null && network.ueMtu() > budget) {
                return Finding.fail(
                        this,
                        "N3 MTU " + n3.get() + " less " + Mtu.GTPU_OVERHEAD + " of GTP-U overhead is " + budget,
                        "the UE MTU " + network.ueMtu() + " of " + network.name(),
                        "set ueMtu to " + budget + " or raise the MTU of n3 to "
                                + (network.ueMtu() + Mtu.GTPU_OVERHEAD));
            }
        }
        if (budget < Mtu.SMALLEST) {
            return Finding.warn(
                    this,
                    "N3 MTU " + n3.get() + " leaves " + budget + " for UEs",
                    Mtu.SMALLEST + ", which UEs expect",
                    "raise the MTU of n3 to " + (Mtu.SMALLEST + Mtu.GTPU_OVERHEAD) + " or more");
        }
        return Finding.pass(this, "N3 MTU " + n3.get() + " leaves " + budget + " for UEs");
    }
}
