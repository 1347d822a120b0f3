package io.upfdataplane.dataplane.session;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The N4 socket and the loop of the control thread around it: bound first, then run with an agent. {@link #run} is that
 * thread's; {@link #close} may come from any.
 */
public final class N4Socket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(N4Socket.class);
    private static final int LARGEST_DATAGRAM = 65_535;
    private static final int RECEIVE_BUFFER_BYTES = 4 << 20;
    private static final int DATAGRAMS_BETWEEN_TICKS = 64;
    private static final int TICK_MS = 10;
    private static final int LOG_LINES_PER_SECOND = 5;
    private final DatagramChannel channel;
    private final Selector selector;
    /** Whom an answer cannot reach, such as source port 0, is the sender's choice: it must not fill our log. */
    private final LogLimiter logLimiter = new LogLimiter(LOG_LINES_PER_SECOND);

    private volatile boolean isStopped;
    private long unsent;

    private N4Socket(DatagramChannel channel, Selector selector) {
        this.channel = channel;
        this.selector = selector;
    }

    /**
     * @throws IOException naming the address, when it cannot be bound
     */
    public static N4Socket bind(InetSocketAddress address) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            // A burst of an SMF that restores all its sessions waits here rather than being lost.
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES);
            channel.bind(address);
            channel.configureBlocking(false);
            Selector selector = Selector.open();
            channel.register(selector, SelectionKey.OP_READ);
            return new N4Socket(channel, selector);
        } catch (IOException e) {
            channel.close();
            throw new IOException("bind(" + address + "): " + e.getMessage(), e);
        }
    }

    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) Objects.requireNonNull(channel.getLocalAddress());
    }

    /** Sends what the agent says. A datagram the kernel does not take is lost, as on any network; its peer asks again. */
    public N4Transmitter transmitter() {
        return (to, datagram) -> {
            try {
                if (channel.send(ByteBuffer.wrap(datagram), to) == 0) {
                    unsent++;
                }
            } catch (IOException e) {
                unsent++;
                if (logLimiter.admits(System.nanoTime())) {
                    LOG.warn("N4 sendto({}): {}, {} not sent so far", to, e.getMessage(), unsent);
                }
            }
        };
    }

    /** Serves until {@link #close}. */
    public void run(N4Agent agent) throws IOException {
        run(agent, () -> {});
    }

    /**
     * Serves until {@link #close}.
     *
     * @param besides what else the control thread has to do; called every 10 ms or more often
     */
    public void run(N4Agent agent, Runnable besides) throws IOException {
        byte[] datagram = new byte[LARGEST_DATAGRAM];
        ByteBuffer buffer = ByteBuffer.wrap(datagram);
        while (!isStopped) {
            if (agent.isBusy()) {
                selector.selectNow();
            } else {
                selector.select(TICK_MS);
            }
            selector.selectedKeys().clear();
            if (isStopped) {
                break;
            }
            for (int i = 0; i < DATAGRAMS_BETWEEN_TICKS; i++) {
                SocketAddress from = channel.receive(buffer.clear());
                if (from == null) {
                    break;
                }
                serve(agent, datagram, buffer.position(), (InetSocketAddress) from);
            }
            tick(agent);
            besides.run();
        }
        selector.close();
        channel.close();
    }

    /** A fault of ours in one message must not end N4 for everyone: it is counted, shown and logged with its trace. */
    private static void serve(N4Agent agent, byte[] datagram, int length, InetSocketAddress from) {
        try {
            agent.handle(datagram, length, from, System.nanoTime());
        } catch (RuntimeException e) {
            agent.failed();
            LOG.error("N4 datagram of {} bytes from {} could not be handled", length, from, e);
        }
    }

    private static void tick(N4Agent agent) {
        try {
            agent.tick(System.nanoTime());
        } catch (RuntimeException e) {
            agent.failed();
            LOG.error("N4 timers could not be served", e);
        }
    }

    /** Datagrams that the kernel did not take. Control thread. */
    public long unsent() {
        return unsent;
    }

    @Override
    public void close() {
        isStopped = true;
        selector.wakeup();
    }
}
