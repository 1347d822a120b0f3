package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** No offload hands over packets that are unfinished or merged (a warning: the dataplane repairs them). */
final class Offloads implements Check {
    @Override
    public String about() {
        return "No offload hands over packets that are unfinished or merged (a warning: the dataplane repairs them).";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        for (UpfModel.Leg leg : model.packetLegs()) {
            Optional<UpfNodeReportSpec.VethPeer> peer =
                    facts.device(leg.device()).map(UpfNodeReportSpec.Device::peer);
            if (peer.filter(p -> Boolean.TRUE.equals(p.txChecksumOffload())).isPresent()) {
                String name = peer.get().name() == null
                        ? "of " + leg.device()
                        : peer.get().name();
                return Finding.warn(
                        this,
                        "the peer " + name + " leaves checksums unfinished",
                        "finished checksums",
                        "they are finished in software; `ethtool -K "
                                + (peer.get().name() == null ? "PEER" : name) + " tx off` spares that");
            }
        }
        return Finding.pass(this, "no peer is known to leave checksums unfinished");
    }
}
