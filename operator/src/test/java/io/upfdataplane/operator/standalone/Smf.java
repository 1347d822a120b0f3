package io.upfdataplane.operator.standalone;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** As much of an SMF (TS 29.244) as sets up an association and one session, written octet by octet. One thread. */
final class Smf implements AutoCloseable {
    private static final int PORT = 8805;
    private static final int CAUSE = 19;
    private static final int ACCEPTED = 1;

    private final DatagramSocket socket;
    private final byte[] own;
    private final InetSocketAddress upf;
    private int sequence;

    /** Its socket lies in that network namespace. */
    Smf(String netns, String address, String upfAddress) throws Exception {
        own = InetAddress.getByName(address).getAddress();
        upf = new InetSocketAddress(upfAddress, PORT);
        socket = inside(netns, () -> new DatagramSocket(PORT, InetAddress.getByAddress(own)));
        socket.setSoTimeout(10_000);
    }

    /** What is made on a thread of its own that has moved into the network namespace. */
    static <T> T inside(String netns, Callable<T> making) throws Exception {
        FutureTask<T> task = new FutureTask<>(() -> {
            NetworkNamespace.enter(netns);
            return making.call();
        });
        Thread thread = new Thread(task, "in-" + netns);
        thread.start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("inside " + netns, e.getCause());
        }
    }

    void associate() throws IOException {
        accepted("association", ask(5, -1, ie(60, nodeId()), ie(96, int32(0x7000_0000))));
    }

    /** One session, forwarded both ways: a UE at that address behind a gNB at our own. */
    void establish(String ueAddress, String upfN3) throws IOException {
        byte[] ue = InetAddress.getByName(ueAddress).getAddress();
        byte[] n3 = InetAddress.getByName(upfN3).getAddress();
        byte[] uplink = join(
                ie(56, int16(1)),
                ie(29, int32(100)),
                ie(2, ie(20, int8(0)), ie(21, int8(1), int32(0x100), n3), ie(93, int8(2), ue)),
                ie(95, int8(0)),
                ie(108, int32(1)));
        byte[] downlink = join(
                ie(56, int16(2)), ie(29, int32(100)), ie(2, ie(20, int8(1)), ie(93, int8(6), ue)), ie(108, int32(2)));
        byte[] tunnel = join(int16(0x0100), int32(0x200), own);
        accepted(
                "establishment",
                ask(
                        50,
                        0,
                        ie(60, nodeId()),
                        ie(57, int8(2), int32(0), int32(1), own),
                        ie(1, uplink),
                        ie(1, downlink),
                        ie(3, ie(108, int32(1)), ie(44, int8(2)), ie(4, ie(42, int8(1)))),
                        ie(3, ie(108, int32(2)), ie(44, int8(2)), ie(4, ie(42, int8(0)), ie(84, tunnel)))));
    }

    private byte[] nodeId() {
        return join(int8(0), own);
    }

    private ByteBuffer ask(int type, long seid, byte[]... ies) throws IOException {
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
        byte[] buffer = new byte[4096];
        while (true) {
            DatagramPacket received = new DatagramPacket(buffer, buffer.length);
            socket.receive(received);
            int sequenceAt = (buffer[0] & 1) == 0 ? 4 : 12;
            ByteBuffer answer = ByteBuffer.wrap(buffer, 0, received.getLength());
            if (answer.get(1) == type + 1 && answer.getInt(sequenceAt) >>> 8 == asked) {
                return answer.position(sequenceAt + 4);
            }
        }
    }

    private static void accepted(String what, ByteBuffer ies) {
        while (ies.remaining() >= 4) {
            int type = ies.getShort();
            int length = ies.getShort() & 0xffff;
            if (type == CAUSE) {
                int cause = ies.get();
                if (cause != ACCEPTED) {
                    throw new AssertionError(what + " was answered with cause " + cause);
                }
                return;
            }
            ies.position(ies.position() + length);
        }
        throw new AssertionError("the answer to the " + what + " has no cause");
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

    @Override
    public void close() {
        socket.close();
    }
}
