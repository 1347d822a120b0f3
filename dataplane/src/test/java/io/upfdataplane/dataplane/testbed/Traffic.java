package io.upfdataplane.dataplane.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/**
 * Numbered packets through a UPF both ways, judged where they come out: a gNB and a data network outside it. Arrival
 * times are the kernel's.
 */
public final class Traffic implements AutoCloseable {
    public static final int DN = Frames.ipv4("10.99.0.2");
    private static final int GNB = Frames.ipv4("10.33.0.2");
    private static final int N3 = Frames.ipv4("10.33.0.1");
    private static final int PORT = 9000;
    private static final int PFCP_PORT = 8805;
    private static final int QFI = 9;
    private static final long NOTEWORTHY_PAUSE_NS = 5_000_000;

    /**
     * @param address host order
     */
    public record Ue(int address, int uplinkTeid, int downlinkTeid) {}

    /** One direction: who sends, and what arrived of each UE. */
    public static final class Direction {
        private final List<Ue> ues;
        private final List<List<Arrival>> arrivals = new ArrayList<>();
        private volatile long sent;
        private volatile boolean stopped;
        private volatile long bad;

        Direction(List<Ue> ues) {
            this.ues = ues;
            ues.forEach(u -> arrivals.add(new ArrayList<>()));
        }

        record Arrival(int number, long stampNs) {}

        private record Pause(long fromNs, long toNs) {}

        private final List<Pause> pauses = new ArrayList<>();

        private synchronized void paused(long fromNs, long toNs) {
            pauses.add(new Pause(fromNs, toNs));
        }

        /** The sender's own longest pause that lies within or reaches into the times: what no UPF can be blamed for. */
        public synchronized long longestPauseNs(long fromNs, long toNs) {
            return pauses.stream()
                    .filter(p -> p.toNs() >= fromNs && p.fromNs() <= toNs)
                    .mapToLong(p -> p.toNs() - p.fromNs())
                    .max()
                    .orElse(0);
        }

        public long sent() {
            return sent;
        }

        /** Frames that came and were none of ours, or had a wrong header. */
        public long bad() {
            return bad;
        }

        public synchronized long received() {
            return arrivals.stream().mapToLong(List::size).sum();
        }

        /** Frames of one UE. */
        public synchronized long receivedOf(int ue) {
            return arrivals.get(ue).size();
        }

        public synchronized long duplicated() {
            return arrivals.stream()
                    .mapToLong(a -> a.size()
                            - a.stream().mapToInt(Arrival::number).distinct().count())
                    .sum();
        }

        /** The first packets that came twice, for a message. */
        public synchronized String duplicates() {
            StringBuilder text = new StringBuilder();
            for (List<Arrival> of : arrivals) {
                java.util.Map<Integer, Long> first = new java.util.HashMap<>();
                for (Arrival a : of) {
                    Long stampNs = first.putIfAbsent(a.number(), a.stampNs());
                    if (stampNs != null && text.length() < 500) {
                        text.append(" number ")
                                .append(a.number())
                                .append(" again after ")
                                .append((a.stampNs() - stampNs) / 1000)
                                .append(" us;");
                    }
                }
            }
            return text.toString();
        }

        public synchronized long reordered() {
            long reordered = 0;
            for (List<Arrival> of : arrivals) {
                for (int i = 1; i < of.size(); i++) {
                    reordered += of.get(i).number() < of.get(i - 1).number() ? 1 : 0;
                }
            }
            return reordered;
        }

        /** Longest time without a packet to any of the chosen UEs, of gaps that lie within or reach into the times. */
        public synchronized long longestGapNs(IntPredicate chosen, long fromNs, long toNs) {
            long[] stamps = java.util.stream.IntStream.range(0, ues.size())
                    .filter(chosen)
                    .mapToObj(arrivals::get)
                    .flatMap(List::stream)
                    .mapToLong(Arrival::stampNs)
                    .sorted()
                    .toArray();
            long longest = 0;
            for (int i = 1; i < stamps.length; i++) {
                if (stamps[i] >= fromNs && stamps[i - 1] <= toNs) {
                    longest = Math.max(longest, stamps[i] - stamps[i - 1]);
                }
            }
            return longest;
        }

        private synchronized void arrived(int ue, int number, long stampNs) {
            arrivals.get(ue).add(new Arrival(number, stampNs));
        }
    }

    private final List<Ue> ues;
    private final long intervalNs;
    private final Direction uplink;
    private final Direction downlink;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean sending = true;
    private volatile boolean receiving = true;

    /**
     * Starts at once. The namespaces are {@code gnb} with n3p and {@code dn} with n6p; the UPF's devices are n3, n6.
     *
     * @param packetsPerSecond of all UEs together, each way
     */
    public Traffic(NetNamespaceFixture ns, List<Ue> ues, int packetsPerSecond) {
        this.ues = ues;
        intervalNs = 1_000_000_000L / packetsPerSecond;
        uplink = new Direction(ues);
        downlink = new Direction(ues);
        byte[] gnbMac = ns.mac("gnb", "n3p");
        byte[] n3Mac = ns.mac("upf", "n3");
        byte[] dnMac = ns.mac("dn", "n6p");
        byte[] n6Mac = ns.mac("upf", "n6");
        start(ns, "dn", () -> receive("n6p", uplink, Traffic::uplinkUe));
        start(ns, "gnb", () -> receive("n3p", downlink, this::downlinkUe));
        start(
                ns,
                "gnb",
                () -> send("n3p", uplink, (ue, number) -> {
                    byte[] inner = Frames.udp(ue.address(), DN, PORT, PORT, Frames.sequence(number, 64));
                    byte[] outer = Frames.udp(
                            GNB, N3, Frames.GTPU_PORT, Frames.GTPU_PORT, Frames.gpdu(ue.uplinkTeid(), QFI, inner));
                    return Frames.ethernet(n3Mac, gnbMac, outer);
                }));
        start(
                ns,
                "dn",
                () -> send(
                        "n6p",
                        downlink,
                        (ue, number) -> Frames.ethernet(
                                n6Mac, dnMac, Frames.udp(DN, ue.address(), PORT, PORT, Frames.sequence(number, 64)))));
    }

    private interface Task {
        void run() throws IOException;
    }

    private interface Maker {
        byte[] frame(Ue ue, int number);
    }

    private void start(NetNamespaceFixture ns, String role, Task task) {
        Thread thread = ns.thread(role, () -> {
            try {
                task.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        thread.start();
        threads.add(thread);
    }

    private void send(String device, Direction direction, Maker maker) throws IOException {
        try (RawSocket socket = new RawSocket(device)) {
            long nextNs = System.nanoTime();
            int[] numbers = new int[ues.size()];
            int turn = 0;
            long lastNs = wallNs();
            while (sending) {
                long nowNs = wallNs();
                if (nowNs - lastNs > NOTEWORTHY_PAUSE_NS) {
                    direction.paused(lastNs, nowNs);
                }
                lastNs = nowNs;
                int ue = turn++ % ues.size();
                socket.send(maker.frame(ues.get(ue), numbers[ue]++));
                direction.sent++;
                nextNs += intervalNs;
                long pauseNs = nextNs - System.nanoTime();
                if (pauseNs > 0) {
                    LockSupport.parkNanos(pauseNs);
                }
            }
            direction.stopped = true;
        }
    }

    private static long wallNs() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }

    private interface Classifier {
        /** The UE's address and the offset of the number in {@code found}; false when the frame is none of ours. */
        boolean find(byte[] frame, int[] found);
    }

    private void receive(String device, Direction direction, Classifier classifier) throws IOException {
        try (RawSocket socket = new RawSocket(device)) {
            socket.lastStampNs();
            int[] found = new int[2];
            while (receiving) {
                byte[] frame = socket.receive(50);
                if (frame.length < 43 || frame[12] != 8 || frame[13] != 0 || isPfcp(frame) || carriesIcmp(frame)) {
                    continue;
                }
                if (!classifier.find(frame, found)) {
                    direction.bad++;
                    continue;
                }
                int ue = indexOf(found[0]);
                // A UDP checksum of 0 is none (RFC 768), as an outer header may have.
                boolean none = frame[40] == 0 && frame[41] == 0;
                if (ue < 0 || !(none || Frames.hasRightChecksums(frame))) {
                    direction.bad++;
                } else {
                    direction.arrived(ue, ByteBuffer.wrap(frame).getInt(found[1]), socket.lastStampNs());
                }
            }
        }
    }

    /** The UPF's own heartbeats go the same way. */
    private static boolean isPfcp(byte[] frame) {
        return frame[23] == 17 && ByteBuffer.wrap(frame).getShort(36) == PFCP_PORT;
    }

    /** Nobody listens at the ports of these packets, so the data network's kernel says so to the UE, through the UPF. */
    private static boolean carriesIcmp(byte[] frame) {
        ByteBuffer b = ByteBuffer.wrap(frame);
        int inner = 42 + ((frame[42] & 7) == 0 ? 8 : 16);
        return frame[23] == 17
                && b.getShort(36) == Frames.GTPU_PORT
                && frame.length > inner + 9
                && frame[inner + 9] == 1;
    }

    private int indexOf(int address) {
        for (int i = 0; i < ues.size(); i++) {
            if (ues.get(i).address() == address) {
                return i;
            }
        }
        return -1;
    }

    private static boolean uplinkUe(byte[] frame, int[] found) {
        ByteBuffer b = ByteBuffer.wrap(frame);
        found[0] = b.getInt(26);
        found[1] = 42;
        return frame[23] == 17 && b.getInt(30) == DN && b.getShort(36) == PORT;
    }

    /** Outer 14 + 20 + 8, GTP-U 8 or 16, inner 20 + 8. */
    private boolean downlinkUe(byte[] frame, int[] found) {
        ByteBuffer b = ByteBuffer.wrap(frame);
        if (frame[23] != 17 || b.getShort(36) != Frames.GTPU_PORT || frame.length < 78) {
            return false;
        }
        int inner = 42 + ((frame[42] & 7) == 0 ? 8 : 16);
        found[0] = b.getInt(inner + 16);
        found[1] = inner + 28;
        int ue = indexOf(found[0]);
        return ue >= 0 && b.getInt(46) == ues.get(ue).downlinkTeid();
    }

    public Direction uplink() {
        return uplink;
    }

    public Direction downlink() {
        return downlink;
    }

    /** Stops sending and waits for the last packets to arrive. */
    public void drain() throws InterruptedException {
        sending = false;
        long untilNs = System.nanoTime() + 10_000_000_000L;
        while (!(uplink.stopped && downlink.stopped) && System.nanoTime() < untilNs) {
            Thread.sleep(10);
        }
        long before = -1;
        for (long now = uplink.received() + downlink.received(); now != before; ) {
            before = now;
            Thread.sleep(300);
            now = uplink.received() + downlink.received();
        }
    }

    @Override
    public void close() throws InterruptedException {
        sending = false;
        receiving = false;
        for (Thread thread : threads) {
            thread.join(10_000);
        }
    }
}
