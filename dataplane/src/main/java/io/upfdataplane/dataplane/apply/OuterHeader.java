package io.upfdataplane.dataplane.apply;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.wire.Checksum;
import io.upfdataplane.dataplane.wire.EthernetView;

/**
 * Headers written before an inner packet, in place and from wide words built in registers. Workers.
 *
 * <pre>
 *  0 Ethernet 14 | 14 IPv4 20 | 34 UDP 8 | 42 GTP-U 8
 *    with a QFI: | 50 sequence, N-PDU number, next type 4 | 54 PDU Session Container 4
 * </pre>
 *
 * The outer IPv4 packet may be fragmented on its way (DF clear), so it carries a running identification.
 */
final class OuterHeader {
    /** IPv4, UDP, GTP-U. */
    static final int TUNNEL_LENGTH = 36;

    /** The same with a PDU Session Container. */
    static final int TUNNEL_WITH_CONTAINER_LENGTH = 44;

    private static final int UDP_AND_GTPU_LENGTH = 16;
    private static final long IPV4_TYPE_AND_FIRST_OCTETS = 0x0800_4500L;
    private static final long TTL_64_UDP = 64 << 8 | 17;
    private static final long PORT = 2152;
    private static final long G_PDU = 0x30ff;
    private static final long G_PDU_WITH_EXTENSION = 0x34ff;

    /** Sequence 0, N-PDU number 0, next extension header PDU Session Container, length 1, PDU type downlink. */
    private static final long CONTAINER_TYPE_LENGTH_DOWNLINK = 0x85_01_00L;

    private OuterHeader() {}

    /** Writes an Ethernet header of IPv4 before the packet at {@code ip}; returns the frame's start. */
    static long writeEthernet(long ip, long nextHop, long sourceMac) {
        long frame = ip - EthernetView.LENGTH & Native.MASK;
        Native.MEMORY.set(Native.BE_LONG, frame, nextHop & ~0xffffL | sourceMac >>> 32);
        Native.MEMORY.set(Native.BE_INT, frame + 8, (int) sourceMac);
        Native.MEMORY.set(Native.SHORT, frame + 12, (short) 0x0008);
        return frame;
    }

    /**
     * Writes Ethernet, IPv4, UDP and GTP-U before the packet at {@code inner}; returns the frame's start.
     *
     * @param nextHop word of the {@link NextHopTable}
     * @param qfi for a PDU Session Container, −1 for none
     */
    static long writeTunnel(
            long inner, int innerLength, long nextHop, Link link, int peer, int teid, int qfi, int identification) {
        boolean container = qfi >= 0;
        int tunnelLength = container ? TUNNEL_WITH_CONTAINER_LENGTH : TUNNEL_LENGTH;
        long frame = inner - EthernetView.LENGTH - tunnelLength & Native.MASK;
        long total = innerLength + tunnelLength;
        long id = identification & 0xffff;
        long source = Integer.toUnsignedLong(link.ipv4());
        long destination = Integer.toUnsignedLong(peer);
        long sourceMac = link.mac();
        long checksum =
                ~Checksum.fold(link.outerHeaderSum() + total + id + (destination >>> 16) + (destination & 0xffff))
                        & 0xffff;
        long gtpuLength = total - 20 - UDP_AND_GTPU_LENGTH;
        long unsignedTeid = Integer.toUnsignedLong(teid);
        Native.MEMORY.set(Native.BE_LONG, frame, nextHop & ~0xffffL | sourceMac >>> 32);
        Native.MEMORY.set(Native.BE_LONG, frame + 8, sourceMac << 32 | IPV4_TYPE_AND_FIRST_OCTETS);
        Native.MEMORY.set(Native.BE_LONG, frame + 16, total << 48 | id << 32 | TTL_64_UDP);
        Native.MEMORY.set(Native.BE_LONG, frame + 24, checksum << 48 | source << 16 | destination >>> 16);
        Native.MEMORY.set(Native.BE_LONG, frame + 32, destination << 48 | PORT << 32 | PORT << 16 | total - 20);
        Native.MEMORY.set(
                Native.BE_LONG,
                frame + 40,
                (container ? G_PDU_WITH_EXTENSION : G_PDU) << 32 | gtpuLength << 16 | unsignedTeid >>> 16);
        if (container) {
            Native.MEMORY.set(Native.BE_LONG, frame + 48, unsignedTeid << 48 | CONTAINER_TYPE_LENGTH_DOWNLINK);
            Native.MEMORY.set(Native.BE_SHORT, frame + 56, (short) (qfi << 8));
        } else {
            Native.MEMORY.set(Native.BE_SHORT, frame + 48, (short) teid);
        }
        return frame;
    }
}
