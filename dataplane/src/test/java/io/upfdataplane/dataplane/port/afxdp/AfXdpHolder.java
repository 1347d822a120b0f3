package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.SharedFramePool;

/** A process that carries packets by AF_XDP until it is killed, or says why it cannot. */
final class AfXdpHolder {
    private AfXdpHolder() {}

    public static void main(String[] arguments) throws Exception {
        try {
            AfXdpPortSet set = AfXdpPortSet.open(AfXdpRig.plan(), SharedFramePool.open(16384, 2048, false));
            set.engage();
            System.out.println("engaged");
            Thread.sleep(60_000);
        } catch (PortRefused refused) {
            System.out.println("refused " + refused.check() + " | " + refused.found());
        }
    }
}
