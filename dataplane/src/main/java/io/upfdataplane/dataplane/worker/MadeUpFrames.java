package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.wire.Checksum;
import io.upfdataplane.dataplane.wire.GtpuView;

/** Frames as a gNB and a data network would send them, for warm-up and benchmarks. Any thread. */
public final class MadeUpFrames {
    /** Ethernet, IPv4, UDP, GTP-U with PDU Session Container. */
    public static final int OUTER = 58;

    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int TEID = ETHERNET + IPV4 + 8 + 4;
    private static final int QFI = 9;
    private static final long SERVER_MAC = 0x02_00_00_00_00_03L;
    private static final long UPF_MAC = 0x02_00_00_00_00_02L;

    private MadeUpFrames() {}

    /** Writes an uplink frame with an inner UDP packet of {@code innerLength}; returns the frame's length. */
    public static int writeUplink(long at, int gnb, int n3, int teid, int ue, int server, int innerLength) {
        long frame = at & Native.MASK;
        int total = innerLength + OUTER - ETHERNET;
        writeEthernet(frame);
        writeIpv4(frame + ETHERNET, total, gnb, n3);
        long udp = frame + ETHERNET + IPV4;
        Native.MEMORY.set(Native.BE_INT, udp, GtpuView.PORT << 16 | GtpuView.PORT);
        Native.MEMORY.set(Native.BE_INT, udp + 4, (total - IPV4) << 16);
        long gtpu = udp + 8;
        Native.MEMORY.set(Native.BE_INT, gtpu, 0x34ff_0000 | innerLength + 8);
        setTeid(frame, teid);
        Native.MEMORY.set(Native.BE_INT, gtpu + 8, GtpuView.PDU_SESSION_CONTAINER);
        Native.MEMORY.set(Native.BE_INT, gtpu + 12, 0x0110_0000 | QFI << 8);
        writeInner(frame + OUTER, innerLength, ue, server);
        return OUTER + innerLength;
    }

    /** Writes a downlink frame with a UDP packet of {@code length}; returns the frame's length. */
    public static int writeDownlink(long at, int ue, int server, int length) {
        long frame = at & Native.MASK;
        writeEthernet(frame);
        writeInner(frame + ETHERNET, length, server, ue);
        return ETHERNET + length;
    }

    /** Changes the TEID of an uplink frame. */
    public static void setTeid(long frame, int teid) {
        Native.MEMORY.set(Native.BE_INT, (frame & Native.MASK) + TEID, teid);
    }

    private static void writeInner(long at, int length, int source, int destination) {
        writeIpv4(at, length, source, destination);
        Native.MEMORY.set(Native.BE_INT, at + IPV4, 40000 << 16 | 5001);
        Native.MEMORY.set(Native.BE_INT, at + IPV4 + 4, (length - IPV4) << 16);
    }

    private static void writeEthernet(long at) {
        Native.MEMORY.set(Native.BE_LONG, at, UPF_MAC << 16 | SERVER_MAC >>> 32);
        Native.MEMORY.set(Native.BE_LONG, at + 6, SERVER_MAC << 16 | 0x0800);
    }

    private static void writeIpv4(long at, int total, int source, int destination) {
        Native.MEMORY.set(Native.BE_LONG, at, 0x4500L << 48 | (long) total << 32);
        Native.MEMORY.set(Native.BE_INT, at + 8, 64 << 24 | 17 << 16);
        Native.MEMORY.set(Native.BE_INT, at + 12, source);
        Native.MEMORY.set(Native.BE_INT, at + 16, destination);
        Checksum.writeIpv4Header(at, IPV4);
    }
}
