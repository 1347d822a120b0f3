package io.upfdataplane.dataplane.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.upfdataplane.dataplane.config.ConfigJudge;
import io.upfdataplane.dataplane.config.Judgement;
import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.preflight.Finding.Result;
import io.upfdataplane.dataplane.probe.NodeReport;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import io.upfdataplane.dataplane.probe.NodeReport.Offloads;
import io.upfdataplane.dataplane.probe.NodeReport.Peer;
import io.upfdataplane.dataplane.probe.NodeReport.Queues;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each check of the AF_PACKET and AF_XDP columns: when it refuses, warns or cannot know, and what it tells to do. */
class PreflightTest {
    @Test
    void aPlaceThatHasEverythingPassesInBothModes() throws Exception {
        for (String mode : List.of("AF_PACKET", "AF_XDP")) {
            List<Finding> findings = Preflight.judge(plan(mode, ""), new Here().facts());
            assertThat(findings)
                    .allSatisfy(f -> assertThat(f.result()).as("%s", f).isEqualTo(Result.Pass));
            assertThat(Preflight.passes(findings)).isTrue();
        }
    }

    @Test
    void eachModeHasItsColumn() throws Exception {
        Set<String> both = Set.of(
                "InterfaceExists",
                "DeviceFree",
                "AddressesAsRendered",
                "CpuLimit",
                "Kernel",
                "Capabilities",
                "MtuBudget",
                "QueueCount",
                "Offloads",
                "PfcpPort");
        assertThat(names("AF_PACKET")).containsExactlyInAnyOrderElementsOf(both);
        List<String> xdp = new ArrayList<>(both);
        xdp.addAll(List.of("BusyPollIsolation", "MtuFitsXdp", "XdpDriver", "XdpZeroCopy", "Memlock", "UmemSize"));
        assertThat(names("AF_XDP")).containsExactlyInAnyOrderElementsOf(xdp);
    }

    @Test
    void aMissingDeviceIsNamedWithThoseThatAreHere() throws Exception {
        Here here = new Here();
        here.devices.remove(0);
        Finding finding = find("InterfaceExists", "AF_XDP", "", here);
        assertThat(finding.result()).isEqualTo(Result.Fail);
        assertThat(finding.observed()).isEqualTo("no n3; this place has n6");
        assertThat(find("XdpDriver", "AF_XDP", "", here).result()).isEqualTo(Result.Unknown);
    }

    @Test
    void aDeviceWithTheDefaultRouteOrAMasterIsNeverTaken() throws Exception {
        for (String mode : List.of("AF_PACKET", "AF_XDP")) {
            assertThat(find("DeviceFree", mode, "", new Here().n3(d -> d.used("the default route", true, null)))
                            .result())
                    .isEqualTo(Result.Fail);
            assertThat(find("DeviceFree", mode, "", new Here().n3(d -> d.used("bridge br0", false, "br0")))
                            .observed())
                    .isEqualTo("n3 is in use by bridge br0");
        }
    }

    @Test
    void aForeignXdpProgramRefusesXdpAndWarnsAfPacket() throws Exception {
        Here here = new Here().n3(d -> d.used("XDP program 7", false, null));
        assertThat(find("DeviceFree", "AF_XDP", "", here).result()).isEqualTo(Result.Fail);
        assertThat(find("DeviceFree", "AF_PACKET", "", here).result()).isEqualTo(Result.Warn);
    }

    @Test
    void addressesThatAreNotAsRenderedAreRefusedWithTheCommand() throws Exception {
        Finding finding = find("AddressesAsRendered", "AF_PACKET", "", new Here().n3(d -> d.addresses("10.0.0.7/24")));
        assertThat(finding.result()).isEqualTo(Result.Fail);
        assertThat(finding.observed()).isEqualTo("n3 has 10.0.0.7/24, rendered was 10.33.0.1/24");
        assertThat(finding.hint()).isEqualTo("ip address add 10.33.0.1/24 dev n3");
    }

    @Test
    void aQuotaBelowWorkersAndControlIsRefused() throws Exception {
        Here here = new Here();
        here.quota = 2.0;
        Finding finding = find("CpuLimit", "AF_PACKET", "", here);
        assertThat(finding.result()).isEqualTo(Result.Fail);
        assertThat(finding.hint()).contains("set limits.cpu to 3").contains("workers to 1");
        here.quota = 3.0;
        assertThat(find("CpuLimit", "AF_PACKET", "", here).result()).isEqualTo(Result.Pass);
    }

    @Test
    void aSmallCpusetWarnsAndBusyPollIsNotDone() throws Exception {
        Here here = new Here();
        here.allowed = List.of(0, 1);
        assertThat(find("CpuLimit", "AF_XDP", "", here).result()).isEqualTo(Result.Warn);
        assertThat(find("BusyPollIsolation", "AF_XDP", "", here).result()).isEqualTo(Result.Pass);
        Finding finding = find("BusyPollIsolation", "AF_XDP", "poll: Busy", here);
        assertThat(finding.result()).isEqualTo(Result.Warn);
        assertThat(finding.hint()).contains("Adaptive");
    }

    @Test
    void anOldKernelIsRefusedByTheModeThatNeedsANewerOne() throws Exception {
        Here here = new Here();
        here.kernel = "5.4.0-42-generic";
        assertThat(find("Kernel", "AF_XDP", "", here).result()).isEqualTo(Result.Fail);
        assertThat(find("Kernel", "AF_PACKET", "", here).result()).isEqualTo(Result.Pass);
        here.kernel = "unknown";
        assertThat(find("Kernel", "AF_XDP", "", here).result()).isEqualTo(Result.Unknown);
    }

    @Test
    void capabilitiesAreNamedThatAreMissing() throws Exception {
        Here here = new Here();
        here.capabilities = List.of("CAP_NET_RAW");
        assertThat(find("Capabilities", "AF_XDP", "", here).observed()).isEqualTo("no NET_ADMIN, no IPC_LOCK, no BPF");
        assertThat(find("Capabilities", "AF_PACKET", "", here).result()).isEqualTo(Result.Warn);
        here.capabilities = List.of();
        assertThat(find("Capabilities", "AF_PACKET", "", here).result()).isEqualTo(Result.Fail);
        here.capabilities = List.of("CAP_NET_RAW", "CAP_NET_ADMIN", "CAP_IPC_LOCK", "CAP_SYS_ADMIN");
        assertThat(find("Capabilities", "AF_XDP", "", here).result()).isEqualTo(Result.Pass);
    }

    @Test
    void anN3WithoutRoomForTheTunnelIsRefusedWithTheFigures() throws Exception {
        Finding finding = find("MtuBudget", "AF_PACKET", "", new Here().n3(d -> d.mtu(1499)));
        assertThat(finding.result()).isEqualTo(Result.Fail);
        assertThat(finding.hint()).contains("N3 to 1500").contains("ueMtu to 1455");
    }

    @Test
    void anMtuThatXdpCannotTakeIsRefusedByXdpOnly() throws Exception {
        Here here = new Here().n3(d -> d.mtu(8901));
        Finding finding = find("MtuFitsXdp", "AF_XDP", "frameSize: 4096", here);
        assertThat(finding.result()).isEqualTo(Result.Fail);
        assertThat(finding.observed()).isEqualTo("n3 (veth) MTU 8901 is above 3506 for XDP");
        assertThat(names("AF_PACKET")).doesNotContain("MtuFitsXdp");
        assertThat(find("MtuFitsXdp", "AF_XDP", "", new Here().n3(d -> d.mtu(2000)))
                        .observed())
                .isEqualTo("n3 MTU 2000 is above 1778 for frames of 2048");
    }

    @Test
    void aDriverWithoutNativeXdpOrZeroCopyIsRefusedOnlyWhereItIsRequired() throws Exception {
        Here here = new Here().n3(d -> d.xdp(false, false));
        assertThat(find("XdpDriver", "AF_XDP", "", here).result()).isEqualTo(Result.Warn);
        assertThat(find("XdpZeroCopy", "AF_XDP", "", here).result()).isEqualTo(Result.Warn);
        assertThat(find("XdpDriver", "AF_XDP", "zeroCopy: Require", here).result())
                .isEqualTo(Result.Fail);
        assertThat(find("XdpZeroCopy", "AF_XDP", "zeroCopy: Require", here).result())
                .isEqualTo(Result.Fail);
        Here unknown = new Here().n3(d -> d.xdp(null, null));
        assertThat(find("XdpDriver", "AF_XDP", "", unknown).result()).isEqualTo(Result.Unknown);
        assertThat(find("XdpZeroCopy", "AF_XDP", "zeroCopy: Require", unknown).result())
                .isEqualTo(Result.Unknown);
    }

    @Test
    void fewerQueuesThanWorkersWarn() throws Exception {
        Finding finding = find("QueueCount", "AF_XDP", "", new Here().n3(d -> d.queues(1)));
        assertThat(finding.result()).isEqualTo(Result.Warn);
        assertThat(finding.hint()).contains("ethtool -L n3 combined 2");
    }

    @Test
    void aPoolThatMayNotBeLockedIsRefused() throws Exception {
        Here here = new Here();
        here.capabilities = List.of("CAP_NET_RAW", "CAP_NET_ADMIN", "CAP_BPF");
        here.memlock = 8L << 20;
        Finding finding = find("Memlock", "AF_XDP", "", here);
        assertThat(finding.result()).isEqualTo(Result.Fail);
        assertThat(finding.observed()).isEqualTo("RLIMIT_MEMLOCK 8 MiB and no IPC_LOCK");
        here.memlock = -1L;
        assertThat(find("Memlock", "AF_XDP", "", here).result()).isEqualTo(Result.Pass);
        here.memlock = null;
        assertThat(find("Memlock", "AF_XDP", "", here).result()).isEqualTo(Result.Unknown);
    }

    @Test
    void aPoolTooSmallForTheFillRingsOfAllQueuesIsRefused() throws Exception {
        Finding finding =
                find("UmemSize", "AF_XDP", "", new Here().n3(d -> d.queues(4)).n6(d -> d.queues(4)));
        assertThat(finding.result()).isEqualTo(Result.Fail);
        assertThat(finding.hint()).contains("umem.frames to 65536");
    }

    @Test
    void unfinishedChecksumsOfAPeerAndOffloadsThatCannotBeSwitchedOffWarn() throws Exception {
        Here here = new Here().n3(Dev::peerOffloads);
        Finding finding = find("Offloads", "AF_PACKET", "", here);
        assertThat(finding.result()).isEqualTo(Result.Warn);
        assertThat(finding.hint()).isEqualTo("ethtool -K gnb0 tx off");
        here.capabilities = List.of("CAP_NET_RAW");
        assertThat(find("Offloads", "AF_PACKET", "", here).hint()).contains("ethtool -K n3 gro off");
    }

    @Test
    void aTakenPfcpPortIsRefused() throws Exception {
        Here here = new Here();
        here.pfcpError = "bind(10.33.0.1:8805): Address already in use";
        assertThat(find("PfcpPort", "AF_PACKET", "", here).result()).isEqualTo(Result.Fail);
    }

    @Test
    void everyRefusalSaysFoundNeededAndDo() throws Exception {
        Here here = new Here().n3(d -> d.mtu(9000).queues(1).addresses().used("bridge br0", false, "br0"));
        here.quota = 1.0;
        here.capabilities = List.of();
        here.memlock = 1L;
        here.kernel = "3.10.0";
        here.pfcpError = "taken";
        assertThat(Preflight.judge(plan("AF_XDP", "zeroCopy: Require"), here.facts()).stream()
                        .filter(Finding::refuses)
                        .toList())
                .hasSizeGreaterThan(7)
                .allSatisfy(f -> {
                    assertThat(f.observed()).isNotBlank();
                    assertThat(f.required()).isNotBlank();
                    assertThat(f.hint()).isNotBlank();
                });
    }

    private static List<String> names(String mode) throws Exception {
        return Preflight.judge(plan(mode, ""), new Here().facts()).stream()
                .map(Finding::name)
                .toList();
    }

    private static Finding find(String check, String mode, String edit, Here here) throws Exception {
        return Preflight.judge(plan(mode, edit), here.facts()).stream()
                .filter(f -> f.name().equals(check))
                .findFirst()
                .orElseThrow();
    }

    /** The example's plan in a mode, with one {@code key: value} of it replaced. */
    private static Plan plan(String mode, String edit) throws Exception {
        String text =
                Files.readString(Path.of("../examples/dataplane-config.yaml")).replace("mode: AF_XDP", "mode: " + mode);
        if (!edit.isEmpty()) {
            String key = edit.substring(0, edit.indexOf(':'));
            text = text.replaceFirst("\\b" + key + ": \\w+", edit);
        }
        return ((Judgement.Accepted) ConfigJudge.judge(text.getBytes(StandardCharsets.UTF_8)))
                .config()
                .candidate();
    }

    /** A place with nothing to complain about, until a test changes something. */
    private static final class Here {
        String kernel = "6.1.0";
        List<Integer> allowed = List.of(0, 1, 2, 3);

        @Nullable
        Double quota;

        @Nullable
        Long memlock = -1L;

        List<String> capabilities = List.of("CAP_NET_RAW", "CAP_NET_ADMIN", "CAP_IPC_LOCK", "CAP_BPF");

        @Nullable
        String pfcpError;

        final List<Dev> devices = new ArrayList<>(
                List.of(new Dev("n3").addresses("10.33.0.1/24"), new Dev("n6").addresses("10.99.0.1/24")));

        Here n3(Consumer<Dev> change) {
            change.accept(devices.getFirst());
            return this;
        }

        Here n6(Consumer<Dev> change) {
            change.accept(devices.getLast());
            return this;
        }

        Facts facts() {
            return new Facts(
                    new NodeReport.Spec(
                            "2026-01-01T00:00:00Z",
                            new NodeReport.Kernel(kernel, false),
                            new NodeReport.Cpus(allowed, allowed, List.of(), List.of(), List.of(), quota),
                            memlock,
                            capabilities,
                            List.of(),
                            new NodeReport.Iommu(0),
                            false,
                            devices.stream().map(Dev::device).toList(),
                            List.of()),
                    pfcpError);
        }
    }

    private static final class Dev {
        private final String name;
        private List<String> addresses = List.of();
        private int mtu = 1500;
        private int queues = 2;
        private @Nullable Boolean nativeXdp = true;
        private @Nullable Boolean zeroCopy = true;
        private @Nullable String inUseBy;
        private boolean defaultRoute;
        private @Nullable String master;
        private @Nullable Peer peer;
        private Offloads offloads = new Offloads(false, false, false, false, false);

        Dev(String name) {
            this.name = name;
        }

        Dev addresses(String... cidrs) {
            addresses = List.of(cidrs);
            return this;
        }

        Dev mtu(int bytes) {
            mtu = bytes;
            return this;
        }

        Dev queues(int count) {
            queues = count;
            return this;
        }

        Dev xdp(@Nullable Boolean isNative, @Nullable Boolean isZeroCopy) {
            nativeXdp = isNative;
            zeroCopy = isZeroCopy;
            return this;
        }

        Dev used(String by, boolean carriesDefault, @Nullable String of) {
            inUseBy = by;
            defaultRoute = carriesDefault;
            master = of;
            return this;
        }

        Dev peerOffloads() {
            peer = new Peer("gnb0", true);
            offloads = new Offloads(true, false, true, true, false);
            return this;
        }

        Device device() {
            return new Device(
                    name,
                    "veth",
                    null,
                    null,
                    true,
                    mtu,
                    null,
                    null,
                    addresses,
                    defaultRoute,
                    master,
                    inUseBy,
                    new Queues(queues, queues),
                    nativeXdp,
                    zeroCopy,
                    null,
                    null,
                    3506,
                    offloads,
                    peer);
        }
    }
}
