package io.upfdataplane.dataplane.rule;

/** Where a packet comes from (TS 29.244 §8.2.2). */
public enum SourceInterface {
    ACCESS,
    CORE,
    SGI_LAN_N6_LAN,
    CP_FUNCTION
}
