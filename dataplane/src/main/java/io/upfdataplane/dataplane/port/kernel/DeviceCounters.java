package io.upfdataplane.dataplane.port.kernel;

import io.upfdataplane.dataplane.ffi.Errno.CallFailed;
import io.upfdataplane.dataplane.ffi.NetlinkSocket;
import io.upfdataplane.dataplane.ffi.NetlinkSocket.Message;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the kernel itself counts of frames that our own devices lost ({@code struct rtnl_link_stats64}), since the first
 * look. A device that is made anew begins at 0, and what was counted of the old one stays. Control thread only.
 */
public final class DeviceCounters implements AutoCloseable {
    private static final int RTM_GETLINK = 18;
    private static final int IFINFOMSG_BYTES = 16;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_STATS64 = 23;

    // Places in struct rtnl_link_stats64, of eight bytes each.
    private static final int RX_ERRORS = 4;
    private static final int TX_ERRORS = 5;
    private static final int RX_DROPPED = 6;
    private static final int TX_DROPPED = 7;
    private static final int RX_OVER_ERRORS = 11;
    private static final int RX_MISSED_ERRORS = 15;
    private static final int PLACES_NEEDED = 16;

    /**
     * Frames lost by a device.
     *
     * @param rxDropped by the driver or the stack on the way in; of AF_XDP this includes full rings, which the ports
     *     count, too
     * @param rxMissed by the device before the kernel saw them
     * @param rxErrors received spoilt
     * @param txDropped on the way out: the device was down, or what lies behind it had no room
     * @param txErrors on the way out, by the device
     */
    public record Lost(long rxDropped, long rxMissed, long rxErrors, long txDropped, long txErrors) {
        public static final Lost NONE = new Lost(0, 0, 0, 0, 0);

        private Lost plus(Lost other) {
            return new Lost(
                    rxDropped + other.rxDropped,
                    rxMissed + other.rxMissed,
                    rxErrors + other.rxErrors,
                    txDropped + other.txDropped,
                    txErrors + other.txErrors);
        }

        private Lost since(Lost earlier) {
            return new Lost(
                    grown(earlier.rxDropped, rxDropped),
                    grown(earlier.rxMissed, rxMissed),
                    grown(earlier.rxErrors, rxErrors),
                    grown(earlier.txDropped, txDropped),
                    grown(earlier.txErrors, txErrors));
        }

        private static long grown(long before, long now) {
            return now >= before ? now - before : now;
        }
    }

    private final NetlinkSocket socket;
    private final Map<String, Lost> seen = new HashMap<>();
    private final Map<String, Lost> totals = new HashMap<>();

    private DeviceCounters(NetlinkSocket socket) {
        this.socket = socket;
    }

    public static DeviceCounters open() throws CallFailed {
        return new DeviceCounters(NetlinkSocket.open(NetlinkSocket.NETLINK_ROUTE, 0));
    }

    /** What {@code device} has lost since it was first asked for; the last known while it cannot be asked. */
    public Lost lost(String device) {
        try {
            Lost now = ask(device);
            Lost before = seen.put(device, now);
            if (before != null) {
                totals.merge(device, now.since(before), Lost::plus);
            }
        } catch (CallFailed gone) {
            // Next hops and ports say that the device is gone; when it is back, it counts from 0.
            seen.put(device, Lost.NONE);
        }
        return totals.getOrDefault(device, Lost.NONE);
    }

    private Lost ask(String device) throws CallFailed {
        byte[] name = (device + '\0').getBytes(StandardCharsets.UTF_8);
        byte[] body = new NetlinkSocket.Body()
                .int32(0)
                .int32(0)
                .int32(0)
                .int32(0)
                .attribute(IFLA_IFNAME, name)
                .toBytes();
        List<Message> answers = socket.ask(RTM_GETLINK, 0, body);
        for (Message answer : answers) {
            ByteBuffer counts =
                    NetlinkSocket.attributes(answer.body(), IFINFOMSG_BYTES).get(IFLA_STATS64);
            if (counts != null && counts.limit() >= PLACES_NEEDED * Long.BYTES) {
                return new Lost(
                        at(counts, RX_DROPPED),
                        // A driver reports a full FIFO in one of these two.
                        at(counts, RX_MISSED_ERRORS) + at(counts, RX_OVER_ERRORS),
                        at(counts, RX_ERRORS),
                        at(counts, TX_DROPPED),
                        at(counts, TX_ERRORS));
            }
        }
        return Lost.NONE;
    }

    private static long at(ByteBuffer counts, int place) {
        return counts.getLong(place * Long.BYTES);
    }

    @Override
    public void close() {
        socket.close();
    }
}
