package io.upfdataplane.dataplane.session;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** IPv4 addresses in host order, in their other forms. */
final class Ipv4 {
    private Ipv4() {}

    static String text(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 0xff) + "." + (address >>> 8 & 0xff) + "." + (address & 0xff);
    }

    static String text(List<Integer> addresses) {
        return addresses.stream().map(Ipv4::text).collect(Collectors.joining(", "));
    }

    static @Nullable InetAddress address(@Nullable Integer address) {
        if (address == null || address == 0) {
            return null;
        }
        int a = address;
        try {
            return InetAddress.getByAddress(
                    new byte[] {(byte) (a >>> 24), (byte) (a >>> 16), (byte) (a >>> 8), (byte) a});
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("four bytes are an address", e);
        }
    }
}
