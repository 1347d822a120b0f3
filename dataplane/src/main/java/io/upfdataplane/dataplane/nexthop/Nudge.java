package io.upfdataplane.dataplane.nexthop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the kernel resolve a hop without NET_ADMIN: an empty datagram to the hop's discard port (RFC 863), from the
 * leg's own address, so that it leaves by that leg. Control thread.
 */
final class Nudge implements AutoCloseable {
    private static final int DISCARD = 9;
    private static final Logger LOG = LoggerFactory.getLogger(Nudge.class);

    private final Map<Integer, DatagramChannel> channels = new HashMap<>();

    void send(int from, int to) {
        try {
            DatagramChannel channel = channels.get(from);
            if (channel == null) {
                channel = DatagramChannel.open();
                channels.put(from, channel);
                channel.configureBlocking(false);
                channel.bind(new InetSocketAddress(address(from), 0));
            }
            channel.send(ByteBuffer.allocate(0), new InetSocketAddress(address(to), DISCARD));
        } catch (IOException e) {
            LOG.debug("no datagram to {}: {}", NextHops.text(to), e.getMessage());
        }
    }

    private static InetAddress address(int ipv4) throws IOException {
        return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(ipv4).array());
    }

    @Override
    public void close() {
        for (DatagramChannel channel : channels.values()) {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("a socket did not close: {}", e.getMessage());
            }
        }
        channels.clear();
    }
}
