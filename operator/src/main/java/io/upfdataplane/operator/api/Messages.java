package io.upfdataplane.operator.api;

/** What a refused field is told; the same words from the API server and from a host without one. */
public final class Messages {
    public static final String ONE_ATTACHMENT = "exactly one of hostDevice and podNetwork must be given";
    public static final String ADDRESS_FITS_ATTACHMENT =
            "addresses must hold an address with hostDevice; with podNetwork, addresses, gateway, routes and mtu are not given";
    public static final String IPV4_PREFIXES = "must be IPv4 addresses with a prefix length, such as 192.168.252.3/24";
    public static final String IPV4 = "must be an IPv4 address, such as 192.168.252.1";
    public static final String IPV4_NETWORK =
            "must be an IPv4 network without host bits, such as 172.250.0.0/16 (not 172.250.0.1/16)";
    public static final String GATEWAY_IN_PREFIX =
            "gateway must lie inside the prefix of addresses and differ from the address";
    public static final String VIA_IN_PREFIX = "via of each route must lie inside the prefix of addresses";
    public static final String POOLS_DO_NOT_OVERLAP = "uePools must not overlap, in one data network or across two";
    public static final String INSTANCES_DIFFER = "networkInstance must differ between data networks";
    public static final String ACTIVE_HAS_PEERS = "role Active and Both need at least one peer to call";
    public static final String TIMEOUT_WITHIN_INTERVAL = "timeout must not be longer than interval";
    public static final String POWER_OF_TWO = "must be a power of two";
    public static final String FRAME_SIZE = "must be 2048 or 4096";
    public static final String DEVICE_FREE_STAYS =
            "DeviceFree cannot be skipped: taking a device in use would cut its user off";

    private Messages() {}
}
