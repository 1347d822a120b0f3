package io.upfdataplane.dataplane.preflight;

import io.upfdataplane.dataplane.config.Plan;
import io.upfdataplane.dataplane.probe.NodeReport;
import io.upfdataplane.dataplane.probe.NodeReport.Device;
import io.upfdataplane.dataplane.probe.Probe;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that the checks look at, gathered once.
 *
 * @param pfcpPortError why N4's address and port cannot be bound; null when they can, or when we hold them already
 */
public record Facts(NodeReport.Spec node, @Nullable String pfcpPortError) {

    /** Looks at the place where this process runs. */
    public static Facts here(Plan plan) throws IOException {
        return new Facts(new Probe().report("here").spec(), bindError(plan.pfcp()));
    }

    private static @Nullable String bindError(Plan.Pfcp pfcp) {
        InetSocketAddress address = new InetSocketAddress(pfcp.bindAddress().toString(), pfcp.bindPort());
        try (DatagramSocket socket = new DatagramSocket(null)) {
            socket.bind(address);
            return null;
        } catch (SocketException e) {
            return "bind(" + pfcp.bindAddress() + ":" + pfcp.bindPort() + "): " + e.getMessage();
        }
    }

    /** The devices of the plan that exist; one when both legs share it. */
    List<Device> distinctDevices(Plan plan) {
        return Stream.of(n3(plan), n6(plan))
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    Optional<Device> n3(Plan plan) {
        return node.device(plan.n3().device());
    }

    Optional<Device> n6(Plan plan) {
        return node.device(plan.n6().device());
    }

    boolean has(String capability) {
        return node.capabilities().contains("CAP_" + capability);
    }
}
