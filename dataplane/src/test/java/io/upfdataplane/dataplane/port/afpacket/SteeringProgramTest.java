package io.upfdataplane.dataplane.port.afpacket;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.ffi.Errno;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.wire.Steering;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The kernel runs the fanout program as a filter of a local socket, which cuts each datagram to the program's result: so
 * the length that arrives is the worker, and nothing arrives for worker 0.
 */
class SteeringProgramTest {
    private static final int AF_UNIX = 1;
    private static final int N3 = Frames.ipv4("10.33.0.1");
    private static final int UE = Frames.ipv4("10.60.1.2");
    private static final int DN = Frames.ipv4("8.8.8.8");

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment name = arena.allocate(110);
    private final MemorySegment packet = arena.allocate(4096);
    private final MemorySegment cut = arena.allocate(4096);
    private int nameBytes;
    private int receiver;
    private int sender;

    @BeforeEach
    void open() {
        byte[] path = ("\0steering-" + ProcessHandle.current().pid() + "-" + System.nanoTime())
                .getBytes(StandardCharsets.US_ASCII);
        name.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(path, 0, name, ValueLayout.JAVA_BYTE, 2, path.length);
        nameBytes = 2 + path.length;
        receiver = Libc.socket(AF_UNIX, Libc.SOCK_DGRAM, 0);
        sender = Libc.socket(AF_UNIX, Libc.SOCK_DGRAM, 0);
        assertThat(Libc.bind(receiver, name.address(), nameBytes)).isZero();
    }

    @AfterEach
    void close() {
        Libc.close(receiver);
        Libc.close(sender);
        arena.close();
    }

    private void attach(int workers) {
        MemorySegment program = PacketPrograms.steering(N3, workers).assemble(arena);
        assertThat(Libc.setsockopt(receiver, Libc.SOL_SOCKET, Libc.SO_ATTACH_FILTER, program.address(), 16))
                .isZero();
    }

    private int workerByKernel(byte[] ip) {
        MemorySegment.copy(ip, 0, packet, ValueLayout.JAVA_BYTE, 0, ip.length);
        assertThat(Libc.sendto(sender, packet.address(), ip.length, 0, name.address(), nameBytes))
                .isEqualTo(ip.length);
        int length = Libc.recv(receiver, cut.address(), 4096, Libc.MSG_DONTWAIT);
        return length == -Errno.EAGAIN ? 0 : length;
    }

    private int workerByJava(byte[] ip, int workers) {
        MemorySegment.copy(ip, 0, packet, ValueLayout.JAVA_BYTE, 0, ip.length);
        return Steering.workerOf(packet.address(), packet.address() + ip.length, N3, workers);
    }

    private static byte[] uplink(int qfi, int ue) {
        byte[] inner = Frames.udp(ue, DN, 1000, 53, new byte[30]);
        return Frames.udp(Frames.ipv4("10.33.0.2"), N3, 2152, 2152, Frames.gpdu(0x4711, qfi, inner));
    }

    @Test
    void uplinkAndDownlinkOfAUeGoToTheSameWorker() {
        attach(4);
        for (int i = 0; i < 1000; i++) {
            int ue = UE + i * 7;
            int owner = Steering.workerOfUe(ue, 4);
            assertThat(workerByKernel(uplink(-1, ue))).isEqualTo(owner);
            assertThat(workerByKernel(uplink(9, ue))).isEqualTo(owner);
            assertThat(workerByKernel(Frames.udp(DN, ue, 53, 1000, new byte[30])))
                    .isEqualTo(owner);
        }
    }

    @Test
    void theProgramAndTheJavaFunctionAgreeOnAnyBytesAtAnyLength() {
        SplittableRandom random = new SplittableRandom(3);
        for (int workers : new int[] {1, 2, 3, 5, 16}) {
            attach(workers);
            byte[][] seeds = {
                uplink(-1, UE),
                uplink(9, UE),
                Frames.udp(DN, UE, 53, 1000, new byte[30]),
                Frames.udp(UE, N3, 8805, 8805, new byte[30]),
                Frames.udp(UE, N3, 2152, 2152, new byte[] {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0}),
            };
            for (int i = 0; i < 20_000; i++) {
                byte[] ip = seeds[random.nextInt(seeds.length)].clone();
                for (int change = random.nextInt(4); change > 0; change--) {
                    // Mostly in the headers, often a single bit, so that what follows is still walked.
                    int at = random.nextInt(Math.min(ip.length, 60));
                    ip[at] = (byte) (random.nextBoolean() ? ip[at] ^ 1 << random.nextInt(8) : random.nextInt(256));
                }
                if (random.nextInt(3) == 0) {
                    ip = Arrays.copyOf(ip, random.nextInt(1, ip.length + 1));
                }
                // A datagram shorter than its worker's number cannot tell it.
                ip = ip.length < 16 ? Arrays.copyOf(ip, 16) : ip;
                assertThat(workerByKernel(ip))
                        .as("%d workers, %s", workers, HexFormat.of().formatHex(ip))
                        .isEqualTo(workerByJava(ip, workers));
            }
        }
    }
}
