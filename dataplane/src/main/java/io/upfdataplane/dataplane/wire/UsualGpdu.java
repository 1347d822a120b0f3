package io.upfdataplane.dataplane.wire;

import io.upfdataplane.dataplane.memory.Native;

/**
 * The frame in which nearly every uplink packet of a 5G access network comes, told apart by whole words: IPv4 without
 * options or fragments, UDP to 2152, a G-PDU whose only extension header is a PDU Session Container of one word (TS
 * 29.281 §5.2.2.7). Any other frame, right or wrong, is for the views. Any thread.
 *
 * <pre>
 *  0 Ethernet 14 | 14 IPv4 20 | 34 UDP 8 | 42 GTP-U 12 | 54 PDU Session Container 4 | 58 inner packet
 * </pre>
 */
public final class UsualGpdu {
    /** Octets before the inner packet. */
    public static final int HEADERS = 58;

    /** EtherType, version and header length, DSCP, total length, identification. */
    private static final int TYPE_TO_IDENTIFICATION = 12;

    /** Identification, flags and fragment offset, time to live, protocol, checksum. */
    private static final int IDENTIFICATION_TO_CHECKSUM = 18;

    private static final int ADDRESSES = 26;
    private static final int UDP = 34;
    private static final int GTPU = 42;
    private static final int TEID = 46;

    /** Sequence number, N-PDU number, next type, length, PDU type, QFI, next type. */
    private static final int SEQUENCE_TO_NEXT_TYPE = 50;

    private static final int QFI = 56;

    private static final long TYPE_AND_VERSION = 0xffff_ff00_0000_0000L;
    private static final long IPV4_OF_20_OCTETS = 0x0800_4500_0000_0000L;
    private static final long FRAGMENT_AND_PROTOCOL = 0x3fff_00ff_0000L;
    private static final long WHOLE_UDP = 0x0011_0000L;
    private static final long ADDRESS = 0xffff_ffffL;
    private static final long UDP_DESTINATION_PORT = 0xffff_0000_0000L;
    private static final long TO_2152 = 2152L << 32;
    private static final long FLAGS_AND_TYPE = 0xffff_0000_0000_0000L;
    private static final long G_PDU_WITH_EXTENSION = 0x34ff_0000_0000_0000L;
    private static final long TYPE_LENGTH_AND_NEXT_TYPE = 0xff_ff00_00ffL;
    private static final long CONTAINER_OF_ONE_WORD = 0x85_0100_0000L;

    private static final int LENGTH = 0xffff;

    private UsualGpdu() {}

    /** The frame is of this kind, for {@code ipv4}, and each length it announces lies within the one around it. */
    public static boolean is(long frame, int length, int ipv4) {
        if (length < HEADERS) {
            return false;
        }
        long at = frame & Native.MASK;
        long type = Native.MEMORY.get(Native.BE_LONG, at + TYPE_TO_IDENTIFICATION);
        long protocol = Native.MEMORY.get(Native.BE_LONG, at + IDENTIFICATION_TO_CHECKSUM);
        long addresses = Native.MEMORY.get(Native.BE_LONG, at + ADDRESSES);
        long udp = Native.MEMORY.get(Native.BE_LONG, at + UDP);
        long gtpu = Native.MEMORY.get(Native.BE_LONG, at + GTPU);
        long container = Native.MEMORY.get(Native.BE_LONG, at + SEQUENCE_TO_NEXT_TYPE);
        // One branch instead of one for each field: whatever differs leaves a bit.
        long different = (type ^ IPV4_OF_20_OCTETS) & TYPE_AND_VERSION
                | (protocol ^ WHOLE_UDP) & FRAGMENT_AND_PROTOCOL
                | (addresses ^ ipv4) & ADDRESS
                | (udp ^ TO_2152) & UDP_DESTINATION_PORT
                | (gtpu ^ G_PDU_WITH_EXTENSION) & FLAGS_AND_TYPE
                | (container ^ CONTAINER_OF_ONE_WORD) & TYPE_LENGTH_AND_NEXT_TYPE;
        int ipLength = (int) (type >>> 16) & LENGTH;
        int udpLength = (int) (udp >>> 16) & LENGTH;
        int gtpuLength = (int) (gtpu >>> 32) & LENGTH;
        int room = length - 14 - ipLength | ipLength - 20 - udpLength | udpLength - 16 - gtpuLength | gtpuLength - 8;
        return different == 0 && room >= 0;
    }

    public static int teid(long frame) {
        return Native.MEMORY.get(Native.BE_INT, (frame & Native.MASK) + TEID);
    }

    public static int qfi(long frame) {
        return Native.MEMORY.get(Native.BYTE, (frame & Native.MASK) + QFI) & 0x3f;
    }

    /** First octet after the payload. */
    public static long end(long frame) {
        int length = Native.MEMORY.get(Native.BE_SHORT, (frame & Native.MASK) + GTPU + 2) & LENGTH;
        return frame + GTPU + GtpuView.MINIMUM_LENGTH + length;
    }
}
