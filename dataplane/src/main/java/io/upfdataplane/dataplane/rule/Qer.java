package io.upfdataplane.dataplane.rule;

/**
 * A QoS Enforcement Rule (TS 29.244 §7.5.2.5): gates and maximum bit rates for each direction.
 *
 * @param mbrUplinkKbps kilobits (1000 bits) per second, 0 for no limit
 * @param mbrDownlinkKbps the same for downlink
 * @param qfi put into the PDU Session Container of downlink packets, −1 for none
 */
public record Qer(
        long id, boolean uplinkGateOpen, boolean downlinkGateOpen, long mbrUplinkKbps, long mbrDownlinkKbps, int qfi) {}
