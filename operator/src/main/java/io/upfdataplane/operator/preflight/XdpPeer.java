package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** A veth peer takes redirected frames (a warning: the dataplane sends through its socket). */
final class XdpPeer implements XdpCheck {
    @Override
    public String about() {
        return "A veth peer takes redirected frames (a warning: the dataplane sends through its socket).";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        for (UpfModel.Leg leg : model.packetLegs()) {
            Optional<UpfNodeReportSpec.VethPeer> peer =
                    facts.device(leg.device()).map(UpfNodeReportSpec.Device::peer);
            if (peer.filter(p -> Boolean.FALSE.equals(p.takesRedirects())).isPresent()) {
                return Finding.warn(
                        this,
                        "the peer of " + leg.device() + " has neither GRO nor an XDP program",
                        "one of them, or redirected frames are lost",
                        "`ethtool -K PEER gro on`");
            }
        }
        return Finding.pass(this, "no peer is known to lose redirected frames");
    }
}
