package io.upfdataplane.dataplane.pfcp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Who a PFCP entity is (TS 29.244 §8.2.38).
 *
 * @param text an IPv4 or IPv6 address as text, or a domain name in lower case
 */
public record NodeId(String text) {
    private static final int IPV4 = 0;
    private static final int IPV6 = 1;
    private static final int FQDN = 2;

    static NodeId read(IeReader ie) throws PfcpFault {
        return switch (ie.u8(0) & 0x0f) {
            case IPV4 -> new NodeId(addressText(ie.bytes(1, 4)));
            case IPV6 -> new NodeId(addressText(ie.bytes(1, 16)));
            case FQDN -> {
                ie.need(1, 1);
                String name = DomainName.read(ie.bytes(1, ie.length() - 1));
                if (name == null) {
                    throw PfcpFault.incorrect(IeType.NODE_ID, "Node ID is not a domain name");
                }
                yield new NodeId(name);
            }
            default -> throw PfcpFault.incorrect(IeType.NODE_ID, "Node ID type " + (ie.u8(0) & 0x0f) + " is unknown");
        };
    }

    void write(IeWriter out) {
        out.begin(IeType.NODE_ID);
        byte[] address = Ipv4Text.parse(text);
        if (address != null) {
            out.u8(IPV4).bytes(address);
        } else if (text.indexOf(':') >= 0) {
            out.u8(IPV6).bytes(ipv6(text));
        } else {
            out.u8(FQDN);
            for (String label : text.toLowerCase(Locale.ROOT).split("\\.")) {
                out.u8(label.length()).bytes(label.getBytes(StandardCharsets.US_ASCII));
            }
        }
        out.end();
    }

    /** The Node ID 0.0.0.0 or ::, which some clients send in a release, names nobody. */
    public boolean isUnspecified() {
        return text.equals("0.0.0.0") || text.equals("0:0:0:0:0:0:0:0");
    }

    private static String addressText(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address has 4 or 16 bytes", e);
        }
    }

    private static byte[] ipv6(String text) {
        try {
            // A literal with a colon is never looked up.
            return InetAddress.getByName(text).getAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("Node ID " + text + " is not an IPv6 address", e);
        }
    }

    /** Dotted IPv4 text without a look-up. */
    private static final class Ipv4Text {
        static byte @org.jspecify.annotations.Nullable [] parse(String text) {
            String[] parts = text.split("\\.", -1);
            if (parts.length != 4) {
                return null;
            }
            byte[] address = new byte[4];
            for (int i = 0; i < 4; i++) {
                if (!parts[i].matches("[0-9]{1,3}") || Integer.parseInt(parts[i]) > 255) {
                    return null;
                }
                address[i] = (byte) Integer.parseInt(parts[i]);
            }
            return address;
        }
    }
}
