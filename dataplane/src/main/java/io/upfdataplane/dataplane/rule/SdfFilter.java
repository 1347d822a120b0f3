package io.upfdataplane.dataplane.rule;

/**
 * One service data flow filter (TS 29.244 §8.2.5, flow description of TS 29.212 §5.4.2), as seen by a downlink packet:
 * {@code remote} is the data network's side, {@code ue} the subscriber's. An uplink packet is matched with its sides
 * exchanged. Addresses and masks are in host order; ports are inclusive ranges; {@code protocol} −1 matches any.
 */
public record SdfFilter(
        int protocol,
        int remoteAddress,
        int remoteMask,
        int ueAddress,
        int ueMask,
        int remotePortLow,
        int remotePortHigh,
        int uePortLow,
        int uePortHigh) {

    /** Matches every packet. */
    public static final SdfFilter ANY = new SdfFilter(-1, 0, 0, 0, 0, 0, 0xffff, 0, 0xffff);

    /** Ports exist only in TCP, UDP and SCTP; a filter that names none also matches other protocols. */
    public boolean namesPorts() {
        return remotePortLow != 0 || remotePortHigh != 0xffff || uePortLow != 0 || uePortHigh != 0xffff;
    }
}
