package io.upfdataplane.dataplane.pfcp;

/** Bits of UP Function Features (TS 29.244 §8.2.25), the first octet lowest. */
public final class UpFunctionFeatures {
    /** F-TEIDs are chosen here. Without it Open5GS fails its sessions. */
    public static final int FTUP = 0x10;
    /** End Marker packets are sent here. */
    public static final int EMPU = 0x01 << 8;

    private UpFunctionFeatures() {}
}
