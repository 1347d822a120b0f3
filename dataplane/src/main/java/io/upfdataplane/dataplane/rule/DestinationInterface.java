package io.upfdataplane.dataplane.rule;

/** Where a packet goes (TS 29.244 §8.2.24). {@code CORE} and {@code SGI_LAN_N6_LAN} both leave through N6. */
public enum DestinationInterface {
    ACCESS,
    CORE,
    SGI_LAN_N6_LAN,
    CP_FUNCTION
}
