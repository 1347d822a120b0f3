package io.upfdataplane.dataplane.pfcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The handed messages of {@code pfcp/smf-messages.yaml}. */
public final class SmfMessages {
    public static final List<String> FLAVOURS = List.of("free5gc", "open5gs", "oai", "sdcore", "pfcpsim");

    /**
     * @param patchTeidAt «PDR n» → offsets
     */
    public record Message(String flavour, String name, byte[] bytes, Map<String, List<Integer>> patchTeidAt) {
        public int type() {
            return bytes[1] & 0xff;
        }

        /** 1 or 2, from the placeholder SEID of a modification or deletion. */
        public int session() {
            return bytes[11];
        }

        @Override
        public String toString() {
            return flavour + ": " + name;
        }
    }

    private static final JsonNode FILE = load();

    private SmfMessages() {}

    private static JsonNode load() {
        try (InputStream in = SmfMessages.class.getResourceAsStream("/pfcp/smf-messages.yaml")) {
            return new YAMLMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<Message> of(String flavour) {
        List<Message> messages = new ArrayList<>();
        for (JsonNode node : FILE.get(flavour)) {
            Map<String, List<Integer>> patches = new LinkedHashMap<>();
            node.path("patchTeidAt").fields().forEachRemaining(field -> {
                List<Integer> offsets = new ArrayList<>();
                field.getValue().forEach(offset -> offsets.add(offset.asInt()));
                patches.put(field.getKey(), offsets);
            });
            messages.add(new Message(
                    flavour,
                    node.get("name").asText(),
                    HexFormat.of().parseHex(node.get("hex").asText()),
                    patches));
        }
        return messages;
    }

    public static Message of(String flavour, String name) {
        return of(flavour).stream()
                .filter(message -> message.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * A handed packet: GTP-U of N3 or an IP packet of N6.
     *
     * @param out empty when nothing leaves
     */
    public record Packet(byte[] in, byte[] out) {}

    public static Packet packet(String name) {
        for (JsonNode node : FILE.get("gtpu")) {
            if (node.get("name").asText().equals(name)) {
                HexFormat hex = HexFormat.of();
                return new Packet(
                        hex.parseHex(node.get("in").asText()),
                        hex.parseHex(node.get("out").asText()));
            }
        }
        throw new AssertionError("no packet " + name);
    }

    public static List<Message> all() {
        return FLAVOURS.stream().flatMap(flavour -> of(flavour).stream()).toList();
    }
}
