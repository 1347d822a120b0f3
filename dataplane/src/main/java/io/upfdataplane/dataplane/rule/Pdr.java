package io.upfdataplane.dataplane.rule;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Packet Detection Rule (TS 29.244 §7.5.2.2), with its F-TEID chosen and its names normalised.
 *
 * @param precedence unsigned 32 bits; the lowest value is tried first
 * @param localFTeid for packets from a tunnel
 * @param ueIpv4 UE address in host order: the source of an uplink packet, the destination of a downlink one
 * @param sdfFilters empty matches all
 * @param qfi −1 matches any (TS 29.244 §8.2.89)
 * @param removeOuterHeader an outer GTP-U/UDP/IP header is taken off (removal 0 or 6)
 * @param qerIds in the order the control plane gave them
 */
public record Pdr(
        int id,
        long precedence,
        SourceInterface sourceInterface,
        @Nullable FTeid localFTeid,
        @Nullable Integer ueIpv4,
        String networkInstance,
        List<SdfFilter> sdfFilters,
        int qfi,
        boolean removeOuterHeader,
        long farId,
        List<Long> qerIds) {

    public Pdr {
        sdfFilters = List.copyOf(sdfFilters);
        qerIds = List.copyOf(qerIds);
    }

    /** From the access side, that is uplink. */
    public boolean isUplink() {
        return sourceInterface == SourceInterface.ACCESS;
    }
}
