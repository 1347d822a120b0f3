package io.upfdataplane.dataplane.rule;

/**
 * The tunnel a forwarded packet is put into: GTP-U/UDP/IPv4 (TS 29.244 §8.2.56).
 *
 * @param teid the peer's tunnel endpoint identifier
 * @param peerIpv4 the peer's address in host order
 */
public record OuterHeaderCreation(int teid, int peerIpv4) {}
