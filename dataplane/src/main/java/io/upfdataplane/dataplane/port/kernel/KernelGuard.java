package io.upfdataplane.dataplane.port.kernel;

import io.upfdataplane.dataplane.port.Leg;
import io.upfdataplane.dataplane.port.PortPlan;
import io.upfdataplane.dataplane.port.PortPlan.Device;
import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.kernel.IngressDrop.NftFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the kernel from acting on packets that are ours while both see them (AF_PACKET, and AF_XDP while its packets are
 * passed): no ICMP about GTP-U, no forwarding of what we forward. The process raises it once, before any port set of a
 * kernel mode, and keeps it through mode changes. Control thread only.
 *
 * <p>GTP-U to our N3 address meets an unread socket; it and packets to UEs on N6 are dropped at netdev ingress, behind
 * AF_PACKET's tap. Where nft cannot be used (no NET_ADMIN, no program), forwarding must be off on the N6 device instead:
 * then the kernel drops what is not for itself without a word.
 */
public final class KernelGuard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KernelGuard.class);

    private final IngressDrop ingress;
    private @Nullable GtpuPortHolder holder;
    private int heldAddress;
    private List<String> devicesWithTables = List.of();

    private KernelGuard(IngressDrop ingress) {
        this.ingress = ingress;
    }

    /** Puts the guard up; replaces what a dead process left on the same devices. */
    public static KernelGuard raise(PortPlan plan) throws PortRefused {
        return raise(plan, "nft");
    }

    static KernelGuard raise(PortPlan plan, String nftProgram) throws PortRefused {
        KernelGuard guard = new KernelGuard(new IngressDrop(nftProgram));
        try {
            guard.change(plan);
            return guard;
        } catch (PortRefused e) {
            guard.close();
            throw e;
        }
    }

    /** Goes over to another plan without a gap: other pools, another N3 address. On refusal the old guard stands. */
    public void change(PortPlan plan) throws PortRefused {
        Device n3 = plan.devices().get(Leg.N3);
        if (n3 != null && (holder == null || heldAddress != n3.ipv4())) {
            GtpuPortHolder next = GtpuPortHolder.open(n3.ipv4());
            if (holder != null) {
                holder.close();
            }
            holder = next;
            heldAddress = n3.ipv4();
        }
        try {
            List<String> now = ingress.put(plan);
            List<String> left = devicesWithTables.stream()
                    .filter(device -> !now.contains(device))
                    .toList();
            devicesWithTables = now;
            if (!left.isEmpty()) {
                ingress.remove(left);
            }
        } catch (NftFailed e) {
            requireForwardingOff(plan, e);
        }
    }

    /** True when packets are dropped at ingress; false when the guard rests on forwarding being off. */
    public boolean dropsAtIngress() {
        return !devicesWithTables.isEmpty();
    }

    private static void requireForwardingOff(PortPlan plan, NftFailed why) throws PortRefused {
        Device n6 = plan.devices().get(Leg.N6);
        if (n6 == null) {
            return;
        }
        String found = forwardingOf(n6.name());
        if (!found.equals("0")) {
            throw new PortRefused(
                    "KernelGuard",
                    why.getMessage() + "; net.ipv4.conf." + n6.name() + ".forwarding is " + found,
                    "packets to UEs dropped at ingress by nft, or forwarding off on " + n6.name(),
                    "give NET_ADMIN and nft, or set net.ipv4.conf." + n6.name() + ".forwarding=0");
        }
        LOG.info("no drop at ingress ({}); forwarding is off on {}, which does", why.getMessage(), n6.name());
    }

    private static String forwardingOf(String device) {
        try {
            return Files.readString(Path.of("/proc/sys/net/ipv4/conf/" + device + "/forwarding"))
                    .trim();
        } catch (IOException e) {
            return "unknown (" + e.getMessage() + ")";
        }
    }

    @Override
    public void close() {
        if (holder != null) {
            holder.close();
            holder = null;
        }
        if (!devicesWithTables.isEmpty()) {
            try {
                ingress.remove(devicesWithTables);
            } catch (NftFailed e) {
                LOG.warn("could not remove the guard of {}: {}", devicesWithTables, e.getMessage());
            }
            devicesWithTables = List.of();
        }
    }
}
