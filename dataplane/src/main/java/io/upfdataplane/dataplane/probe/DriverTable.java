package io.upfdataplane.dataplane.probe;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of drivers where the kernel cannot be asked: the netdev family came with 6.3. A driver that is not here
 * is not known, which is not «no».
 */
final class DriverTable {
    /**
     * @param maxMtu largest MTU under native XDP without fragments
     */
    record Xdp(
            @Nullable Boolean nativeXdp,
            @Nullable Boolean zeroCopy,
            @Nullable Integer maxMtu) {}

    private static final Xdp UNKNOWN = new Xdp(null, null, null);
    private static final Xdp NONE = new Xdp(false, false, null);

    private static final Map<String, Xdp> TABLE = Map.ofEntries(
            // One page less 256 bytes of headroom, 320 of skb_shared_info and the Ethernet header.
            Map.entry("veth", new Xdp(true, false, 3506)),
            Map.entry("virtio_net", new Xdp(true, null, 3506)),
            Map.entry("tun", new Xdp(true, false, null)),
            Map.entry("mlx5_core", new Xdp(true, true, 3498)),
            Map.entry("i40e", new Xdp(true, true, null)),
            Map.entry("ice", new Xdp(true, true, null)),
            Map.entry("ixgbe", new Xdp(true, true, null)),
            Map.entry("igb", new Xdp(true, null, null)),
            Map.entry("igc", new Xdp(true, true, null)),
            Map.entry("ena", new Xdp(true, null, null)),
            Map.entry("bnxt_en", new Xdp(true, false, null)),
            Map.entry("iavf", NONE),
            Map.entry("ixgbevf", new Xdp(true, false, null)),
            Map.entry("igbvf", NONE),
            Map.entry("e1000", NONE),
            Map.entry("e1000e", NONE),
            Map.entry("macvlan", NONE),
            Map.entry("ipvlan", NONE),
            Map.entry("bridge", NONE),
            Map.entry("dummy", NONE));

    private DriverTable() {}

    static Xdp of(@Nullable String driver) {
        return driver == null ? UNKNOWN : TABLE.getOrDefault(driver, UNKNOWN);
    }
}
