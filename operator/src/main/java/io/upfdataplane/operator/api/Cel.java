package io.upfdataplane.operator.api;

/** The rules of the schema, as the API server evaluates them (CEL with the ip() and cidr() library, Kubernetes 1.31). */
final class Cel {
    static final String DURATION = "^([0-9]+(ms|s|m|h))+$";

    static final String ONE_ATTACHMENT = "has(self.hostDevice) != has(self.podNetwork)";

    static final String ADDRESS_FITS_ATTACHMENT =
            "has(self.attachment.podNetwork) ? !has(self.addresses) && !has(self.gateway) && !has(self.routes) &&"
                    + " !has(self.mtu) : has(self.addresses) && size(self.addresses) > 0";

    static final String IPV4_PREFIXES = "self.all(a, isCIDR(a) && cidr(a).ip().family() == 4)";

    static final String IPV4 = "isIP(self) && ip(self).family() == 4";

    static final String IPV4_NETWORK =
            "isCIDR(self) && cidr(self).ip().family() == 4 && cidr(self) == cidr(self).masked()";

    // Comparing ip() values would cost more than the server's budget, so the texts are compared.
    // What is no address is told so by its own rule; this one stays silent then.
    static final String GATEWAY_IN_PREFIX =
            "!has(self.gateway) || !isIP(self.gateway) || !has(self.addresses) || self.addresses.exists(a, !isCIDR(a) ||"
                    + " (cidr(a).containsIP(ip(self.gateway)) && !a.startsWith(self.gateway + '/')))";

    static final String VIA_IN_PREFIX =
            "!has(self.routes) || !has(self.addresses) || self.routes.all(r, !isIP(r.via) || self.addresses.exists(a,"
                    + " !isCIDR(a) || cidr(a).containsIP(ip(r.via))))";

    static final String POOLS_DO_NOT_OVERLAP =
            "self.all(a, self.all(b, a.uePools.all(p, !isCIDR(p.cidr) || b.uePools.all(q, !isCIDR(q.cidr) ||"
                    + " (a.name == b.name && p.cidr == q.cidr) || !cidr(p.cidr).containsCIDR(q.cidr)))))";

    static final String INSTANCES_DIFFER =
            "self.all(a, self.exists_one(b, (has(a.networkInstance) ? a.networkInstance : a.name) =="
                    + " (has(b.networkInstance) ? b.networkInstance : b.name)))";

    static final String ACTIVE_HAS_PEERS =
            "!has(self.role) || self.role == 'Passive' || (has(self.peers) && size(self.peers) > 0)";

    static final String TIMEOUT_WITHIN_INTERVAL =
            "!has(self.timeout) || !has(self.interval) || duration(self.timeout) <= duration(self.interval)";

    static final String FRAMES_POWER_OF_TWO =
            "self in [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576]";

    static final String RING_POWER_OF_TWO = "self in [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768]";

    private Cel() {}
}
