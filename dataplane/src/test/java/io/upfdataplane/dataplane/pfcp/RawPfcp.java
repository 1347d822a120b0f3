package io.upfdataplane.dataplane.pfcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** PFCP bytes made and read by hand, so that tests do not lean on the codec they test. */
public final class RawPfcp {
    private RawPfcp() {}

    public static byte[] ie(int type, byte[]... parts) {
        byte[] value = join(parts);
        return join(u16(type), u16(value.length), value);
    }

    public static byte[] nodeMessage(int type, int sequence, byte[]... ies) {
        return message(type, -1, sequence, ies);
    }

    public static byte[] message(int type, long seid, int sequence, byte[]... ies) {
        byte[] body = join(ies);
        boolean hasSeid = type >= 50;
        byte[] head = hasSeid ? join(u8(0x21), u8(type)) : join(u8(0x20), u8(type));
        byte[] rest = hasSeid ? join(u64(seid), u32(sequence << 8), body) : join(u32(sequence << 8), body);
        return join(head, u16(rest.length), rest);
    }

    public static byte[] u8(int value) {
        return new byte[] {(byte) value};
    }

    public static byte[] u16(int value) {
        return ByteBuffer.allocate(2).putShort((short) value).array();
    }

    public static byte[] u32(long value) {
        return ByteBuffer.allocate(4).putInt((int) value).array();
    }

    public static byte[] u40(long value) {
        return join(u8((int) (value >>> 32)), u32(value));
    }

    public static byte[] u64(long value) {
        return ByteBuffer.allocate(8).putLong(value).array();
    }

    public static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** A message or group, read. */
    public record Read(int type, long seid, int sequence, List<Ie> ies) {
        public byte[] only(int ieType) {
            List<Ie> found = all(ieType);
            if (found.size() != 1) {
                throw new AssertionError(found.size() + " IEs of type " + ieType + " in " + this);
            }
            return found.getFirst().value();
        }

        public List<Ie> all(int ieType) {
            return ies.stream().filter(ie -> ie.type() == ieType).toList();
        }

        public boolean has(int ieType) {
            return !all(ieType).isEmpty();
        }

        public int cause() {
            return only(19)[0] & 0xff;
        }

        /** 0 for none. */
        public int offendingIe() {
            return has(40) ? ByteBuffer.wrap(only(40)).getShort() & 0xffff : 0;
        }
    }

    public record Ie(int type, byte[] value) {
        public List<Ie> group() {
            return ies(value, 0, value.length);
        }

        @Override
        public String toString() {
            return type + "="
                    + IntStream.range(0, value.length)
                            .mapToObj(i -> String.format("%02x", value[i]))
                            .reduce("", String::concat);
        }
    }

    public static Read read(byte[] datagram) {
        ByteBuffer in = ByteBuffer.wrap(datagram);
        int flags = in.get();
        if (flags >> 5 != 1) {
            throw new AssertionError("version " + (flags >> 5));
        }
        int type = in.get() & 0xff;
        int length = in.getShort() & 0xffff;
        if (length != datagram.length - 4) {
            throw new AssertionError("length " + length + " in a datagram of " + datagram.length);
        }
        long seid = (flags & 1) != 0 ? in.getLong() : -1;
        int sequence = in.getInt() >>> 8;
        return new Read(type, seid, sequence, ies(datagram, in.position(), datagram.length));
    }

    private static final Set<Integer> GROUPS = Set.of(1, 2, 3, 4, 6, 7, 9, 10, 11, 13, 14, 15, 16, 18);

    /** A message with some of its IEs changed, at any depth; an IE whose change is null is left out. */
    public static byte[] rewrite(byte[] datagram, BiFunction<Integer, byte[], byte[]> change) {
        int start = (datagram[0] & 1) != 0 ? 16 : 8;
        byte[] body = rewriteIes(datagram, start, datagram.length, change);
        byte[] head = Arrays.copyOf(datagram, start);
        ByteBuffer.wrap(head).putShort(2, (short) (start - 4 + body.length));
        return join(head, body);
    }

    public static byte[] without(byte[] datagram, Integer... types) {
        return rewrite(datagram, (type, value) -> List.of(types).contains(type) ? null : value);
    }

    private static byte[] rewriteIes(byte[] bytes, int start, int end, BiFunction<Integer, byte[], byte[]> change) {
        byte[] out = new byte[0];
        for (Ie ie : ies(bytes, start, end)) {
            byte[] value = change.apply(ie.type(), ie.value());
            if (value == null) {
                continue;
            }
            if (GROUPS.contains(ie.type()) && value == ie.value()) {
                value = rewriteIes(value, 0, value.length, change);
            }
            out = join(out, ie(ie.type(), value));
        }
        return out;
    }

    private static List<Ie> ies(byte[] bytes, int start, int end) {
        List<Ie> ies = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(bytes, start, end - start);
        while (in.hasRemaining()) {
            int type = in.getShort() & 0xffff;
            byte[] value = new byte[in.getShort() & 0xffff];
            in.get(value);
            ies.add(new Ie(type, value));
        }
        return ies;
    }
}
