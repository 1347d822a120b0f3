package io.upfdataplane.dataplane.port;

import java.util.List;
import java.util.Map;

/**
 * What a {@link PortSet} is opened for.
 *
 * @param devices one for each leg; both legs may name the same device
 * @param uePools IPv4 prefixes whose packets on N6 are ours
 * @param zeroCopy Prefer, Require or Never
 * @param ringSizes entries, powers of two
 */
public record PortPlan(
        Map<Leg, Device> devices,
        int workers,
        List<Prefix> uePools,
        ZeroCopy zeroCopy,
        RingSizes ringSizes,
        boolean busyPoll) {

    public PortPlan {
        devices = Map.copyOf(devices);
        uePools = List.copyOf(uePools);
    }

    /**
     * @param ipv4 the leg's own address in host order: on N3, where GTP-U is received
     */
    public record Device(String name, int ipv4) {}

    /** An IPv4 prefix in host order. */
    public record Prefix(int address, int length) {}

    public record RingSizes(int rx, int tx, int fill, int completion) {}

    public enum ZeroCopy {
        PREFER,
        REQUIRE,
        NEVER
    }
}
