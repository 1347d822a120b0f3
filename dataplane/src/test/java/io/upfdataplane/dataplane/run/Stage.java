package io.upfdataplane.dataplane.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.upfdataplane.dataplane.testbed.DataplaneChild;
import io.upfdataplane.dataplane.testbed.Frames;
import io.upfdataplane.dataplane.testbed.NetNamespaceFixture;
import io.upfdataplane.dataplane.testbed.SmfStandIn;
import io.upfdataplane.dataplane.testbed.Traffic;
import io.upfdataplane.dataplane.wire.Steering;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A gNB, a UPF and a data network in namespaces, and the dataplane of the UPF as a process. */
final class Stage implements AutoCloseable {
    final NetNamespaceFixture namespaces;
    final Path folder;
    final Path config;
    DataplaneChild dataplane;
    SmfStandIn smf;
    private int plans;

    Stage(Path folder, String poll, int workers) throws IOException {
        this.folder = folder;
        config = folder.resolve("config.yaml");
        namespaces = NetNamespaceFixture.of("gnb", "upf", "dn");
        namespaces.veth("upf", "n3", "gnb", "n3p");
        namespaces.veth("upf", "n6", "dn", "n6p");
        namespaces.address("upf", "n3", "10.33.0.1/24");
        namespaces.address("upf", "n6", "10.99.0.1/24");
        namespaces.address("gnb", "n3p", "10.33.0.2/24");
        namespaces.address("dn", "n6p", "10.99.0.2/24");
        // A redirected frame is delivered by the peer's NAPI, which GRO brings.
        namespaces.exec("gnb", "ethtool", "-K", "n3p", "gro", "on");
        namespaces.exec("dn", "ethtool", "-K", "n6p", "gro", "on");
        // The worst neighbour: a kernel that would forward what it sees.
        namespaces.exec("upf", "sysctl", "-qw", "net.ipv4.ip_forward=1");
        namespaces.ip("dn", "route", "add", "10.60.0.0/16", "via", "10.99.0.1");
        this.poll = poll;
        this.workers = workers;
    }

    private final String poll;
    private final int workers;

    private String pools = "{cidr: 10.60.0.0/16}";
    private String pfcp = "";

    /** UE pools of the plans from here on. */
    void usePools(String... cidrs) {
        pools = Arrays.stream(cidrs).map(c -> "{cidr: " + c + "}").collect(Collectors.joining(", "));
    }

    /** Further settings of N4 of the plans from here on. */
    void usePfcp(String further) {
        pfcp = ", " + further;
    }

    /** Writes a new plan as an editor or a ConfigMap does: whole, by a rename. */
    String plan(String mode) throws IOException {
        return plan(mode, workers);
    }

    String plan(String mode, int workers) throws IOException {
        String hash = "plan" + ++plans;
        String text = """
                apiVersion: dataplane.upfdataplane.io/v1alpha1
                kind: DataplaneConfig
                generation: %d
                candidate:
                  planHash: %s
                  mode: %s
                  workers: %d
                  interfaces:
                    n3: {device: n3, addresses: [10.33.0.1/24]}
                    n6: {device: n6, addresses: [10.99.0.1/24], gateway: 10.99.0.2}
                  dataNetworks:
                    - {name: internet, uePools: [%s]}
                  pfcp: {nodeId: 10.33.0.1, bindAddress: 10.33.0.1%s}
                  capacity: {maxSessions: 1000}
                  tuning: {poll: %s, umem: {frames: 16384, frameSize: 4096}, rings: {rx: 1024, tx: 1024, fill: 2048, completion: 2048}}
                  state: {directory: %s}
                """.formatted(plans, hash, mode, workers, pools, pfcp, poll, folder.resolve("state"));
        Path next = folder.resolve("config.yaml.next");
        Files.writeString(next, text);
        Files.move(next, config, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return hash;
    }

    void start() throws Exception {
        dataplane = DataplaneChild.start(namespaces, "upf", config, folder.resolve("log"));
        dataplane.awaitReady();
    }

    void associate() throws Exception {
        smf = namespaces.inside("gnb", () -> new SmfStandIn("10.33.0.2", "10.33.0.1"));
        if (smf.associate() != 1) {
            throw new AssertionError("no association\n" + dataplane.log());
        }
    }

    /** Sessions with UE addresses from 10.60.0.1 on. */
    List<Traffic.Ue> establish(int count) throws Exception {
        List<Traffic.Ue> ues = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Traffic.Ue ue = ue("10.60.0.1", i);
            int cause = establish(ue);
            if (cause != 1) {
                throw new AssertionError("session " + i + ": cause " + cause + "\n" + dataplane.log());
            }
            ues.add(ue);
        }
        return ues;
    }

    /** A UE with TEIDs of its own. */
    Traffic.Ue ue(String firstAddress, int number) {
        return new Traffic.Ue(Frames.ipv4(firstAddress) + number, 256 + number, 1000 + number);
    }

    /** The cause of the answer. */
    int establish(Traffic.Ue ue) throws Exception {
        return smf.establish(
                ue.uplinkTeid(), ue.uplinkTeid(), "10.33.0.1", ue.address(), ue.downlinkTeid(), "10.33.0.2");
    }

    /** Waits until a plan runs. */
    JsonNode awaitPlan(String planHash) throws Exception {
        return dataplane.await(
                planHash, s -> s.path("plan").path("running").asText().equals(planHash));
    }

    JsonNode awaitMode(String planHash, String mode) throws Exception {
        return dataplane.await(
                mode,
                s -> s.path("plan").path("running").asText().equals(planHash)
                        && s.path("mode").path("active").asText().equals(mode));
    }

    int workerOf(Traffic.Ue ue) {
        return Steering.workerOfUe(ue.address(), workers);
    }

    @Override
    public void close() {
        if (smf != null) {
            smf.close();
        }
        if (dataplane != null) {
            dataplane.close();
        }
        namespaces.close();
    }
}
