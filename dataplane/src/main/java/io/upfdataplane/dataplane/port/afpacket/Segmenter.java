package io.upfdataplane.dataplane.port.afpacket;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.wire.Checksum;
import io.upfdataplane.dataplane.wire.Ipv4View;
import java.lang.foreign.MemorySegment;

/**
 * Cuts a frame that the sender left to its device to segment (TCP, or UDP with equal datagrams, over IPv4) into frames
 * of the size the sender asked for, with right lengths, sequence numbers and checksums. One worker's; it owns no memory.
 */
final class Segmenter {
    private static final int ETHERNET_BYTES = 14;
    private static final int UDP_BYTES = 8;

    // virtio_net_hdr.gso_type
    private static final int GSO_TCPV4 = 1;
    private static final int GSO_UDP_L4 = 5;
    private static final int GSO_ECN = 0x80;

    // IPv4 (RFC 791 §3.1), TCP (RFC 9293 §3.1), UDP (RFC 768)
    private static final int IP_LENGTH = 2;
    private static final int IP_IDENTIFICATION = 4;
    private static final int IP_PROTOCOL = 9;
    private static final int TCP_SEQUENCE = 4;
    private static final int TCP_DATA_OFFSET = 12;
    private static final int TCP_FLAGS = 13;
    private static final int TCP_CHECKSUM = 16;
    private static final int TCP_FIN_PSH = 0x09;
    private static final int TCP_CWR = 0x80;
    private static final int UDP_LENGTH = 4;
    private static final int UDP_CHECKSUM = 6;

    private long frame;
    private int ipHeaderBytes;
    private int headerBytes;
    private int segmentBytes;
    private int payloadBytes;
    private int done;
    private int index;
    private boolean isTcp;

    /**
     * Begins with a frame, which stays where it is until {@link #hasMore} is false.
     *
     * @param segmentPayloadBytes payload of each segment but the last
     * @return false when this is nothing that can be segmented into frames of {@code room} bytes
     */
    boolean start(long address, int lengthBytes, int gsoType, int segmentPayloadBytes, int room) {
        done = 0;
        payloadBytes = 0;
        int kind = gsoType & ~GSO_ECN;
        if ((kind != GSO_TCPV4 && kind != GSO_UDP_L4) || lengthBytes < ETHERNET_BYTES + Ipv4View.MINIMUM_LENGTH) {
            return false;
        }
        isTcp = kind == GSO_TCPV4;
        frame = address;
        long ip = address + ETHERNET_BYTES;
        int protocol = octet(ip + IP_PROTOCOL);
        ipHeaderBytes = (octet(ip) & 0xf) << 2;
        long transport = ip + ipHeaderBytes;
        int transportBytes = isTcp ? octet(transport + TCP_DATA_OFFSET) >>> 4 << 2 : UDP_BYTES;
        headerBytes = ETHERNET_BYTES + ipHeaderBytes + transportBytes;
        segmentBytes = segmentPayloadBytes;
        index = 0;
        if (octet(ip) >>> 4 != 4
                || protocol != (isTcp ? Ipv4View.TCP : Ipv4View.UDP)
                || ipHeaderBytes < Ipv4View.MINIMUM_LENGTH
                || transportBytes < UDP_BYTES
                || segmentPayloadBytes == 0
                || headerBytes + segmentPayloadBytes > room
                || lengthBytes <= headerBytes) {
            return false;
        }
        payloadBytes = lengthBytes - headerBytes;
        return true;
    }

    boolean hasMore() {
        return done < payloadBytes;
    }

    /** Gives up the rest and says how many segments that were. */
    int abandon() {
        int left = (payloadBytes - done + segmentBytes - 1) / segmentBytes;
        done = payloadBytes;
        return left;
    }

    /** Writes the next segment to {@code target} and returns its length. Only when there is more. */
    int next(long target) {
        int payload = Math.min(segmentBytes, payloadBytes - done);
        boolean isLast = done + payload == payloadBytes;
        copy(frame, target, headerBytes);
        copy(frame + headerBytes + done, target + headerBytes, payload);
        long ip = target + ETHERNET_BYTES;
        long transport = ip + ipHeaderBytes;
        int transportLength = headerBytes - ETHERNET_BYTES - ipHeaderBytes + payload;
        putHalf(ip + IP_LENGTH, ipHeaderBytes + transportLength);
        putHalf(ip + IP_IDENTIFICATION, half(ip + IP_IDENTIFICATION) + index);
        Checksum.writeIpv4Header(ip, ipHeaderBytes);
        if (isTcp) {
            tcp(transport, isLast);
            putHalf(transport + TCP_CHECKSUM, Checksum.ofSegment(ip, Ipv4View.TCP, transport, transportLength));
        } else {
            putHalf(transport + UDP_LENGTH, transportLength);
            putHalf(transport + UDP_CHECKSUM, Checksum.ofSegment(ip, Ipv4View.UDP, transport, transportLength));
        }
        done += payload;
        index++;
        return headerBytes + payload;
    }

    private void tcp(long header, boolean isLast) {
        int sequence = Native.MEMORY.get(Native.BE_INT, header + TCP_SEQUENCE);
        Native.MEMORY.set(Native.BE_INT, header + TCP_SEQUENCE, sequence + done);
        int flags = octet(header + TCP_FLAGS);
        if (!isLast) {
            flags &= ~TCP_FIN_PSH;
        }
        if (index > 0) {
            flags &= ~TCP_CWR; // RFC 3168 §6.1.2: once
        }
        Native.MEMORY.set(Native.BYTE, header + TCP_FLAGS, (byte) flags);
    }

    private static void copy(long from, long to, int lengthBytes) {
        MemorySegment.copy(Native.MEMORY, from, Native.MEMORY, to, lengthBytes);
    }

    private static int octet(long address) {
        return Native.MEMORY.get(Native.BYTE, address) & 0xff;
    }

    private static int half(long address) {
        return Native.MEMORY.get(Native.BE_SHORT, address) & 0xffff;
    }

    private static void putHalf(long address, int value) {
        Native.MEMORY.set(Native.BE_SHORT, address, (short) value);
    }
}
