package io.upfdataplane.dataplane.port;

import java.util.List;

/**
 * All ports of one mode: each leg's device, for each worker. Opened whole or not at all. Two sets on the same devices
 * may be open at a time for the length of a mode change; at most one of them is engaged. Control thread only, except
 * what the ports themselves say; a set may be opened by another thread, which then hands it over.
 *
 * <p>A mode change: open the new set; give every worker both (send through the old one, receive from both); {@code
 * next.engage(); old.disengage()}; workers send through the new one; when nothing is left to receive or to reap from
 * the old one, workers drop it; {@code old.close()}.
 */
public interface PortSet extends AutoCloseable {
    /** The port of {@code leg} for {@code worker}; the same object for both legs when they name one device. */
    PacketPort port(Leg leg, int worker);

    /** From now on received packets come here: XDP redirects. AF_PACKET receives from its opening, and again from here. */
    void engage();

    /** From now on packets pass to the kernel, so that another set sees them, and none comes here. */
    void disengage();

    /**
     * From now on packets to UEs in these pools are ours, and no others.
     *
     * @throws PortRefused when the kernel does not take them; what it took stays
     */
    void usePools(List<PortPlan.Prefix> uePools) throws PortRefused;

    /** Takes up what has changed about the devices themselves, such as their addresses; several times a second. */
    default void followDevices() {}

    /** What really runs, for status. */
    ModeFacts facts();

    /** Gives everything back: rings, sockets, programs, filters, device settings. Workers no longer use the ports. */
    @Override
    void close();

    /**
     * What was really reached.
     *
     * @param mode AF_PACKET, AF_XDP, CNDP, DPDK or Memory
     * @param zeroCopy every leg is zero-copy
     * @param xdpAttach Native, Generic or None
     */
    record ModeFacts(String mode, boolean zeroCopy, String xdpAttach) {}
}
