package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.SmfScript;
import java.util.function.UnaryOperator;

/** One flavour's messages against an agent over an {@link InMemoryUserPlane}. */
final class SmfLife extends SmfScript {
    final N4Bench bench;

    SmfLife(String flavour) {
        this(flavour, bytes -> bytes);
    }

    /**
     * @param change what is done to each message before it is sent
     */
    SmfLife(String flavour, UnaryOperator<byte[]> change) {
        this(flavour, change, new N4Bench());
    }

    private SmfLife(String flavour, UnaryOperator<byte[]> change, N4Bench bench) {
        super(flavour, change, bench::ask);
        this.bench = bench;
    }
}
