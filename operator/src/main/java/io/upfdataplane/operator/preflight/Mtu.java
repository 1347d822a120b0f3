package io.upfdataplane.operator.preflight;

import io.upfdataplane.operator.api.UpfNodeReportSpec;
import io.upfdataplane.operator.model.NodeFacts;
import io.upfdataplane.operator.model.UpfModel;
import java.util.Optional;

/** What MTUs have to do with frames and headers. */
public final class Mtu {
    /** Outer IPv4 20, UDP 8, GTP-U 8 + 4, PDU Session Container 4 (TS 29.281 §5.1, TS 38.415 §5.5.2). */
    public static final int GTPU_OVERHEAD = 44;
    /** The larger of the two frame sizes that a pool can have. */
    public static final int LARGEST_FRAME = 4096;
    /** What a device is taken to have when the spec gives no MTU. */
    static final int ETHERNET = 1500;
    /** The least MTU of IPv6, which UEs take for granted. */
    static final int SMALLEST = 1280;
    /** Room before the packet that AF_XDP keeps (XDP_PACKET_HEADROOM), and Ethernet with one VLAN tag. */
    private static final int HEADROOM = 256 + 14 + 4;

    private Mtu() {}

    /** The MTU that the leg will have: the one asked for, else the device's own. */
    public static Optional<Integer> of(UpfModel.Leg leg, NodeFacts facts) {
        return Optional.ofNullable(leg.mtu())
                .or(() -> facts.device(leg.device()).map(UpfNodeReportSpec.Device::mtu));
    }

    /**
     * The MTU that UEs are served for: the one asked for, else the device's own, but no more than Ethernet's, so that a
     * device whose MTU somebody raises changes nothing that runs.
     */
    public static int planned(UpfModel.Leg leg, NodeFacts facts) {
        Integer given = leg.mtu();
        return given != null ? given : Math.min(ETHERNET, of(leg, facts).orElse(ETHERNET));
    }

    /** The largest MTU whose packets fit a frame of that size. */
    public static int fits(int frameSize) {
        return frameSize - HEADROOM;
    }
}
