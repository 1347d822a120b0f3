package io.upfdataplane.dataplane.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A netlink socket (netlink(7)): questions with their answers, dumps, and messages of joined groups. It speaks the
 * framing only; what is inside is the caller's. One thread.
 */
public final class NetlinkSocket implements AutoCloseable {
    public static final int NETLINK_ROUTE = 0;
    public static final int NETLINK_GENERIC = 16;

    public static final int NLM_F_REQUEST = 1;
    public static final int NLM_F_ACK = 4;
    public static final int NLM_F_DUMP = 0x300;
    public static final int NLM_F_REPLACE = 0x100;
    public static final int NLM_F_CREATE = 0x400;

    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int HEADER_BYTES = 16;
    private static final int NLA_TYPE_MASK = 0x3fff;
    private static final int NLA_F_NESTED = 0x8000;
    // Large enough for what the kernel puts into one datagram of a dump (at most 32 KiB).
    private static final int BUFFER_BYTES = 1 << 16;
    // The kernel answers a request within the call that sends it; the wait is only for a lost answer.
    private static final int ANSWER_TIMEOUT_MS = 2000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 8);
    private final MemorySegment pollfd = arena.allocate(Libc.POLLFD_SIZE, 8);
    private final int fd;
    private int sequence;

    private NetlinkSocket(int fd) {
        this.fd = fd;
    }

    /**
     * @param groups bit mask of the multicast groups to join, 0 for none
     */
    public static NetlinkSocket open(int protocol, int groups) throws CallFailed {
        int fd = Errno.orThrow(
                Libc.socket(Libc.AF_NETLINK, Libc.SOCK_RAW | Libc.SOCK_CLOEXEC, protocol),
                "socket(netlink " + protocol + ")");
        NetlinkSocket socket = new NetlinkSocket(fd);
        try (Arena arena = Arena.ofConfined()) {
            // struct sockaddr_nl: u16 family; u16 pad; u32 port; u32 groups
            MemorySegment address = arena.allocate(12, 4);
            address.set(JAVA_INT, 0, Libc.AF_NETLINK);
            address.set(JAVA_INT, 8, groups);
            Errno.orThrow(Libc.bind(fd, address.address(), 12), "bind(netlink groups " + groups + ")");
            return socket;
        } catch (CallFailed e) {
            socket.close();
            throw e;
        }
    }

    public int descriptor() {
        return fd;
    }

    /** One message without its netlink header; the body is a copy in the machine's byte order. */
    public record Message(int type, ByteBuffer body) {}

    /** All messages of a dump. */
    public List<Message> dump(int type, byte[] body) throws CallFailed {
        return exchange(type, NLM_F_REQUEST | NLM_F_DUMP, body);
    }

    /** Asks for something to be done or answered; the answers, if there are any, come before the acknowledgement. */
    public List<Message> ask(int type, int flags, byte[] body) throws CallFailed {
        return exchange(type, NLM_F_REQUEST | NLM_F_ACK | flags, body);
    }

    private List<Message> exchange(int type, int flags, byte[] body) throws CallFailed {
        String call = "netlink request " + type;
        int asked = ++sequence;
        ByteBuffer request = ByteBuffer.allocate(HEADER_BYTES + body.length).order(ByteOrder.nativeOrder());
        request.putInt(HEADER_BYTES + body.length);
        request.putShort((short) type)
                .putShort((short) flags)
                .putInt(asked)
                .putInt(0)
                .put(body);
        MemorySegment.copy(request.array(), 0, buffer, JAVA_BYTE, 0, request.capacity());
        Errno.orThrow(Libc.sendto(fd, buffer.address(), request.capacity(), 0, 0, 0), call);
        List<Message> answers = new ArrayList<>();
        while (true) {
            if (!waitForInput(ANSWER_TIMEOUT_MS)) {
                throw new CallFailed(call, 110);
            }
            ByteBuffer datagram = receiveDatagram(call);
            while (datagram.remaining() >= HEADER_BYTES) {
                Framed framed = next(datagram);
                if (framed.sequence != asked) {
                    continue;
                }
                if (framed.type == NLMSG_DONE) {
                    return answers;
                }
                if (framed.type == NLMSG_ERROR) {
                    int error = framed.body.getInt(0);
                    if (error != 0) {
                        throw new CallFailed(call, -error);
                    }
                    return answers;
                }
                answers.add(new Message(framed.type, framed.body));
            }
        }
    }

    /**
     * Hands over what the joined groups have sent meanwhile, without waiting.
     *
     * @return false when messages were lost, so that the caller has to dump anew
     */
    public boolean drain(Consumer<Message> consumer) throws CallFailed {
        while (waitForInput(0)) {
            int length = Libc.recv(fd, buffer.address(), BUFFER_BYTES, Libc.MSG_DONTWAIT);
            if (length == -Errno.ENOBUFS) {
                return false;
            }
            if (length == -Errno.EAGAIN || length == -Errno.EINTR) {
                return true;
            }
            ByteBuffer datagram = copied(Errno.orThrow(length, "recv(netlink)"));
            while (datagram.remaining() >= HEADER_BYTES) {
                Framed framed = next(datagram);
                if (framed.type > NLMSG_DONE) {
                    consumer.accept(new Message(framed.type, framed.body));
                }
            }
        }
        return true;
    }

    /** True when something can be read within the time. */
    public boolean waitForInput(int timeoutMs) {
        pollfd.set(JAVA_INT, 0, fd);
        pollfd.set(JAVA_INT, 4, Libc.POLLIN);
        return Libc.poll(pollfd.address(), 1, timeoutMs) > 0;
    }

    private record Framed(int type, int sequence, ByteBuffer body) {}

    private static Framed next(ByteBuffer datagram) {
        int start = datagram.position();
        int length = datagram.getInt(start);
        int type = Short.toUnsignedInt(datagram.getShort(start + 4));
        int sequence = datagram.getInt(start + 8);
        if (length < HEADER_BYTES || length > datagram.remaining()) {
            datagram.position(datagram.limit());
            return new Framed(0, 0, ByteBuffer.allocate(0));
        }
        ByteBuffer body =
                datagram.slice(start + HEADER_BYTES, length - HEADER_BYTES).order(ByteOrder.nativeOrder());
        datagram.position(Math.min(start + aligned(length), datagram.limit()));
        return new Framed(type, sequence, body);
    }

    private ByteBuffer receiveDatagram(String call) throws CallFailed {
        return copied(Errno.orThrow(Libc.recv(fd, buffer.address(), BUFFER_BYTES, 0), call));
    }

    private ByteBuffer copied(int length) {
        byte[] bytes = buffer.asSlice(0, length).toArray(JAVA_BYTE);
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    /** The attributes that follow {@code skip} bytes of a body, by type; of a type that repeats, the last. */
    public static Map<Integer, ByteBuffer> attributes(ByteBuffer body, int skip) {
        Map<Integer, ByteBuffer> attributes = new HashMap<>();
        int at = skip;
        while (at + 4 <= body.limit()) {
            int length = Short.toUnsignedInt(body.getShort(at));
            int type = Short.toUnsignedInt(body.getShort(at + 2)) & NLA_TYPE_MASK;
            if (length < 4 || at + length > body.limit()) {
                break;
            }
            attributes.put(type, body.slice(at + 4, length - 4).order(ByteOrder.nativeOrder()));
            at += aligned(length);
        }
        return attributes;
    }

    /** The text of an attribute, without its closing zero. */
    public static String text(ByteBuffer attribute) {
        byte[] bytes = new byte[attribute.limit()];
        attribute.get(0, bytes);
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        return new String(bytes, 0, length, java.nio.charset.StandardCharsets.UTF_8);
    }

    private static int aligned(int length) {
        return (length + 3) & ~3;
    }

    /** Writes the body of a request: a fixed part, then attributes. */
    public static final class Body {
        private final ByteBuffer bytes = ByteBuffer.allocate(512).order(ByteOrder.nativeOrder());

        public Body int8(int value) {
            bytes.put((byte) value);
            return this;
        }

        public Body int16(int value) {
            bytes.putShort((short) value);
            return this;
        }

        public Body int32(int value) {
            bytes.putInt(value);
            return this;
        }

        public Body attribute(int type, byte[] value) {
            bytes.putShort((short) (4 + value.length)).putShort((short) type).put(value);
            while (bytes.position() % 4 != 0) {
                bytes.put((byte) 0);
            }
            return this;
        }

        public Body attribute(int type, int value) {
            return attribute(
                    type,
                    ByteBuffer.allocate(4)
                            .order(ByteOrder.nativeOrder())
                            .putInt(value)
                            .array());
        }

        public Body nested(int type, Body inner) {
            return attribute(type | NLA_F_NESTED, inner.toBytes());
        }

        public byte[] toBytes() {
            byte[] copy = new byte[bytes.position()];
            bytes.get(0, copy);
            return copy;
        }
    }

    @Override
    public void close() {
        Libc.close(fd);
        arena.close();
    }
}
