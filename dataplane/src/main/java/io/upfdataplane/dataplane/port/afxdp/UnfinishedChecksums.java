package io.upfdataplane.dataplane.port.afxdp;

import io.upfdataplane.dataplane.memory.Native;
import io.upfdataplane.dataplane.wire.Checksum;
import io.upfdataplane.dataplane.wire.EthernetView;
import io.upfdataplane.dataplane.wire.GtpuView;
import io.upfdataplane.dataplane.wire.Ipv4View;
import io.upfdataplane.dataplane.wire.UdpView;

/**
 * Completes TCP and UDP checksums that a sender on this host has left to its device. An AF_XDP socket gets no word of
 * it, so a checksum that equals the sum of its pseudo-header is taken for an unfinished one; where it was right, the same
 * value is written again. In GTP-U for us the inner packet is looked at, since the outer headers end here. One worker.
 */
final class UnfinishedChecksums {
    private final int n3Ipv4;
    private final Ipv4View ip = new Ipv4View();
    private final GtpuView gtpu = new GtpuView();

    /**
     * @param n3Ipv4 our N3 address in host order, 0 where there is none
     */
    UnfinishedChecksums(int n3Ipv4) {
        this.n3Ipv4 = n3Ipv4;
    }

    /** True when a checksum of the Ethernet frame was completed. */
    boolean complete(long frame, int length) {
        long end = frame + length;
        long packet = frame + EthernetView.LENGTH;
        if (length < EthernetView.LENGTH + Ipv4View.MINIMUM_LENGTH
                || Native.MEMORY.get(Native.BE_SHORT, (packet - 2) & Native.MASK) != EthernetView.TYPE_IPV4) {
            return false;
        }
        if (n3Ipv4 != 0
                && ip.moveTo(packet, end)
                && ip.destination() == n3Ipv4
                && ip.protocol() == Ipv4View.UDP
                && !ip.isFragment()) {
            return isGtpu(end) && Checksum.complete(gtpu.payload(), gtpu.end(), ip);
        }
        return Checksum.complete(packet, end, ip);
    }

    private boolean isGtpu(long end) {
        long udp = ip.payload();
        return end - udp >= UdpView.LENGTH + GtpuView.MINIMUM_LENGTH
                && gtpu.moveTo(udp + UdpView.LENGTH, ip.end()) == GtpuView.Fault.NONE
                && gtpu.messageType() == GtpuView.G_PDU;
    }
}
