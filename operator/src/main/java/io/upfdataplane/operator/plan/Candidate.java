package io.upfdataplane.operator.plan;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.api.Mode;
import io.upfdataplane.operator.api.UpfDataplaneSpec;
import io.upfdataplane.operator.model.Ipv4Prefix;
import io.upfdataplane.operator.model.UpfModel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a dataplane shall run: one half of its configuration file, as {@code examples/dataplane-config.yaml} shows it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Candidate(
        Mode mode,
        int workers,
        Interfaces interfaces,
        List<DataNetwork> dataNetworks,
        Pfcp pfcp,
        Capacity capacity,
        Tuning tuning,
        Observability observability,
        State state) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int HASH_LENGTH = 12;

    record Interfaces(Interface n3, Interface n6) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Interface(
            String device, List<String> addresses, @Nullable String gateway, List<UpfModel.Route> routes) {}

    record DataNetwork(String name, String networkInstance, int ueMtu, List<Pool> uePools) {}

    record Pool(String cidr) {}

    record Pfcp(
            String nodeId,
            String bindAddress,
            int bindPort,
            UpfDataplaneSpec.Role role,
            List<UpfModel.Peer> peers,
            UpfModel.Heartbeat heartbeat,
            UpfModel.Retransmission retransmission) {}

    record Capacity(int maxSessions) {}

    record Tuning(
            int batchSize, UpfDataplaneSpec.Poll poll, UpfDataplaneSpec.ZeroCopy zeroCopy, Umem umem, Rings rings) {}

    record Umem(int frames, int frameSize) {}

    record Rings(int rx, int tx, int fill, int completion) {}

    record Observability(String bindAddress, int port) {}

    record State(String directory) {}

    static Interface leg(UpfModel.Leg leg, String device) {
        Ipv4Prefix address = leg.address();
        return new Interface(
                device, address == null ? List.of() : List.of(address.toString()), leg.gateway(), leg.routes());
    }

    /** As it stands in the file, its hash first. */
    ObjectNode tree() {
        ObjectNode body = JSON.valueToTree(this);
        ObjectNode tree = JSON.createObjectNode();
        tree.put("planHash", hash(body));
        tree.setAll(body);
        return tree;
    }

    /** Twelve hex digits of SHA-256 over the content, so that the same content has the same name everywhere. */
    static String hash(JsonNode body) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(body.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
