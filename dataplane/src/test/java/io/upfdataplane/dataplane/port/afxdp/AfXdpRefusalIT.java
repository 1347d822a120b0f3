package io.upfdataplane.dataplane.port.afxdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.upfdataplane.dataplane.ffi.IfXdp;
import io.upfdataplane.dataplane.ffi.Libbpf;
import io.upfdataplane.dataplane.ffi.Libc;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.SharedFramePool;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import java.io.BufferedReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where AF_XDP cannot start, or finds what others left: what it says, and that nothing stays behind. */
@Timeout(120)
class AfXdpRefusalIT {
    private AfXdpRig rig;

    @BeforeEach
    void setUp() throws Exception {
        rig = new AfXdpRig();
    }

    @AfterEach
    void tearDown() {
        rig.close();
    }

    @Test
    void refusesAnMtuThatNoFrameHolds() {
        rig.net.ip("upf", "link", "set", "n3", "mtu", "1900");
        PortRefused refused = refusedBy(AfXdpRig.plan());
        assertThat(refused.check()).isEqualTo("MtuFitsXdp");
        assertThat(refused.found()).contains("n3").contains("1900");
        assertThat(refused.needed()).contains("1778");
        assertThat(refused.hint()).contains("umem.frameSize to 4096");
        assertNothingIsLeft();
    }

    @Test
    void refusesAnMtuThatNativeXdpCannotTake() throws Exception {
        rig.net.ip("gnb", "link", "set", "g0", "mtu", "9000");
        PortRefused refused = refusedBy(AfXdpRig.plan());
        assertThat(refused.check()).isEqualTo("MtuFitsXdp");
        assertThat(refused.found()).contains("ERANGE");
        assertThat(refused.needed()).contains("3506");
        assertNothingIsLeft();
        // The number named is one that works.
        FramePool large = SharedFramePool.open(16384, 4096, false);
        for (String[] end : new String[][] {{"gnb", "g0"}, {"upf", "n3"}}) {
            rig.net.ip(end[0], "link", "set", end[1], "mtu", "3506");
        }
        rig.net.inside("upf", () -> AfXdpPortSet.open(AfXdpRig.plan(), large)).close();
        assertThat(large.free()).isEqualTo(large.frames());
        large.close();
    }

    @Test
    void refusesZeroCopyOnVethWhereItIsRequired() {
        PortRefused refused = refusedBy(AfXdpRig.plan(1, PortPlan.ZeroCopy.REQUIRE, false));
        assertThat(refused.check()).isEqualTo("XdpZeroCopy");
        assertThat(refused.found()).contains("bind(n3").contains("EOPNOTSUPP");
        assertNothingIsLeft();
    }

    @Test
    void refusesADriverWithoutNativeXdpUnlessGenericIsAllowed() throws Exception {
        rig.net.ip("upf", "link", "add", "link", "n3", "name", "macvlan0", "type", "macvlan");
        rig.net.ip("upf", "link", "set", "macvlan0", "up");
        PortRefused refused = refusedBy(AfXdpRig.plan("macvlan0", "n6", 1, PortPlan.ZeroCopy.NEVER, false));
        assertThat(refused.check()).isEqualTo("XdpDriver");
        assertThat(refused.found()).contains("macvlan0").contains("EOPNOTSUPP");
        assertNothingIsLeft();
        PortPlan prefer = AfXdpRig.plan("macvlan0", "n6", 1, PortPlan.ZeroCopy.PREFER, false);
        try (AfXdpPortSet set = rig.open(prefer)) {
            assertThat(set.facts().xdpAttach()).isEqualTo("Generic");
            assertThat(set.facts().zeroCopy()).isFalse();
        }
    }

    @Test
    void refusesADeviceThatIsNotThere() {
        PortRefused refused = refusedBy(AfXdpRig.plan("n9", "n6", 1, PortPlan.ZeroCopy.PREFER, false));
        assertThat(refused.check()).isEqualTo("InterfaceExists");
        assertThat(refused.found()).contains("n9");
        assertNothingIsLeft();
    }

    @Test
    void refusesAPoolThatCannotKeepTheFillRingsSupplied() throws Exception {
        FramePool small = SharedFramePool.open(4096, 2048, false);
        PortRefused refused = catchThrowableOfType(
                PortRefused.class, () -> rig.net.inside("upf", () -> AfXdpPortSet.open(AfXdpRig.plan(), small)));
        assertThat(refused.check()).isEqualTo("UmemSize");
        assertThat(refused.found()).contains("4096");
        assertThat(refused.needed()).contains("16384");
        small.close();
    }

    @Test
    void refusesWithoutTheRightToLockTheUmem() throws Exception {
        String said = childSays("-ipc_lock");
        assertThat(said).contains("refused Memlock").contains("XDP_UMEM_REG");
        assertNothingIsLeft();
    }

    @Test
    void namesTheMissingCapabilities() throws Exception {
        String said = childSays("-net_admin,-bpf,-sys_admin");
        assertThat(said).contains("refused Capabilities").contains("NET_ADMIN").contains("BPF");
        assertNothingIsLeft();
    }

    @Test
    void leavesAForeignProgramWhereItIs(@TempDir Path folder) throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            Libbpf libbpf = new Libbpf();
            long object = libbpf.objectOpen(passProgram(folder, arena), arena.allocate(1024));
            assertThat(object).isPositive();
            assertThat(libbpf.objectLoad(object)).isZero();
            int link = rig.net.inside(
                    "upf",
                    () -> libbpf.xdpLinkCreate(
                            libbpf.programFd(object, "somebody_elses"),
                            Libc.ifNameToIndex("n6"),
                            IfXdp.XDP_FLAGS_DRV_MODE));
            assertThat(link).isPositive();
            PortRefused refused = refusedBy(AfXdpRig.plan());
            assertThat(refused.check()).isEqualTo("DeviceFree");
            assertThat(refused.found()).contains("n6").contains("somebody_elses");
            assertThat(refused.hint()).contains("xdp off");
            assertThat(xdpOn("n6")).isTrue();
            assertThat(xdpOn("n3")).isFalse();
            Libc.close(link);
            libbpf.objectClose(object);
        }
    }

    @Test
    void replacesItsOwnStaleProgram() throws Exception {
        Libbpf libbpf = new Libbpf();
        try (XdpProgram stale = XdpProgram.load(List.of(), 1, List.of(), 1)) {
            int attached = rig.net.inside(
                    "upf",
                    () -> libbpf.xdpAttach(Libc.ifNameToIndex("n3"), stale.descriptor(), IfXdp.XDP_FLAGS_DRV_MODE));
            assertThat(attached).isZero();
        }
        assertThat(xdpOn("n3")).as("outlives whoever attached it").isTrue();
        rig.open(AfXdpRig.plan()).close();
        assertNothingIsLeft();
    }

    @Test
    void refusesADeviceOfAnotherLivingDataplane() throws Exception {
        try (AfXdpPortSet first = rig.open(AfXdpRig.plan())) {
            first.engage();
            int free = rig.pool.free();
            PortRefused refused = catchThrowableOfType(
                    PortRefused.class, () -> rig.open(AfXdpRig.plan()).close());
            assertThat(rig.pool.free()).isEqualTo(free);
            assertThat(refused.check()).isEqualTo("DeviceFree");
            assertThat(refused.found()).contains("living dataplane");
            assertThat(xdpOn("n3")).isTrue();
        }
        assertNothingIsLeft();
    }

    @Test
    void waitsForAQueueThatIsJustBeingGivenUp() throws Exception {
        FramePool other = SharedFramePool.open(16384, 2048, false);
        XskSockets holder = holdQueues(other);
        CompletableFuture<Void> letGo = CompletableFuture.runAsync(() -> {
            sleep(500);
            holder.close();
        });
        rig.open(AfXdpRig.plan()).close();
        letGo.get();
        other.close();
        assertNothingIsLeft();
    }

    @Test
    void refusesAQueueThatStaysInUse() throws Exception {
        FramePool other = SharedFramePool.open(16384, 2048, false);
        try (XskSockets holder = holdQueues(other)) {
            assertThat(holder.isZeroCopy()).isFalse();
            PortRefused refused = refusedBy(AfXdpRig.plan(1, PortPlan.ZeroCopy.NEVER, false));
            assertThat(refused.check()).isEqualTo("DeviceFree");
            assertThat(refused.found()).contains("EBUSY");
        }
        other.close();
        assertNothingIsLeft();
    }

    @Test
    void killedLeavesNoProgramBehind() throws Exception {
        Process child = child("");
        try (BufferedReader said = child.inputReader()) {
            assertThat(lastOf(said)).isEqualTo("engaged");
            assertThat(xdpOn("n3")).isTrue();
        } finally {
            child.destroyForcibly().waitFor();
        }
        for (int waits = 0; waits < 200 && (xdpOn("n3") || xdpOn("n6")); waits++) {
            Thread.sleep(10);
        }
        assertNothingIsLeft();
        // And the queues can be taken at once.
        rig.open(AfXdpRig.plan()).close();
    }

    private XskSockets holdQueues(FramePool pool) throws Exception {
        return rig.net.inside(
                "upf",
                () -> XskSockets.open(List.of(NetDevice.of("n3"), NetDevice.of("n6")), AfXdpRig.plan(), pool, false));
    }

    private static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private PortRefused refusedBy(PortPlan plan) {
        PortRefused refused =
                catchThrowableOfType(PortRefused.class, () -> rig.open(plan).close());
        assertThat(refused).isNotNull();
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
        return refused;
    }

    private void assertNothingIsLeft() {
        assertThat(xdpOn("n3")).isFalse();
        assertThat(xdpOn("n6")).isFalse();
        assertThat(rig.pool.free()).isEqualTo(rig.pool.frames());
    }

    private boolean xdpOn(String device) {
        return rig.net.ip("upf", "link", "show", device).contains("prog/xdp");
    }

    private static MemorySegment passProgram(Path folder, Arena arena) throws Exception {
        Path source = folder.resolve("pass.c");
        Path object = folder.resolve("pass.o");
        Files.writeString(source, """
                __attribute__((section("xdp"), used)) int somebody_elses(void *context) { return 2; }
                """);
        NetNamespaceFixture.run(
                "clang", "-O2", "-g", "-target", "bpf", "-c", source.toString(), "-o", object.toString());
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, Files.readAllBytes(object));
    }

    /** What a child without some capabilities says. */
    private String childSays(String boundingSet) throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/setpriv")), "skipped: setpriv is not installed");
        Process child = child(boundingSet);
        try (BufferedReader said = child.inputReader()) {
            return lastOf(said);
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private static String lastOf(BufferedReader said) throws Exception {
        StringBuilder all = new StringBuilder();
        String line = said.readLine();
        while (line != null && !line.equals("engaged") && !line.startsWith("refused")) {
            all.append(line).append('\n');
            line = said.readLine();
        }
        return line == null ? "nothing, but: " + all : line;
    }

    /** Entering the namespace needs SYS_ADMIN, so the capabilities are dropped after it. */
    private Process child(String boundingSet) throws Exception {
        List<String> command = new ArrayList<>();
        if (!boundingSet.isEmpty()) {
            command.addAll(List.of("setpriv", "--bounding-set", boundingSet, "--inh-caps", boundingSet));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                AfXdpHolder.class.getName()));
        return rig.net.start("upf", command.toArray(String[]::new));
    }
}
