package io.upfdataplane.dataplane.nexthop;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.NetlinkSocket;
import io.upfdataplane.dataplane.ffi.NetlinkSocket.Body;
import io.upfdataplane.dataplane.ffi.NetlinkSocket.Message;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The kernel's links, IPv4 neighbours and routes as values (rtnetlink(7)). Control thread. */
final class Rtnetlink implements AutoCloseable {
    private static final int RTM_NEWLINK = 16;
    private static final int RTM_DELLINK = 17;
    private static final int RTM_GETLINK = 18;
    private static final int RTM_NEWADDR = 20;
    private static final int RTM_DELADDR = 21;
    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_DELROUTE = 25;
    private static final int RTM_GETROUTE = 26;
    private static final int RTM_NEWNEIGH = 28;
    private static final int RTM_DELNEIGH = 29;
    private static final int RTM_GETNEIGH = 30;
    private static final int GROUPS = 1 | 1 << 2 | 1 << 4 | 1 << 6; // link, neigh, IPv4 address, IPv4 route
    private static final int AF_INET = 2;
    private static final int IFINFOMSG_BYTES = 16;
    private static final int NDMSG_BYTES = 12;
    private static final int RTMSG_BYTES = 12;
    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int NDA_DST = 1;
    private static final int NDA_LLADDR = 2;
    private static final int NTF_USE = 1;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final int RT_TABLE_MAIN = 254;
    private static final int RTN_UNICAST = 1;
    private static final int IFF_UP = 1;
    private static final int IFF_RUNNING = 0x40;

    private final NetlinkSocket changes;
    private final NetlinkSocket questions;

    private Rtnetlink(NetlinkSocket changes, NetlinkSocket questions) {
        this.changes = changes;
        this.questions = questions;
    }

    static Rtnetlink open() throws CallFailed {
        NetlinkSocket changes = NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE, GROUPS);
        try {
            return new Rtnetlink(changes, NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE, 0));
        } catch (CallFailed e) {
            changes.close();
            throw e;
        }
    }

    /** Something the kernel knows, or has just changed. */
    sealed interface Fact {}

    /**
     * @param mac 48 bits, first octet highest; 0 when the device has none
     */
    record Device(int index, String name, boolean up, long mac, int mtuBytes, boolean gone) implements Fact {}

    /**
     * @param state ndm_state, 0 when it is gone
     */
    record Neighbour(int device, int ipv4, long mac, int state) implements Fact {}

    /** The addresses or routes of a device changed: whoever shows them asks anew. */
    record Rerouted() implements Fact {}

    record KernelRoute(
            int device, int prefix, int length, @Nullable Integer gateway) {}

    List<Fact> links() throws CallFailed {
        return facts(questions.dump(RTM_GETLINK, new byte[IFINFOMSG_BYTES]));
    }

    List<Fact> neighbours() throws CallFailed {
        byte[] body = new byte[NDMSG_BYTES];
        body[0] = AF_INET;
        return facts(questions.dump(RTM_GETNEIGH, body));
    }

    /** IPv4 unicast routes of the main table. */
    List<KernelRoute> routes() throws CallFailed {
        byte[] body = new byte[RTMSG_BYTES];
        body[0] = AF_INET;
        List<KernelRoute> routes = new ArrayList<>();
        for (Message m : questions.dump(RTM_GETROUTE, body)) {
            ByteBuffer b = m.body();
            if (b.get(0) != AF_INET || Byte.toUnsignedInt(b.get(4)) != RT_TABLE_MAIN || b.get(7) != RTN_UNICAST) {
                continue;
            }
            Map<Integer, ByteBuffer> a = NetlinkSocket.attributes(b, RTMSG_BYTES);
            ByteBuffer device = a.get(RTA_OIF);
            if (device != null) {
                ByteBuffer gateway = a.get(RTA_GATEWAY);
                routes.add(new KernelRoute(
                        device.getInt(0),
                        ipv4(a.get(RTA_DST)),
                        b.get(1),
                        gateway == null ? null : (Integer) ipv4(gateway)));
            }
        }
        return routes;
    }

    /**
     * Makes the kernel use a neighbour: it asks for it when it is not known or stale, and does nothing otherwise. Needs
     * NET_ADMIN.
     */
    void use(int device, int ipv4) throws CallFailed {
        // struct ndmsg: u8 family, pad1; u16 pad2; s32 ifindex; u16 state; u8 flags, type
        byte[] body = new Body()
                .int8(AF_INET)
                .int8(0)
                .int16(0)
                .int32(device)
                .int16(0)
                .int8(NTF_USE)
                .int8(0)
                .attribute(
                        NDA_DST,
                        ByteBuffer.allocate(4)
                                .order(ByteOrder.BIG_ENDIAN)
                                .putInt(ipv4)
                                .array())
                .toBytes();
        questions.ask(RTM_NEWNEIGH, NetlinkSocket.NLM_F_CREATE | NetlinkSocket.NLM_F_REPLACE, body);
    }

    /** Hands over what has changed; false when changes were lost and all has to be asked anew. */
    boolean changes(Consumer<Fact> consumer) throws CallFailed {
        return changes.drain(m -> facts(List.of(m)).forEach(consumer));
    }

    private static List<Fact> facts(List<Message> messages) {
        List<Fact> facts = new ArrayList<>();
        for (Message m : messages) {
            switch (m.type()) {
                case RTM_NEWLINK, RTM_DELLINK -> facts.add(device(m.body(), m.type() == RTM_DELLINK));
                case RTM_NEWNEIGH, RTM_DELNEIGH -> {
                    Neighbour n = neighbour(m.body(), m.type() == RTM_DELNEIGH);
                    if (n != null) {
                        facts.add(n);
                    }
                }
                case RTM_NEWROUTE, RTM_DELROUTE, RTM_NEWADDR, RTM_DELADDR -> facts.add(new Rerouted());
                default -> {
                    // Groups carry no other types that matter here.
                }
            }
        }
        return facts;
    }

    private static Device device(ByteBuffer body, boolean gone) {
        Map<Integer, ByteBuffer> a = NetlinkSocket.attributes(body, IFINFOMSG_BYTES);
        int flags = body.getInt(8);
        ByteBuffer mtu = a.get(IFLA_MTU);
        return new Device(
                body.getInt(4),
                NetlinkSocket.text(a.getOrDefault(IFLA_IFNAME, ByteBuffer.allocate(0))),
                (flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING),
                mac(a.get(IFLA_ADDRESS)),
                mtu == null ? 0 : mtu.getInt(0),
                gone);
    }

    private static @Nullable Neighbour neighbour(ByteBuffer body, boolean gone) {
        ByteBuffer address = NetlinkSocket.attributes(body, NDMSG_BYTES).get(NDA_DST);
        if (body.get(0) != AF_INET || address == null) {
            return null;
        }
        int state = gone ? 0 : Short.toUnsignedInt(body.getShort(8));
        long mac = mac(NetlinkSocket.attributes(body, NDMSG_BYTES).get(NDA_LLADDR));
        return new Neighbour(body.getInt(4), ipv4(address), mac, state);
    }

    private static int ipv4(@Nullable ByteBuffer attribute) {
        return attribute == null || attribute.limit() < 4
                ? 0
                : attribute.duplicate().order(ByteOrder.BIG_ENDIAN).getInt(0);
    }

    private static long mac(@Nullable ByteBuffer attribute) {
        if (attribute == null || attribute.limit() != 6) {
            return 0;
        }
        long mac = 0;
        for (int i = 0; i < 6; i++) {
            mac = mac << 8 | Byte.toUnsignedLong(attribute.get(i));
        }
        return mac;
    }

    @Override
    public void close() {
        changes.close();
        questions.close();
    }
}
