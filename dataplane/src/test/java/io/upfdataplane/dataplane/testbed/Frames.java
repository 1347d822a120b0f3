package io.upfdataplane.dataplane.testbed;

import java.nio.ByteBuffer;

/** Ethernet frames for tests, built independently of the code under test. Addresses are in host order. */
public final class Frames {
    public static final int GTPU_PORT = 2152;

    private Frames() {}

    /** {@code 10.60.0.1} as an int. */
    public static int ipv4(String dotted) {
        int address = 0;
        for (String octet : dotted.split("\\.", -1)) {
            address = address << 8 | Integer.parseInt(octet);
        }
        return address;
    }

    public static byte[] ethernet(byte[] destination, byte[] source, byte[] ipPacket) {
        return ByteBuffer.allocate(14 + ipPacket.length)
                .put(destination)
                .put(source)
                .putShort((short) 0x0800)
                .put(ipPacket)
                .array();
    }

    /** An IPv4 packet with UDP and right checksums. */
    public static byte[] udp(int source, int destination, int sourcePort, int destinationPort, byte[] payload) {
        int length = 8 + payload.length;
        ByteBuffer udp = ByteBuffer.allocate(length)
                .putShort((short) sourcePort)
                .putShort((short) destinationPort)
                .putShort((short) length)
                .putShort((short) 0)
                .put(payload);
        long sum = (source >>> 16) + (source & 0xffff) + (destination >>> 16) + (destination & 0xffff) + 17L + length;
        int checksum = checksum(udp.array(), 0, length, sum);
        udp.putShort(6, (short) (checksum == 0 ? 0xffff : checksum));
        return ipv4(source, destination, 17, udp.array());
    }

    public static byte[] ipv4(int source, int destination, int protocol, byte[] payload) {
        ByteBuffer ip = ByteBuffer.allocate(20 + payload.length)
                .put((byte) 0x45)
                .put((byte) 0)
                .putShort((short) (20 + payload.length))
                .putInt(0x4000) // identification 0, don't fragment
                .put((byte) 64)
                .put((byte) protocol)
                .putShort((short) 0)
                .putInt(source)
                .putInt(destination)
                .put(payload);
        ip.putShort(10, (short) checksum(ip.array(), 0, 20, 0));
        return ip.array();
    }

    /** A G-PDU (TS 29.281 §5.1) with a PDU Session Container that carries {@code qfi}, or without when it is negative. */
    public static byte[] gpdu(int teid, int qfi, byte[] inner) {
        int optional = qfi < 0 ? 0 : 8;
        ByteBuffer gtpu = ByteBuffer.allocate(8 + optional + inner.length)
                .put((byte) (qfi < 0 ? 0x30 : 0x34))
                .put((byte) 255)
                .putShort((short) (optional + inner.length))
                .putInt(teid);
        if (qfi >= 0) {
            // Sequence number, N-PDU, next extension; container of 4 octets: UL PDU SESSION INFORMATION (TS 38.415)
            gtpu.putShort((short) 0).put((byte) 0).put((byte) 0x85);
            gtpu.put((byte) 1).put((byte) 0x10).put((byte) qfi).put((byte) 0);
        }
        return gtpu.put(inner).array();
    }

    /** A sequence number, padded to {@code length} bytes. */
    public static byte[] sequence(int number, int length) {
        return ByteBuffer.allocate(length).putInt(number).array();
    }

    /** The Internet checksum of bytes, with what is already summed. */
    public static int checksum(byte[] bytes, int from, int length, long sum) {
        long total = sum;
        for (int i = 0; i < length; i++) {
            int octet = bytes[from + i] & 0xff;
            total += i % 2 == 0 ? octet << 8 : octet;
        }
        while (total >>> 16 != 0) {
            total = (total & 0xffff) + (total >>> 16);
        }
        return (int) (~total & 0xffff);
    }

    /** True when the TCP or UDP checksum, and the header's, of an IPv4 packet in a frame are right. */
    public static boolean hasRightChecksums(byte[] frame) {
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        int header = (frame[14] & 0xf) * 4;
        int total = bytes.getShort(16) & 0xffff;
        int protocol = frame[23] & 0xff;
        int transport = total - header;
        long pseudo = protocol + transport;
        for (int at = 26; at < 34; at += 2) {
            pseudo += bytes.getShort(at) & 0xffff;
        }
        return checksum(frame, 14, header, 0) == 0 && checksum(frame, 14 + header, transport, pseudo) == 0;
    }
}
