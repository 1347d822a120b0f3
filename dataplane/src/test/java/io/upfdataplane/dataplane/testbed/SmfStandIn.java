package io.upfdataplane.dataplane.testbed;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An SMF that writes its PFCP messages (TS 29.244) octet by octet, so that the codec under test does not judge itself.
 * Made inside its namespace; then any one thread.
 */
public final class SmfStandIn implements AutoCloseable {
    private static final int PFCP_PORT = 8805;
    private static final int ANSWER_TIMEOUT_MS = 5000;

    private final DatagramSocket socket;
    private final InetAddress address;
    private final InetSocketAddress upf;
    private int sequence;

    public SmfStandIn(String ownAddress, String upfAddress) throws IOException {
        address = InetAddress.getByName(ownAddress);
        socket = new DatagramSocket(PFCP_PORT, address);
        socket.setSoTimeout(ANSWER_TIMEOUT_MS);
        upf = new InetSocketAddress(upfAddress, PFCP_PORT);
    }

    /** Sets the association up; the cause. */
    public int associate() throws IOException {
        return cause(ask(5, -1, ie(60, nodeId()), ie(96, int32(0x7000_0000))));
    }

    /** Nanoseconds until a heartbeat was answered, or −1. */
    public long heartbeat() throws IOException {
        long before = System.nanoTime();
        try {
            ask(1, -1, ie(96, int32(0x7000_0000)));
            return System.nanoTime() - before;
        } catch (SocketTimeoutException e) {
            return -1;
        }
    }

    /**
     * A session with an explicit F-TEID, both ways forwarded; the cause.
     *
     * @param ue host order
     */
    public int establish(long seid, int teid, String upfN3, int ue, int gnbTeid, String gnb) throws IOException {
        byte[] n3 = InetAddress.getByName(upfN3).getAddress();
        byte[] uplink = join(
                ie(56, int16(1)),
                ie(29, int32(100)),
                ie(2, ie(20, int8(0)), ie(21, int8(1), int32(teid), n3), ie(93, int8(2), int32(ue))),
                ie(95, int8(0)),
                ie(108, int32(1)));
        byte[] downlink = join(
                ie(56, int16(2)),
                ie(29, int32(100)),
                ie(2, ie(20, int8(1)), ie(93, int8(6), int32(ue))),
                ie(108, int32(2)));
        byte[] tunnel =
                join(int16(0x0100), int32(gnbTeid), InetAddress.getByName(gnb).getAddress());
        return cause(ask(
                50,
                0,
                ie(60, nodeId()),
                ie(57, int8(2), int64(seid), address.getAddress()),
                ie(1, uplink),
                ie(1, downlink),
                ie(3, ie(108, int32(1)), ie(44, int8(2)), ie(4, ie(42, int8(1)))),
                ie(3, ie(108, int32(2)), ie(44, int8(2)), ie(4, ie(42, int8(0)), ie(84, tunnel)))));
    }

    private byte[] nodeId() {
        return join(int8(0), address.getAddress());
    }

    /** Sends a request and waits for the answer with its sequence number. */
    private byte[] ask(int type, long seid, byte[]... ies) throws IOException {
        byte[] body = join(ies);
        int header = seid < 0 ? 4 : 12;
        int asked = ++sequence;
        ByteBuffer message = ByteBuffer.allocate(4 + header + body.length);
        message.put((byte) (seid < 0 ? 0x20 : 0x21)).put((byte) type).putShort((short) (header + body.length));
        if (seid >= 0) {
            message.putLong(seid);
        }
        message.putInt(asked << 8).put(body);
        socket.send(new DatagramPacket(message.array(), message.capacity(), upf));
        byte[] buffer = new byte[65_535];
        while (true) {
            DatagramPacket received = new DatagramPacket(buffer, buffer.length);
            socket.receive(received);
            ByteBuffer answer = ByteBuffer.wrap(buffer, 0, received.getLength());
            int sequenceAt = (answer.get(0) & 1) == 0 ? 4 : 12;
            if (answer.get(1) == type + 1 && answer.getInt(sequenceAt) >>> 8 == asked) {
                return Arrays.copyOfRange(buffer, sequenceAt + 4, received.getLength());
            }
        }
    }

    /** The value of the Cause IE (19), or −1. */
    private static int cause(byte[] ies) {
        ByteBuffer at = ByteBuffer.wrap(ies);
        while (at.remaining() >= 4) {
            int type = at.getShort();
            int length = at.getShort() & 0xffff;
            if (type == 19) {
                return at.get();
            }
            at.position(at.position() + length);
        }
        return -1;
    }

    private static byte[] ie(int type, byte[]... value) {
        byte[] bytes = join(value);
        return join(int16(type), int16(bytes.length), bytes);
    }

    private static byte[] join(byte[]... parts) {
        ByteBuffer all =
                ByteBuffer.allocate(Arrays.stream(parts).mapToInt(p -> p.length).sum());
        Arrays.stream(parts).forEach(all::put);
        return all.array();
    }

    private static byte[] int8(int value) {
        return new byte[] {(byte) value};
    }

    private static byte[] int16(int value) {
        return ByteBuffer.allocate(2).putShort((short) value).array();
    }

    private static byte[] int32(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private static byte[] int64(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    @Override
    public void close() {
        socket.close();
    }
}
