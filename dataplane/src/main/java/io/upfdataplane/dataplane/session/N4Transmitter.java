package io.upfdataplane.dataplane.session;

import java.net.InetSocketAddress;

/** Where the agent's datagrams go: the N4 socket, or a list in a test. Never waits. Control thread. */
public interface N4Transmitter {
    void send(InetSocketAddress to, byte[] datagram);
}
