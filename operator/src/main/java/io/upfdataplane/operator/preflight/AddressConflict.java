package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.model.Ipv4Prefix;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.HashMap;
import java.util.Map;

/** No address is used twice. */
final class AddressConflict implements EveryModeCheck {
    @Override
    public String about() {
        return "No address is used twice.";
    }

    @Override
    public Finding check(UpfModel model, NodeFacts facts, Place place) {
        Map<String, String> seen = new HashMap<>();
        for (UpfModel.Leg leg : model.allLegs()) {
            Ipv4Prefix address = leg.address();
            if (address == null) {
                continue;
            }
            String other = seen.put(address.host(), leg.name());
            if (other == null) {
                other = facts.takenAddresses().get(address.host());
            }
            if (other != null) {
                return Finding.fail(
                        this,
                        leg.name() + " and " + other + " both use " + address.host(),
                        "an address for each",
                        "change interfaces." + leg.name() + ".addresses");
            }
            for (UpfModel.Network network : model.networks()) {
                for (Ipv4Prefix pool : network.uePools()) {
                    if (pool.contains(address.address())) {
                        return Finding.fail(
                                this,
                                "the pool " + pool + " of " + network.name() + " holds " + address.host()
                                        + ", the address of " + leg.name(),
                                "a pool without it",
                                "change the pool: a UE with that address would take the packets of " + leg.name());
                    }
                }
            }
        }
        return Finding.pass(this, "every address is used once");
    }
}
