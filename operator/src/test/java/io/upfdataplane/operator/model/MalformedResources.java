package io.upfdataplane.operator.model;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.upfdataplane.operator.api.Messages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Resources with one wrong field each: the example, changed in one place. */
public final class MalformedResources {
    /** The field that must be named, and words of what is needed. */
    public record Wrong(String name, JsonNode resource, String field, String needed) {}

    private static final String N3 = "spec.interfaces.n3";

    private final List<Wrong> all = new ArrayList<>();

    private MalformedResources() {}

    public static List<Wrong> all() throws IOException {
        MalformedResources cases = new MalformedResources();
        cases.types();
        cases.interfaces();
        cases.networks();
        cases.pfcpAndTuning();
        return cases.all;
    }

    private void types() throws IOException {
        wrong("/spec/mode", "afxdp", "spec.mode", "one of AF_PACKET, AF_XDP, Auto, CNDP, DPDK");
        wrong("/spec/mode", "7", "spec.mode", "one of");
        wrong("/spec/mode", null, "spec.mode", "one of");
        wrong("/spec/workers", "0", "spec.workers", "at least 1");
        wrong("/spec/workers", "65", "spec.workers", "at most 64");
        wrong("/spec/workers", "two", "spec.workers", "a whole number");
        wrong("/spec/workers", "1.5", "spec.workers", "a whole number");
        wrong("/spec/paused", "maybe", "spec.paused", "true or false");
        wrong("/spec/wrokers", "2", "spec.wrokers", "one of");
        wrong("/spec/interfaces", null, "spec.interfaces", "an object");
        wrong("/spec/interfaces", "n3", "spec.interfaces", "an object");
        wrong("/spec/image", "''", "spec.image", "at least 1 character");
        wrong("/spec/resources", "{limits: {cpu: many}}", "spec.resources.limits.cpu", "a quantity");
        wrong("/spec/resources", "{requests: {cpu: 1}}", "spec.resources.requests", "one of limits");
        wrong("/spec/capacity", "{maxSessions: 0}", "spec.capacity.maxSessions", "at least 1");
        wrong("/spec/capacity", "{maxSessions: 1000001}", "spec.capacity.maxSessions", "at most 1000000");
        wrong("/spec/preflight", "{policy: Ignore}", "spec.preflight.policy", "one of Enforce, Warn");
        wrong("/spec/preflight", "{skip: [DeviceFree]}", "spec.preflight.skip", Messages.DEVICE_FREE_STAYS);
        wrong("/spec/preflight", "{skip: [Kernel, Kernel]}", "spec.preflight.skip[1]", "different");
        wrong("/spec/preflight", "{skip: [kernel]}", "spec.preflight.skip[0]", "text like");
    }

    private void interfaces() throws IOException {
        wrong("/spec/interfaces/n6", null, "spec.interfaces.n6", "an object");
        wrong("/spec/interfaces/n9", "{}", "spec.interfaces.n9", "one of n3, n4, n6");
        wrong("/spec/interfaces/n3/attachment", null, N3 + ".attachment", "an object");
        wrong("/spec/interfaces/n3/attachment", "{}", N3 + ".attachment", Messages.ONE_ATTACHMENT);
        wrong(
                "/spec/interfaces/n3/attachment",
                "{hostDevice: {device: n3}, podNetwork: {}}",
                N3 + ".attachment",
                Messages.ONE_ATTACHMENT);
        wrong("/spec/interfaces/n3/attachment", "{hostDevice: {}}", N3 + ".attachment.hostDevice.device", "text");
        wrong(
                "/spec/interfaces/n3/attachment",
                "{hostDevice: {device: a/b}}",
                N3 + ".attachment.hostDevice.device",
                "text like");
        wrong(
                "/spec/interfaces/n3/attachment",
                "{hostDevice: {device: much-too-long-a-name}}",
                N3 + ".attachment.hostDevice.device",
                "at most 15");
        wrong("/spec/interfaces/n3/attachment", "{podNetwork: {}}", N3, Messages.ADDRESS_FITS_ATTACHMENT);
        wrong("/spec/interfaces/n3/addresses", null, N3, Messages.ADDRESS_FITS_ATTACHMENT);
        wrong("/spec/interfaces/n3/addresses", "[]", N3, Messages.ADDRESS_FITS_ATTACHMENT);
        wrong("/spec/interfaces/n3/addresses", "[10.33.0.1]", N3 + ".addresses", Messages.IPV4_PREFIXES);
        wrong("/spec/interfaces/n3/addresses", "[10.33.0.300/24]", N3 + ".addresses", Messages.IPV4_PREFIXES);
        wrong("/spec/interfaces/n3/addresses", "[10.33.0.1/33]", N3 + ".addresses", Messages.IPV4_PREFIXES);
        wrong("/spec/interfaces/n3/addresses", "['fd00:0:0::1/64']", N3 + ".addresses", Messages.IPV4_PREFIXES);
        wrong("/spec/interfaces/n3/addresses", "[10.33.0.1/24, 10.34.0.1/24]", N3 + ".addresses", "at most 1");
        wrong("/spec/interfaces/n3/gateway", "10.34.0.1", N3 + ".gateway", Messages.GATEWAY_IN_PREFIX);
        wrong("/spec/interfaces/n3/gateway", "10.33.0.1", N3 + ".gateway", Messages.GATEWAY_IN_PREFIX);
        wrong("/spec/interfaces/n3/gateway", "10.33.0.01", N3 + ".gateway", Messages.IPV4);
        wrong("/spec/interfaces/n3/mtu", "100", N3 + ".mtu", "at least 1280");
        wrong("/spec/interfaces/n3/mtu", "9601", N3 + ".mtu", "at most 9600");
        wrong(
                "/spec/interfaces/n3/routes",
                "[{to: 10.35.0.0/16, via: 10.34.0.1}]",
                N3 + ".routes",
                Messages.VIA_IN_PREFIX);
        wrong(
                "/spec/interfaces/n3/routes",
                "[{to: 10.35.0.1/16, via: 10.33.0.9}]",
                N3 + ".routes[0].to",
                Messages.IPV4_NETWORK);
        wrong("/spec/interfaces/n3/routes", "[{to: 10.35.0.0/16}]", N3 + ".routes[0].via", "text");
        wrong(
                "/spec/interfaces/n3/routes",
                "[{to: 10.35.0.0/16, via: 10.33.0.8}, {to: 10.35.0.0/16, via: 10.33.0.9}]",
                N3 + ".routes[1].to",
                "different");
        wrong(
                "/spec/interfaces/n4",
                "{attachment: {podNetwork: {}}, mtu: 1500}",
                "spec.interfaces.n4",
                Messages.ADDRESS_FITS_ATTACHMENT);
    }

    private void networks() throws IOException {
        String list = "spec.dataNetworks";
        wrong("/spec/dataNetworks", null, list, "a list");
        wrong("/spec/dataNetworks", "[]", list, "at least 1");
        wrong("/spec/dataNetworks", "{}", list, "a list");
        wrong("/spec/dataNetworks", "[{name: a}]", list + "[0].uePools", "a list");
        wrong("/spec/dataNetworks", "[{name: -a, uePools: [{cidr: 10.60.0.0/16}]}]", list + "[0].name", "text like");
        wrong("/spec/dataNetworks", "[{name: a, uePools: []}]", list + "[0].uePools", "at least 1");
        wrong(
                "/spec/dataNetworks",
                "[{name: a, uePools: [{cidr: 10.60.0.1/16}]}]",
                list + "[0].uePools[0].cidr",
                Messages.IPV4_NETWORK);
        wrong(
                "/spec/dataNetworks",
                "[{name: a, ueMtu: 1279, uePools: [{cidr: 10.60.0.0/16}]}]",
                list + "[0].ueMtu",
                "at least 1280");
        wrong(
                "/spec/dataNetworks",
                "[{name: a, uePools: [{cidr: 10.60.0.0/16}, {cidr: 10.60.1.0/24}]}]",
                list,
                Messages.POOLS_DO_NOT_OVERLAP);
        wrong(
                "/spec/dataNetworks",
                "[{name: a, uePools: [{cidr: 10.60.0.0/16}]}, {name: b, uePools: [{cidr: 10.60.0.0/16}]}]",
                list,
                Messages.POOLS_DO_NOT_OVERLAP);
        wrong(
                "/spec/dataNetworks",
                "[{name: a, networkInstance: b, uePools: [{cidr: 10.60.0.0/16}]},"
                        + " {name: b, uePools: [{cidr: 10.61.0.0/16}]}]",
                list,
                Messages.INSTANCES_DIFFER);
        wrong(
                "/spec/dataNetworks",
                "[{name: a, uePools: [{cidr: 10.60.0.0/16}]},"
                        + " {name: a, networkInstance: c, uePools: [{cidr: 10.61.0.0/16}]}]",
                list + "[1].name",
                "different");
    }

    private void pfcpAndTuning() throws IOException {
        wrong("/spec/pfcp", "{bindPort: 80}", "spec.pfcp.bindPort", "at least 1024");
        wrong("/spec/pfcp", "{nodeId: 'a b'}", "spec.pfcp.nodeId", "text like");
        wrong("/spec/pfcp", "{role: Server}", "spec.pfcp.role", "one of Active, Both, Passive");
        wrong("/spec/pfcp", "{role: Active}", "spec.pfcp.peers", Messages.ACTIVE_HAS_PEERS);
        wrong("/spec/pfcp", "{peers: [{name: smf}]}", "spec.pfcp.peers[0].address", "text");
        wrong(
                "/spec/pfcp",
                "{peers: [{name: smf, address: smf.example}]}",
                "spec.pfcp.peers[0].address",
                Messages.IPV4);
        wrong(
                "/spec/pfcp",
                "{heartbeat: {interval: 5s, timeout: 10s}}",
                "spec.pfcp.heartbeat.timeout",
                Messages.TIMEOUT_WITHIN_INTERVAL);
        wrong("/spec/pfcp", "{heartbeat: {interval: soon}}", "spec.pfcp.heartbeat.interval", "text like");
        wrong("/spec/pfcp", "{retransmission: {retries: 0}}", "spec.pfcp.retransmission.retries", "at least 1");
        wrong("/spec/tuning", "{batchSize: 257}", "spec.tuning.batchSize", "at most 256");
        wrong("/spec/tuning", "{poll: Fast}", "spec.tuning.poll", "one of Adaptive, Busy, Interrupt");
        wrong("/spec/tuning", "{zeroCopy: yes please}", "spec.tuning.zeroCopy", "one of Never, Prefer, Require");
        wrong("/spec/tuning", "{umem: {frames: 5000}}", "spec.tuning.umem.frames", Messages.POWER_OF_TWO);
        wrong("/spec/tuning", "{umem: {frameSize: 3000}}", "spec.tuning.umem.frameSize", Messages.FRAME_SIZE);
        wrong("/spec/tuning", "{rings: {rx: 100}}", "spec.tuning.rings.rx", Messages.POWER_OF_TWO);
    }

    /** The example with the value at the pointer replaced, or taken away when {@code yaml} is null. */
    private void wrong(String pointer, String yaml, String field, String needed) throws IOException {
        ObjectNode resource = (ObjectNode)
                Yaml.MAPPER.readTree(Path.of("../examples/upfdataplane.yaml").toFile());
        JsonPointer place = JsonPointer.compile(pointer);
        JsonNode parent = resource.at(place.head());
        String key = place.last().getMatchingProperty();
        if (yaml == null) {
            ((ObjectNode) parent).remove(key);
        } else if (parent instanceof ArrayNode list) {
            list.set(Integer.parseInt(key), Yaml.MAPPER.readTree(yaml));
        } else {
            ((ObjectNode) parent).set(key, Yaml.MAPPER.readTree(yaml));
        }
        all.add(new Wrong(pointer + " " + (yaml == null ? "absent" : yaml), resource, field, needed));
    }
}
