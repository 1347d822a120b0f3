package io.upfdataplane.dataplane.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Facts from files: what is there, and «could not ask» where nothing is. */
class HostTest {
    @TempDir
    private Path root;

    @Test
    void readsTheTightestQuotaOfCgroupV2UpToTheRoot() throws IOException {
        file("proc/self/cgroup", "0::/kubepods/pod1/main");
        file("sys/fs/cgroup/kubepods/cpu.max", "max 100000");
        file("sys/fs/cgroup/kubepods/pod1/cpu.max", "300000 100000");
        file("sys/fs/cgroup/kubepods/pod1/main/cpu.max", "400000 100000");
        assertThat(host().cpus().quota()).isEqualTo(3.0);
    }

    @Test
    void readsTheQuotaOfCgroupV1() throws IOException {
        file("proc/self/cgroup", "5:cpu,cpuacct:/pod\n4:memory:/pod");
        file("sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us", "250000");
        file("sys/fs/cgroup/cpu,cpuacct/pod/cpu.cfs_period_us", "100000");
        assertThat(host().cpus().quota()).isEqualTo(2.5);
    }

    @Test
    void noQuotaIsNotZero() throws IOException {
        file("proc/self/cgroup", "5:cpu:/\n0::/");
        file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
        file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
        file("sys/fs/cgroup/cpu.max", "max 100000");
        assertThat(host().cpus().quota()).isNull();
    }

    @Test
    void readsTheRootOfAContainerWhoseCgroupPathIsTheHosts() throws IOException {
        file("proc/self/cgroup", "0::/not/visible/here");
        file("sys/fs/cgroup/cpu.max", "150000 100000");
        assertThat(host().cpus().quota()).isEqualTo(1.5);
    }

    @Test
    void readsCpuLists() throws IOException {
        file("sys/devices/system/cpu/online", "0-3,8");
        file("sys/devices/system/cpu/isolated", "2-3");
        file("sys/devices/system/cpu/nohz_full", "(null)");
        file("proc/self/status", "Name:\tjava\nCpus_allowed_list:\t1,3\nCapEff:\t0000000000003000");
        for (int cpu = 0; cpu < 4; cpu++) {
            file("sys/devices/system/cpu/cpu" + cpu + "/topology/thread_siblings_list", cpu % 2 == 0 ? "0,2" : "1,3");
        }
        NodeReport.Cpus cpus = host().cpus();
        assertThat(cpus.online()).containsExactly(0, 1, 2, 3, 8);
        assertThat(cpus.isolated()).containsExactly(2, 3);
        assertThat(cpus.nohzFull()).isEmpty();
        assertThat(cpus.allowed()).containsExactly(1, 3);
        assertThat(cpus.siblings()).containsExactly(List.of(0, 2), List.of(1, 3));
        assertThat(host().capabilities()).containsExactly("CAP_NET_ADMIN", "CAP_NET_RAW");
    }

    @Test
    void readsHugepagesOfEachNumaNode() throws IOException {
        file("sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages", "64");
        file("sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages", "60");
        file("sys/devices/system/node/node1/hugepages/hugepages-1048576kB/nr_hugepages", "2");
        file("sys/devices/system/node/node1/hugepages/hugepages-1048576kB/free_hugepages", "0");
        assertThat(host().hugepages())
                .containsExactly(new NodeReport.Hugepages("2Mi", 0, 64, 60), new NodeReport.Hugepages("1Gi", 1, 2, 0));
    }

    @Test
    void readsTheMemlockLimit() throws IOException {
        file(
                "proc/self/limits",
                "Limit  Soft Limit  Hard Limit  Units\nMax locked memory         8388608    8388608    bytes");
        assertThat(host().memlockBytes()).isEqualTo(8_388_608);
        file("proc/self/limits", "Max locked memory         unlimited    unlimited    bytes");
        assertThat(host().memlockBytes()).isEqualTo(-1);
    }

    @Test
    void knowsARealtimeKernel() throws IOException {
        file("proc/sys/kernel/osrelease", "6.1.0-rt");
        file("proc/version", "Linux version 6.1.0-rt #1 SMP PREEMPT_RT");
        assertThat(host().kernel()).isEqualTo(new NodeReport.Kernel("6.1.0-rt", true));
    }

    @Test
    void whatIsNotThereCouldNotBeAsked() {
        assertThat(host().memlockBytes()).isNull();
        assertThat(host().vfioPciModule()).isNull();
        assertThat(host().cpus().quota()).isNull();
        assertThat(host().numaNode("0000:3b:00.0")).isNull();
        assertThat(host().hugepages()).isEmpty();
    }

    private Host host() {
        return new Host(root);
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }
}
