package io.upfdataplane.dataplane.apply;

/** Where a packet leaves: towards the access network (N3) or the data network (N6). */
public enum Side {
    ACCESS,
    CORE
}
