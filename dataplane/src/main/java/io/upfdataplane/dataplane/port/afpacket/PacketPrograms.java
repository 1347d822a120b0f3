package io.upfdataplane.dataplane.port.afpacket;

import io.upfdataplane.dataplane.port.PortPlan.Prefix;
import io.upfdataplane.dataplane.wire.GtpuView;
import io.upfdataplane.dataplane.wire.Ipv4View;
import io.upfdataplane.dataplane.wire.Steering;
import io.upfdataplane.dataplane.wire.UdpView;
import java.util.List;

/** The programs that the kernel runs for us on AF_PACKET sockets. Pure. */
final class PacketPrograms {
    // Ancillary data (linux/filter.h)
    private static final int PACKET_TYPE = -0x1000 + 4;
    private static final int VLAN_TAG_PRESENT = -0x1000 + 48;
    private static final int PACKET_HOST = 0;

    private static final int ACCEPT = -1;
    private static final int ETHERTYPE_IPV4 = 0x0800;
    private static final int ETHERNET_BYTES = 14;

    // IPv4 (RFC 791 §3.1)
    private static final int FRAGMENT = 6;
    private static final int PROTOCOL = 9;
    private static final int SOURCE = 12;
    private static final int DESTINATION = 16;

    // From the UDP header on (RFC 768, TS 29.281 §5.1)
    private static final int DESTINATION_PORT = 2;
    private static final int FLAGS = UdpView.LENGTH;
    private static final int TYPE = UdpView.LENGTH + 1;
    private static final int TEID = UdpView.LENGTH + 4;
    private static final int NEXT_EXTENSION = UdpView.LENGTH + 11;
    private static final int GTPU_END = UdpView.LENGTH + GtpuView.MINIMUM_LENGTH;
    private static final int OPTIONAL_END = GTPU_END + GtpuView.OPTIONAL_LENGTH;

    private PacketPrograms() {}

    /** Lets nothing through. */
    static ClassicBpf nothing() {
        return new ClassicBpf().result(0);
    }

    /**
     * A socket filter (it sees Ethernet) that lets through what is ours: untagged IPv4 to this host's link-layer address
     * that is GTP-U for {@code n3Address}, fragments of UDP to it included, or goes to a UE.
     *
     * @param isN3 the device carries N3
     * @param uePools empty when the device does not carry N6
     */
    static ClassicBpf ours(boolean isN3, int n3Address, List<Prefix> uePools) {
        ClassicBpf program = new ClassicBpf()
                .word(PACKET_TYPE)
                .unlessEqual(PACKET_HOST, "foreign")
                // A tag taken off by the kernel: the frame is a VLAN device's.
                .word(VLAN_TAG_PRESENT)
                .unlessEqual(0, "foreign")
                .half(12)
                .unlessEqual(ETHERTYPE_IPV4, "foreign");
        for (Prefix pool : uePools) {
            int mask = pool.length() == 0 ? 0 : -1 << 32 - pool.length();
            program.word(ETHERNET_BYTES + DESTINATION).and(mask).ifEqual(pool.address() & mask, "ours");
        }
        if (isN3) {
            program.word(ETHERNET_BYTES + DESTINATION)
                    .unlessEqual(n3Address, "foreign")
                    .octet(ETHERNET_BYTES + PROTOCOL)
                    .unlessEqual(Ipv4View.UDP, "foreign")
                    .half(ETHERNET_BYTES + FRAGMENT)
                    .ifAnySet(0x1fff, "ours")
                    .xFromHeaderLength(ETHERNET_BYTES)
                    .halfAtX(ETHERNET_BYTES + DESTINATION_PORT)
                    .ifEqual(GtpuView.PORT, "ours");
        }
        return program.label("foreign").result(0).label("ours").result(ACCEPT);
    }

    /** The fanout program (it sees the packet from its IP header on) that computes {@link Steering#workerOf}. */
    static ClassicBpf steering(int n3Address, int workers) {
        int fromUdp = 0; // bytes from the UDP header to the end
        int flags = 1;
        int container = 2; // bytes of the PDU Session Container
        int toInner = 3; // bytes from the UDP header to behind the container
        int fromInner = 4; // bytes behind the container
        return new ClassicBpf()
                .length()
                .unlessAtLeast(Ipv4View.MINIMUM_LENGTH, "first")
                .octet(0)
                .shiftRight(4)
                .unlessEqual(4, "first")
                .word(DESTINATION)
                .unlessEqual(n3Address, "destination")
                .octet(PROTOCOL)
                .unlessEqual(Ipv4View.UDP, "destination")
                .half(FRAGMENT)
                .ifAnySet(0x3fff, "destination")
                .xFromHeaderLength(0)
                .aFromX()
                .unlessAtLeast(Ipv4View.MINIMUM_LENGTH, "destination")
                .length()
                .unlessAtLeastX("destination")
                .minusX()
                .store(fromUdp)
                .unlessAtLeast(GTPU_END, "destination")
                .halfAtX(DESTINATION_PORT)
                .unlessEqual(GtpuView.PORT, "destination")
                .octetAtX(FLAGS)
                .shiftRight(4)
                .unlessEqual(3, "teid")
                .octetAtX(TYPE)
                .unlessEqual(GtpuView.G_PDU, "teid")
                .octetAtX(FLAGS)
                .and(7)
                .store(flags)
                .unlessEqual(0, "optional")
                .load(fromUdp)
                .unlessAtLeast(GTPU_END + Ipv4View.MINIMUM_LENGTH, "teid")
                .octetAtX(GTPU_END)
                .shiftRight(4)
                .unlessEqual(4, "teid")
                .wordAtX(GTPU_END + SOURCE)
                .go("ue")
                .label("optional")
                .load(fromUdp)
                .unlessAtLeast(OPTIONAL_END, "teid")
                .load(flags)
                .unlessAnySet(4, "no extension")
                .octetAtX(NEXT_EXTENSION)
                .ifEqual(0, "no extension")
                .unlessEqual(GtpuView.PDU_SESSION_CONTAINER, "teid")
                .load(fromUdp)
                .unlessAtLeast(OPTIONAL_END + 1, "teid")
                .octetAtX(OPTIONAL_END)
                .shiftLeft(2)
                .ifEqual(0, "teid")
                .ifAbove(Steering.LONGEST_CONTAINER, "teid")
                .store(container)
                .plus(OPTIONAL_END)
                .store(toInner)
                .load(fromUdp)
                .loadX(toInner)
                .unlessAtLeastX("teid")
                .minusX()
                .store(fromInner)
                .xFromHeaderLength(0)
                .load(container)
                .plusX()
                .xFromA()
                .octetAtX(OPTIONAL_END - 1)
                .unlessEqual(0, "teid")
                .load(fromInner)
                .unlessAtLeast(Ipv4View.MINIMUM_LENGTH, "teid")
                .go("inner")
                .label("no extension")
                .load(fromUdp)
                .unlessAtLeast(OPTIONAL_END + Ipv4View.MINIMUM_LENGTH, "teid")
                .label("inner")
                .octetAtX(OPTIONAL_END)
                .shiftRight(4)
                .unlessEqual(4, "teid")
                .wordAtX(OPTIONAL_END + SOURCE)
                .go("ue")
                .label("teid")
                .xFromHeaderLength(0)
                .wordAtX(TEID)
                .and(Steering.TEID_MASK)
                .modulo(workers)
                .resultA()
                .label("destination")
                .word(DESTINATION)
                .label("ue")
                .times(Steering.MULTIPLIER)
                .shiftRight(16)
                .modulo(workers)
                .resultA()
                .label("first")
                .result(0);
    }
}
