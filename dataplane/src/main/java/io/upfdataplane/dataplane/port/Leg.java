package io.upfdataplane.dataplane.port;

/** A reference point of the user plane that carries packets (TS 23.501 §4.2.7). */
public enum Leg {
    N3,
    N6
}
