package io.upfdataplane.dataplane.apply;

/** The books a packet is kept in: by where it came from, N3 or N6. */
public enum Direction {
    UPLINK,
    DOWNLINK
}
