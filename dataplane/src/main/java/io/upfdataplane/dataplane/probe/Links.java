package io.upfdataplane.dataplane.probe;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.NetlinkSocket;
import io.upfdataplane.dataplane.ffi.NetlinkSocket.Body;
import io.upfdataplane.dataplane.ffi.NetlinkSocket.Message;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The devices, addresses and default routes of this network namespace (rtnetlink(7)) and their XDP features (the netdev
 * family of generic netlink, from kernel 6.3). Only questions, no changes.
 */
final class Links {
    private static final int RTM_NEWLINK = 16;
    private static final int RTM_GETLINK = 18;
    private static final int RTM_GETADDR = 22;
    private static final int RTM_GETROUTE = 26;
    private static final int IFINFOMSG_BYTES = 16;
    private static final int IFADDRMSG_BYTES = 8;
    private static final int RTMSG_BYTES = 12;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int IFLA_LINK = 5;
    private static final int IFLA_MASTER = 10;
    private static final int IFLA_LINKINFO = 18;
    private static final int IFLA_INFO_KIND = 1;
    private static final int IFLA_NUM_TX_QUEUES = 31;
    private static final int IFLA_NUM_RX_QUEUES = 32;
    private static final int IFLA_LINK_NETNSID = 37;
    private static final int IFLA_XDP = 43;
    private static final int IFLA_XDP_ATTACHED = 2;
    private static final int IFLA_XDP_PROG_ID = 4;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int RT_SCOPE_LINK = 253;
    private static final int RTA_OIF = 4;
    private static final int IFF_UP = 1;
    private static final int IFF_LOOPBACK = 8;

    private static final int GENL_ID_CTRL = 16;
    private static final int CTRL_CMD_GETFAMILY = 3;
    private static final int CTRL_ATTR_FAMILY_ID = 1;
    private static final int CTRL_ATTR_FAMILY_NAME = 2;
    private static final int NETDEV_CMD_DEV_GET = 1;
    private static final int NETDEV_A_DEV_IFINDEX = 1;
    private static final int NETDEV_A_DEV_XDP_FEATURES = 3;

    /** Bits of enum netdev_xdp_act. */
    private static final Map<Integer, String> XDP_FEATURES = new TreeMap<>(Map.of(
            0,
            "basic",
            1,
            "redirect",
            2,
            "ndo-xmit",
            3,
            "xsk-zerocopy",
            4,
            "hw-offload",
            5,
            "rx-sg",
            6,
            "ndo-xmit-sg"));

    /**
     * @param kind of a virtual device: veth, bridge, macvlan …
     * @param link index of the device below or beside it, when that lies in this namespace
     */
    record Link(
            int index,
            String name,
            boolean up,
            boolean loopback,
            int mtu,
            @Nullable String macAddress,
            @Nullable String kind,
            @Nullable Integer link,
            @Nullable Integer master,
            int rxQueues,
            int txQueues,
            @Nullable Integer xdpProgram) {}

    private Links() {}

    static List<Link> links() throws CallFailed {
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE, 0)) {
            List<Link> links = new ArrayList<>();
            for (Message m : socket.dump(RTM_GETLINK, new byte[IFINFOMSG_BYTES])) {
                if (m.type() == RTM_NEWLINK) {
                    links.add(link(m.body()));
                }
            }
            return links;
        }
    }

    private static Link link(ByteBuffer body) {
        int index = body.getInt(4);
        int flags = body.getInt(8);
        Map<Integer, ByteBuffer> a = NetlinkSocket.attributes(body, IFINFOMSG_BYTES);
        ByteBuffer info = a.get(IFLA_LINKINFO);
        ByteBuffer kind =
                info == null ? null : NetlinkSocket.attributes(info, 0).get(IFLA_INFO_KIND);
        // With IFLA_LINK_NETNSID the index counts in another namespace and says nothing here.
        Integer link = a.containsKey(IFLA_LINK_NETNSID) ? null : number(a.get(IFLA_LINK));
        ByteBuffer xdp = a.get(IFLA_XDP);
        Map<Integer, ByteBuffer> xdpAttributes = xdp == null ? Map.of() : NetlinkSocket.attributes(xdp, 0);
        ByteBuffer attached = xdpAttributes.get(IFLA_XDP_ATTACHED);
        return new Link(
                index,
                NetlinkSocket.text(a.getOrDefault(IFLA_IFNAME, ByteBuffer.allocate(0))),
                (flags & IFF_UP) != 0,
                (flags & IFF_LOOPBACK) != 0,
                orZero(number(a.get(IFLA_MTU))),
                mac(a.get(IFLA_ADDRESS)),
                kind == null ? null : NetlinkSocket.text(kind),
                link != null && link != index && link != 0 ? link : null,
                number(a.get(IFLA_MASTER)),
                Math.max(1, orZero(number(a.get(IFLA_NUM_RX_QUEUES)))),
                Math.max(1, orZero(number(a.get(IFLA_NUM_TX_QUEUES)))),
                attached != null && attached.get(0) != 0
                        ? (Integer) orZero(number(xdpAttributes.get(IFLA_XDP_PROG_ID)))
                        : null);
    }

    /** Addresses with their prefix length, by device index; link-local ones left out. */
    static Map<Integer, List<String>> addresses() throws CallFailed {
        Map<Integer, List<String>> addresses = new HashMap<>();
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE, 0)) {
            for (Message m : socket.dump(RTM_GETADDR, new byte[IFADDRMSG_BYTES])) {
                ByteBuffer body = m.body();
                if (Byte.toUnsignedInt(body.get(3)) == RT_SCOPE_LINK) {
                    continue;
                }
                Map<Integer, ByteBuffer> a = NetlinkSocket.attributes(body, IFADDRMSG_BYTES);
                // On a point-to-point device IFA_ADDRESS is the other end's.
                ByteBuffer own = a.containsKey(IFA_LOCAL) ? a.get(IFA_LOCAL) : a.get(IFA_ADDRESS);
                if (own != null) {
                    addresses
                            .computeIfAbsent(body.getInt(4), k -> new ArrayList<>())
                            .add(address(own) + "/" + Byte.toUnsignedInt(body.get(1)));
                }
            }
        }
        return addresses;
    }

    /** Indices of the devices that a default route leaves by, IPv4 or IPv6. */
    static Set<Integer> defaultRouteDevices() throws CallFailed {
        Set<Integer> devices = new HashSet<>();
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE, 0)) {
            for (Message m : socket.dump(RTM_GETROUTE, new byte[RTMSG_BYTES])) {
                int destinationLength = m.body().get(1);
                int type = m.body().get(7);
                Integer device =
                        number(NetlinkSocket.attributes(m.body(), RTMSG_BYTES).get(RTA_OIF));
                // rtm_type 1 is RTN_UNICAST: an «unreachable default» on lo is not a way out.
                if (destinationLength == 0 && type == 1 && device != null) {
                    devices.add(device);
                }
            }
        }
        return devices;
    }

    /** XDP features by device index; empty when this kernel has no netdev family. */
    static Optional<Map<Integer, Long>> xdpFeatures() throws CallFailed {
        try (NetlinkSocket socket = NetlinkSocket.open(NetlinkSocket.NETLINK_GENERIC, 0)) {
            Integer family = family(socket, "netdev");
            if (family == null) {
                return Optional.empty();
            }
            Map<Integer, Long> features = new HashMap<>();
            byte[] request =
                    new Body().int8(NETDEV_CMD_DEV_GET).int8(1).int16(0).toBytes();
            for (Message m : socket.dump(family, request)) {
                Map<Integer, ByteBuffer> a = NetlinkSocket.attributes(m.body(), 4);
                Integer index = number(a.get(NETDEV_A_DEV_IFINDEX));
                ByteBuffer bits = a.get(NETDEV_A_DEV_XDP_FEATURES);
                if (index != null && bits != null) {
                    features.put(index, bits.getLong(0));
                }
            }
            return Optional.of(features);
        }
    }

    static List<String> featureNames(long bits) {
        return XDP_FEATURES.entrySet().stream()
                .filter(f -> (bits >>> f.getKey() & 1) != 0)
                .map(Map.Entry::getValue)
                .toList();
    }

    private static @Nullable Integer family(NetlinkSocket socket, String name) throws CallFailed {
        byte[] request = new Body()
                .int8(CTRL_CMD_GETFAMILY)
                .int8(1)
                .int16(0)
                .attribute(CTRL_ATTR_FAMILY_NAME, (name + "\0").getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                .toBytes();
        try {
            for (Message m : socket.ask(GENL_ID_CTRL, 0, request)) {
                ByteBuffer id = NetlinkSocket.attributes(m.body(), 4).get(CTRL_ATTR_FAMILY_ID);
                if (id != null) {
                    return Short.toUnsignedInt(id.getShort(0));
                }
            }
            return null;
        } catch (CallFailed e) {
            if (e.errno() == io.upfdataplane.dataplane.ffi.Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    private static @Nullable Integer number(@Nullable ByteBuffer attribute) {
        return attribute == null || attribute.limit() < 4 ? null : (Integer) attribute.getInt(0);
    }

    private static int orZero(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    private static @Nullable String mac(@Nullable ByteBuffer attribute) {
        if (attribute == null || attribute.limit() != 6) {
            return null;
        }
        StringJoiner text = new StringJoiner(":");
        for (int i = 0; i < 6; i++) {
            text.add(String.format("%02x", attribute.get(i)));
        }
        return text.toString();
    }

    private static String address(ByteBuffer attribute) {
        byte[] bytes = new byte[attribute.limit()];
        attribute.get(0, bytes);
        try {
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }
}
