package io.upfdataplane.dataplane.session;

import io.upfdataplane.dataplane.pfcp.PfcpHeader;
import java.net.InetSocketAddress;

/**
 * A datagram while it is served.
 *
 * @param digest of its content, by which a repeat is known
 */
record Request(PfcpHeader header, byte[] datagram, InetSocketAddress from, long digest, long nowNs) {
    int type() {
        return header.type();
    }
}
