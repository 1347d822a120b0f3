package io.upfdataplane.operator.api;

/** How packets are moved: the one-field switch. The names are spelt as every user of the field spells them. */
public enum Mode {
    AF_PACKET,
    AF_XDP,
    CNDP,
    DPDK,
    /** The best of the others that passes preflight where the dataplane is first placed; what runs is never {@code Auto}. */
    Auto
}
