package io.upfdataplane.dataplane.rule;

/**
 * A local GTP-U endpoint that is already chosen (TS 29.244 §8.2.3).
 *
 * @param teid tunnel endpoint identifier, as an unsigned 32-bit number
 * @param ipv4 address of the endpoint in host order, as an unsigned 32-bit number
 */
public record FTeid(int teid, int ipv4) {}
