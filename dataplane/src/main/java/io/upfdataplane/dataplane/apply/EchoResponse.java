package io.upfdataplane.dataplane.apply;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.wire.Checksum;
import io.upfdataplane.dataplane.wire.EthernetView;
import io.upfdataplane.dataplane.wire.GtpuView;
import io.upfdataplane.dataplane.wire.Ipv4View;
import io.upfdataplane.dataplane.wire.UdpView;

/**
 * The answer to an Echo Request (TS 29.281 §7.2.2), written over the request: back to the address and port it came
 * from, with its sequence number and a Recovery IE of 0 (§8.2). Workers.
 */
public final class EchoResponse {
    /** Ethernet, IPv4 without options, UDP, GTP-U with sequence number, Recovery IE. */
    public static final int LENGTH = 14 + 20 + 8 + 12 + 2;

    private static final int RECOVERY = 0x0e00;

    private EchoResponse() {}

    /** Writes the response at {@code frame}, where the request begins and at least {@link #LENGTH} octets belong to it. */
    public static void write(long frame, EthernetView ethernet, Ipv4View ip, UdpView udp, GtpuView gtpu) {
        long destinationMac = ethernet.source();
        long sourceMac = ethernet.destination();
        long destination = Integer.toUnsignedLong(ip.source());
        long source = Integer.toUnsignedLong(ip.destination());
        long port = udp.sourcePort();
        long sequence = gtpu.sequence();
        long at = frame & Native.MASK;
        Native.MEMORY.set(Native.BE_LONG, at, destinationMac << 16 | sourceMac >>> 32);
        Native.MEMORY.set(Native.BE_LONG, at + 8, sourceMac << 32 | 0x0800_4500L);
        Native.MEMORY.set(Native.BE_LONG, at + 16, (long) (LENGTH - 14) << 48 | 64 << 8 | 17);
        Native.MEMORY.set(Native.BE_LONG, at + 24, source << 16 | destination >>> 16);
        Native.MEMORY.set(
                Native.BE_LONG, at + 32, destination << 48 | (long) GtpuView.PORT << 32 | port << 16 | LENGTH - 34);
        // Version 1, GTP, with sequence number; TEID 0.
        Native.MEMORY.set(Native.BE_LONG, at + 40, 0x3202_0006L << 16);
        Native.MEMORY.set(Native.BE_LONG, at + 48, sequence << 32 | RECOVERY);
        Checksum.writeIpv4Header(at + EthernetView.LENGTH, Ipv4View.MINIMUM_LENGTH);
    }
}
