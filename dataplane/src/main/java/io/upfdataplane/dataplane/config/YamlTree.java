package io.upfdataplane.dataplane.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.dataformat.yaml.JacksonYAMLParseException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;

/**
 * Reads one YAML document into {@link YamlNode}s, within limits: size, depth, one document, no anchors or aliases (so
 * nothing in a file can grow), no key twice. Made for one reading, by one thread.
 */
final class YamlTree {
    /** Three times what the largest plans allowed need. The control thread judges it, and heartbeats wait meanwhile. */
    static final int MAX_BYTES = 128 << 10;

    static final int MAX_DEPTH = 32;

    private static final YAMLFactory FACTORY = factory();

    private final List<ConfigError> errors;

    private YamlTree(List<ConfigError> errors) {
        this.errors = errors;
    }

    /** The document, or null with at least one error added. Duplicate keys are errors, but the tree is still returned. */
    static @Nullable YamlNode read(byte[] bytes, List<ConfigError> errors) {
        if (bytes.length > MAX_BYTES) {
            errors.add(new ConfigError(1, "", bytes.length + " bytes", "at most " + MAX_BYTES));
            return null;
        }
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            errors.add(new ConfigError(1, "", "bytes that are not UTF-8", "YAML in UTF-8"));
            return null;
        }
        try (YAMLParser parser = FACTORY.createParser(text)) {
            return new YamlTree(errors).document(parser);
        } catch (TooManyErrors e) {
            return null;
        } catch (StreamConstraintsException e) {
            errors.add(new ConfigError(1, "", "nesting beyond the limit", "at most " + MAX_DEPTH + " levels"));
        } catch (JsonProcessingException e) {
            errors.add(new ConfigError(lineOf(e), "", firstLine(e.getOriginalMessage()), "well-formed YAML"));
        } catch (IOException e) {
            errors.add(new ConfigError(1, "", firstLine(String.valueOf(e.getMessage())), "well-formed YAML"));
        }
        return null;
    }

    private @Nullable YamlNode document(YAMLParser parser) throws IOException {
        if (parser.nextToken() == null) {
            errors.add(new ConfigError(1, "", "an empty file", "a " + DataplaneConfig.KIND));
            return null;
        }
        YamlNode node = node(parser, "", 0);
        if (parser.nextToken() != null) {
            errors.add(new ConfigError(line(parser), "", "a second document", "one document"));
        }
        return node;
    }

    private YamlNode node(YAMLParser parser, String path, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new StreamConstraintsException("depth");
        }
        int line = line(parser);
        if (parser.isCurrentAlias() || parser.getObjectId() != null) {
            add(new ConfigError(line, path, "an anchor or alias", "the value itself"));
        }
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> mapping(parser, line, path, depth);
            case START_ARRAY -> sequence(parser, line, path, depth);
            case VALUE_STRING -> new YamlNode.Scalar(line, parser.getText(), true);
            case VALUE_NULL -> new YamlNode.Scalar(line, "", false);
            default -> new YamlNode.Scalar(line, parser.getText(), false);
        };
    }

    private YamlNode mapping(YAMLParser parser, int line, String path, int depth) throws IOException {
        Map<String, YamlNode.Entry> entries = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            int keyLine = line(parser);
            String field = path.isEmpty() ? key : path + "." + key;
            parser.nextToken();
            YamlNode value = node(parser, field, depth + 1);
            if (entries.putIfAbsent(key, new YamlNode.Entry(keyLine, value)) != null) {
                add(new ConfigError(keyLine, field, "the field a second time", "each field once"));
            }
        }
        return new YamlNode.Mapping(line, entries);
    }

    private YamlNode sequence(YAMLParser parser, int line, String path, int depth) throws IOException {
        List<YamlNode> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(node(parser, path + "[" + items.size() + "]", depth + 1));
        }
        return new YamlNode.Sequence(line, items);
    }

    private void add(ConfigError error) throws TooManyErrors {
        if (errors.size() >= ConfigJudge.MOST_ERRORS) {
            throw new TooManyErrors();
        }
        errors.add(error);
    }

    /** The rest of the file is not worth reading. */
    private static final class TooManyErrors extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private static int line(YAMLParser parser) {
        return Math.max(1, parser.currentTokenLocation().getLineNr());
    }

    private static int lineOf(JsonProcessingException e) {
        if (e instanceof JacksonYAMLParseException
                && e.getCause() instanceof org.yaml.snakeyaml.error.MarkedYAMLException m) {
            Mark mark = m.getProblemMark();
            if (mark != null) {
                return mark.getLine() + 1;
            }
        }
        JsonLocation location = e.getLocation();
        return location == null ? 1 : Math.max(1, location.getLineNr());
    }

    private static String firstLine(String message) {
        if (message.startsWith("Expected a field name")) {
            return "a mapping or a list where the name of a field belongs"; // as in a template that nobody filled in
        }
        return message.strip()
                .lines()
                .map(String::strip)
                .filter(l -> !l.isEmpty())
                .limit(2)
                .reduce((a, b) -> a + ": " + b)
                .orElse("an unreadable file");
    }

    private static YAMLFactory factory() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(MAX_BYTES);
        options.setNestingDepthLimit(MAX_DEPTH + 2);
        options.setMaxAliasesForCollections(0);
        return YAMLFactory.builder()
                .loaderOptions(options)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH + 2)
                        .build())
                .build();
    }
}
