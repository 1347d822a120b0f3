package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.ffi.Libbpf;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.wire.Steering;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The XDP program on made-up packets (BPF_PROG_TEST_RUN) beside the same function in Java. */
class XdpProgramIT {
    private static final int XDP_PASS = 2;
    private static final int LOOPBACK = 1;
    private static final int N3 = Frames.ipv4("10.33.0.1");
    private static final int GNB = Frames.ipv4("10.33.0.2");
    private static final int DN = Frames.ipv4("10.99.0.2");
    private static final int UE = Frames.ipv4("10.60.0.1");
    private static final byte[] MAC = {2, 0, 0, 0, 0, 1};
    private static final int IP = 14;

    private final Libbpf libbpf = new Libbpf();

    @BeforeEach
    void needsRoot() {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "skipped: loading BPF needs root");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 64})
    void choosesTheSameWorkerAsJava(int workers) throws Exception {
        Random random = new Random(workers);
        try (XdpProgram program = load(workers)) {
            program.redirect(true);
            int mine = 0;
            for (int i = 0; i < 4000; i++) {
                byte[] frame = random(random);
                int expected = isOurs(frame) ? javaWorker(frame, workers) : -1;
                mine += expected >= 0 ? 1 : 0;
                assertThat(chosen(program, frame))
                        .as("packet %d: %s", i, HexFormat.of().formatHex(frame))
                        .isEqualTo(expected);
            }
            assertThat(mine).isBetween(1000, 3900);
        }
    }

    @Test
    void takesLaterFragmentsOfGtpuOnly() throws Exception {
        try (XdpProgram program = load(2)) {
            program.redirect(true);
            byte[] first = fragment(2152, 7, 0x2000);
            byte[] later = fragment(0, 7, 100);
            byte[] ofLargeN4Message = fragment(0, 8, 100);
            assertThat(chosen(program, later)).as("before its first fragment").isEqualTo(-1);
            int worker = Steering.workerOfUe(N3, 2);
            assertThat(chosen(program, first)).isEqualTo(worker);
            assertThat(chosen(program, later)).isEqualTo(worker);
            assertThat(chosen(program, fragment(8805, 8, 0x2000))).isEqualTo(-1);
            assertThat(chosen(program, ofLargeN4Message)).isEqualTo(-1);
            assertThat(program.counters().fragments()).isEqualTo(2);
        }
    }

    @Test
    void passesEverythingWhileRedirectIsOff() throws Exception {
        try (XdpProgram program = load(2)) {
            byte[] ours = Frames.ethernet(MAC, MAC, Frames.udp(DN, UE, 1, 2, new byte[20]));
            assertThat(run(program, ours)).isEqualTo(XDP_PASS);
            assertThat(program.counters().passedWhileOff()).isEqualTo(1);
            program.redirect(true);
            run(program, ours);
            program.redirect(false);
            run(program, ours);
            assertThat(program.counters().passedWhileOff()).isEqualTo(2);
            assertThat(program.counters().steered().stream().mapToLong(n -> n).sum())
                    .isEqualTo(1);
        }
    }

    @Test
    void leavesTheKernelsPacketsToTheKernel() throws Exception {
        try (XdpProgram program = load(2)) {
            program.redirect(true);
            byte[] arp = Frames.ethernet(MAC, MAC, new byte[46]);
            arp[13] = 6;
            byte[] vlan = Frames.ethernet(MAC, MAC, Frames.udp(DN, UE, 1, 2, new byte[20]));
            vlan[12] = (byte) 0x81;
            byte[] multicast =
                    Frames.ethernet(new byte[] {1, 0, 0x5e, 0, 0, 1}, MAC, Frames.udp(DN, UE, 1, 2, new byte[20]));
            byte[] broadcast = multicast.clone();
            Arrays.fill(broadcast, 0, 6, (byte) 0xff);
            byte[] toAnother = multicast.clone();
            System.arraycopy(MAC, 0, toAnother, 0, 6);
            toAnother[5]++;
            for (byte[] frame : List.of(
                    arp,
                    vlan,
                    multicast,
                    broadcast,
                    toAnother,
                    Frames.ethernet(MAC, MAC, Frames.ipv4(GNB, N3, 1, new byte[8])), // ping
                    Frames.ethernet(MAC, MAC, Frames.ipv4(GNB, N3, 6, new byte[20])), // ssh
                    Frames.ethernet(MAC, MAC, Frames.udp(GNB, N3, 8805, 8805, new byte[16])), // N4
                    Frames.ethernet(MAC, MAC, Frames.udp(GNB, DN, 2152, 2152, new byte[16])))) {
                assertThat(chosen(program, frame)).isEqualTo(-1);
            }
            assertThat(program.counters().passed()).isEqualTo(9);
        }
    }

    @Test
    void readsWithinEveryTruncation() throws Exception {
        byte[] whole = uplink(UE, 0x85);
        try (XdpProgram program = load(3)) {
            program.redirect(true);
            for (int length = IP; length <= whole.length; length++) {
                byte[] frame = Arrays.copyOf(whole, length);
                assertThat(chosen(program, frame))
                        .as("%d bytes", length)
                        .isEqualTo(isOurs(frame) ? javaWorker(frame, 3) : -1);
            }
        }
    }

    private static XdpProgram load(int workers) throws PortRefused {
        return XdpProgram.load(
                List.of(new XdpProgram.Duty(LOOPBACK, 0x02_00_00_00_00_01L, N3, 0, true)),
                workers,
                List.of(new PortPlan.Prefix(Frames.ipv4("10.60.0.0"), 16)),
                workers);
    }

    /** The worker chosen, or -1 when the packet passes. */
    private int chosen(XdpProgram program, byte[] frame) {
        List<Long> before = program.counters().steered();
        int action = run(program, frame);
        List<Long> after = program.counters().steered();
        assertThat(action).isEqualTo(XDP_PASS); // no socket is there
        int chosen = -1;
        for (int worker = 0; worker < after.size(); worker++) {
            if (after.get(worker) > before.get(worker)) {
                assertThat(chosen).isEqualTo(-1);
                chosen = worker;
            }
        }
        return chosen;
    }

    private int run(XdpProgram program, byte[] frame) {
        try (Arena arena = Arena.ofConfined()) {
            return libbpf.programTestRun(program.descriptor(), arena.allocateFrom(ValueLayout.JAVA_BYTE, frame));
        }
    }

    private static int javaWorker(byte[] frame, int workers) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, frame);
            return Steering.workerOf(memory.address() + IP, memory.address() + frame.length, N3, workers);
        }
    }

    /** What ARCHITECTURE.md says is ours, for one device that carries N3 and N6. */
    private static boolean isOurs(byte[] frame) {
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        if (frame.length < IP + 20 || bytes.getShort(12) != 0x0800 || frame[IP] >>> 4 != 4 || (frame[IP] & 0xf) < 5) {
            return false;
        }
        int destination = bytes.getInt(IP + 16);
        if (destination >>> 16 == UE >>> 16) {
            return true;
        }
        int udp = IP + (frame[IP] & 0xf) * 4;
        return destination == N3
                && frame[IP + 9] == 17
                && (bytes.getShort(IP + 6) & 0x1fff) == 0
                && udp + 8 <= frame.length
                && bytes.getShort(udp + 2) == 2152;
    }

    private static byte[] random(Random random) {
        int ue = UE + random.nextInt(1 << 15);
        if (random.nextInt(4) == 0) {
            return Frames.ethernet(MAC, MAC, Frames.udp(DN, ue, 1, 2, new byte[20]));
        }
        int extension = new int[] {-1, 0, 0x85, 0x85, 0x85, 0x84, 0xc0}[random.nextInt(7)];
        byte[] frame = uplink(ue, extension);
        int ip = IP;
        int gtpu = ip + 28;
        // One to three places that the walk looks at get other values.
        for (int n = random.nextInt(4); n > 0; n--) {
            int[] places = {
                ip, ip + 9, ip + 16, ip + 19, ip + 30, gtpu, gtpu + 1, gtpu + 7, gtpu + 11, gtpu + 12, gtpu + 15,
                gtpu + 16, gtpu + 28
            };
            int place = places[random.nextInt(places.length)];
            if (place < frame.length) {
                frame[place] = (byte) (random.nextBoolean() ? random.nextInt(6) : random.nextInt(256));
            }
        }
        // Options in the outer header.
        if (random.nextInt(8) == 0) {
            byte[] longer = new byte[frame.length + 8];
            System.arraycopy(frame, 0, longer, 0, ip + 20);
            System.arraycopy(frame, ip + 20, longer, ip + 28, frame.length - ip - 20);
            longer[ip] = 0x47;
            frame = longer;
        }
        return random.nextInt(5) == 0 ? Arrays.copyOf(frame, IP + random.nextInt(frame.length - IP + 1)) : frame;
    }

    /**
     * @param extension type of the one extension header of random length, 0 for optional fields only, -1 for none
     */
    private static byte[] uplink(int ue, int extension) {
        byte[] inner = Frames.udp(ue, DN, 4000, 5000, new byte[20]);
        int optional = extension < 0 ? 0 : extension == 0 ? 4 : 4 + 4 * (1 + (ue & 7));
        ByteBuffer gtpu = ByteBuffer.allocate(8 + optional + inner.length)
                .put((byte) (extension < 0 ? 0x30 : extension == 0 ? 0x32 : 0x34))
                .put((byte) 255)
                .putShort((short) (optional + inner.length))
                .putInt(ue * 31);
        if (optional > 4) {
            gtpu.put(11, (byte) extension).put(12, (byte) (optional / 4 - 1));
        }
        gtpu.put(8 + optional, inner);
        return Frames.ethernet(MAC, MAC, Frames.udp(GNB, N3, 2152, 2152, gtpu.array()));
    }

    private static byte[] fragment(int port, int identification, int fragment) {
        byte[] ip = Frames.udp(GNB, N3, port, port, new byte[64]);
        ByteBuffer.wrap(ip).putShort(4, (short) identification).putShort(6, (short) fragment);
        return Frames.ethernet(MAC, MAC, ip);
    }
}
