package io.upfdataplane.dataplane.probe;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads facts of the host from proc, sysfs and cgroup files below a root, which in tests is a folder. A file that is not
 * there gives null: the fact could not be asked.
 */
final class Host {
    /** Names of capabilities by their bit (capabilities(7)). */
    private static final String[] CAPABILITIES = {
        "CHOWN",
        "DAC_OVERRIDE",
        "DAC_READ_SEARCH",
        "FOWNER",
        "FSETID",
        "KILL",
        "SETGID",
        "SETUID",
        "SETPCAP",
        "LINUX_IMMUTABLE",
        "NET_BIND_SERVICE",
        "NET_BROADCAST",
        "NET_ADMIN",
        "NET_RAW",
        "IPC_LOCK",
        "IPC_OWNER",
        "SYS_MODULE",
        "SYS_RAWIO",
        "SYS_CHROOT",
        "SYS_PTRACE",
        "SYS_PACCT",
        "SYS_ADMIN",
        "SYS_BOOT",
        "SYS_NICE",
        "SYS_RESOURCE",
        "SYS_TIME",
        "SYS_TTY_CONFIG",
        "MKNOD",
        "LEASE",
        "AUDIT_WRITE",
        "AUDIT_CONTROL",
        "SETFCAP",
        "MAC_OVERRIDE",
        "MAC_ADMIN",
        "SYSLOG",
        "WAKE_ALARM",
        "BLOCK_SUSPEND",
        "AUDIT_READ",
        "PERFMON",
        "BPF",
        "CHECKPOINT_RESTORE"
    };

    private final Path root;

    Host(Path root) {
        this.root = root;
    }

    NodeReport.Kernel kernel() {
        String release = orElse(line("proc/sys/kernel/osrelease"), "unknown");
        String realtime = line("sys/kernel/realtime");
        String version = orElse(line("proc/version"), "");
        return new NodeReport.Kernel(release, "1".equals(realtime) || version.contains("PREEMPT_RT"));
    }

    NodeReport.Cpus cpus() {
        return new NodeReport.Cpus(
                list(line("sys/devices/system/cpu/online")),
                list(status("Cpus_allowed_list")),
                list(line("sys/devices/system/cpu/isolated")),
                list(line("sys/devices/system/cpu/nohz_full")),
                siblings(),
                quota());
    }

    /** Cores of more than one hyperthread. */
    private List<List<Integer>> siblings() {
        TreeSet<String> cores = new TreeSet<>();
        for (Path cpu : children("sys/devices/system/cpu", "cpu[0-9]*")) {
            String threads = line(root.relativize(cpu) + "/topology/thread_siblings_list");
            if (threads != null) {
                cores.add(threads);
            }
        }
        return cores.stream().map(Host::list).filter(c -> c.size() > 1).toList();
    }

    /** The tightest CFS quota between this process and the root of its cgroup, in CPUs; null when there is none. */
    private @Nullable Double quota() {
        Double tightest = null;
        for (String membership : lines("proc/self/cgroup")) {
            // 0::/path for version 2, 4:cpu,cpuacct:/path for version 1
            String[] parts = membership.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            boolean v2 = parts[1].isEmpty();
            if (!v2 && !List.of(parts[1].split(",")).contains("cpu")) {
                continue;
            }
            // In a container the path may be that of the host, or hidden; then only the mount's own root is there.
            String path = parts[2];
            while (true) {
                Double here = v2 ? quotaV2(path) : quotaV1(path);
                if (here != null && (tightest == null || here < tightest)) {
                    tightest = here;
                }
                if (path.isEmpty() || path.equals("/")) {
                    break;
                }
                path = path.substring(0, Math.max(0, path.lastIndexOf('/')));
            }
        }
        return tightest;
    }

    private @Nullable Double quotaV2(String path) {
        String max = firstLine("sys/fs/cgroup" + path + "/cpu.max", "sys/fs/cgroup/unified" + path + "/cpu.max");
        if (max == null || max.startsWith("max")) {
            return null;
        }
        String[] parts = max.split(" ");
        return parts.length == 2 ? ratio(parts[0], parts[1]) : null;
    }

    private @Nullable Double quotaV1(String path) {
        for (String mount : List.of("cpu", "cpu,cpuacct")) {
            String folder = "sys/fs/cgroup/" + mount + path;
            String quota = line(folder + "/cpu.cfs_quota_us");
            String period = line(folder + "/cpu.cfs_period_us");
            if (quota != null && period != null) {
                return quota.startsWith("-") ? null : ratio(quota, period);
            }
        }
        return null;
    }

    private static @Nullable Double ratio(String quota, String period) {
        try {
            double p = Double.parseDouble(period);
            return p > 0 ? (Double) (Math.round(Double.parseDouble(quota) / p * 100) / 100.0) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** The soft limit, −1 for unlimited. */
    @Nullable
    Long memlockBytes() {
        for (String limit : lines("proc/self/limits")) {
            if (limit.startsWith("Max locked memory")) {
                String[] columns =
                        limit.substring("Max locked memory".length()).strip().split("\\s+");
                return columns[0].equals("unlimited") ? -1L : Long.parseLong(columns[0]);
            }
        }
        return null;
    }

    List<String> capabilities() {
        String mask = status("CapEff");
        if (mask == null) {
            return List.of();
        }
        long bits = Long.parseUnsignedLong(mask, 16);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < CAPABILITIES.length; i++) {
            if ((bits >>> i & 1) != 0) {
                names.add("CAP_" + CAPABILITIES[i]);
            }
        }
        return names;
    }

    List<NodeReport.Hugepages> hugepages() {
        List<NodeReport.Hugepages> all = new ArrayList<>();
        List<Path> nodes = children("sys/devices/system/node", "node[0-9]*");
        for (Path node : nodes) {
            int number = Integer.parseInt(node.getFileName().toString().substring("node".length()));
            hugepages(root.relativize(node) + "/hugepages", number, all);
        }
        if (nodes.isEmpty()) {
            hugepages("sys/kernel/mm/hugepages", 0, all);
        }
        return all;
    }

    private void hugepages(String folder, int node, List<NodeReport.Hugepages> into) {
        for (Path size : children(folder, "hugepages-*kB")) {
            String name = size.getFileName().toString();
            long kilobytes = Long.parseLong(name.substring("hugepages-".length(), name.length() - 2));
            String total = line(root.relativize(size) + "/nr_hugepages");
            String free = line(root.relativize(size) + "/free_hugepages");
            if (total != null && free != null) {
                into.add(new NodeReport.Hugepages(
                        kilobytes >= 1 << 20 ? (kilobytes >> 20) + "Gi" : (kilobytes >> 10) + "Mi",
                        node,
                        Long.parseLong(total),
                        Long.parseLong(free)));
            }
        }
    }

    NodeReport.Iommu iommu() {
        return new NodeReport.Iommu(children("sys/kernel/iommu_groups", "*").size());
    }

    /** The module is loaded, or built in and at work; null when this host has no /sys/module to ask. */
    @Nullable
    Boolean vfioPciModule() {
        return Files.isDirectory(root.resolve("sys/module"))
                ? (Boolean) Files.isDirectory(root.resolve("sys/module/vfio_pci"))
                : null;
    }

    @Nullable
    Integer numaNode(String pciAddress) {
        String node = line("sys/bus/pci/devices/" + pciAddress.toLowerCase(Locale.ROOT) + "/numa_node");
        // −1: a machine with one node, or firmware that does not say.
        return node == null || node.startsWith("-") ? null : (Integer) Integer.parseInt(node);
    }

    /** CPUs of a list such as {@code 0-3,8}; empty for an empty or missing one. */
    static List<Integer> list(@Nullable String text) {
        List<Integer> cpus = new ArrayList<>();
        if (text == null || text.isBlank() || text.strip().equals("(null)")) {
            return cpus;
        }
        for (String range : text.strip().split(",")) {
            String[] ends = range.strip().split("-");
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int cpu = Integer.parseInt(ends[0]); cpu <= last; cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    private @Nullable String status(String field) {
        for (String line : lines("proc/self/status")) {
            if (line.startsWith(field + ":")) {
                return line.substring(field.length() + 1).strip();
            }
        }
        return null;
    }

    private @Nullable String firstLine(String... paths) {
        for (String path : paths) {
            String line = line(path);
            if (line != null) {
                return line;
            }
        }
        return null;
    }

    private @Nullable String line(String path) {
        List<String> lines = lines(path);
        return lines.isEmpty() ? null : lines.getFirst().strip();
    }

    private List<String> lines(String path) {
        try {
            return Files.readAllLines(root.resolve(path));
        } catch (IOException e) {
            // Not there, or not for us: the fact is then not known, which every caller passes on.
            return List.of();
        }
    }

    private List<Path> children(String folder, String glob) {
        Path path = root.resolve(folder);
        if (!Files.isDirectory(path)) {
            return List.of();
        }
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(path, glob)) {
            return Stream.iterate(stream.iterator(), i -> i.hasNext(), i -> i)
                    .map(i -> i.next())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static String orElse(@Nullable String text, String otherwise) {
        return text == null ? otherwise : text;
    }
}
