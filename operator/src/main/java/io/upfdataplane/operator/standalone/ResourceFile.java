package io.upfdataplane.operator.standalone;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.upfdataplane.operator.model.Fault;
import io.upfdataplane.operator.model.Malformed;
import io.upfdataplane.operator.model.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Files that hold one resource each, and files that are replaced whole, so that no reader sees half of one. */
final class ResourceFile {
    private ResourceFile() {}

    static JsonNode parse(String text) throws Malformed {
        refuseAliases(text);
        try (MappingIterator<JsonNode> documents =
                Yaml.MAPPER.readerFor(JsonNode.class).readValues(text)) {
            List<JsonNode> resources = documents.readAll().stream()
                    .filter(document -> !document.isNull())
                    .toList();
            if (resources.size() != 1) {
                throw new Malformed(
                        List.of(new Fault("(whole file)", resources.size() + " resources", "exactly one resource")));
            }
            return resources.getFirst();
        } catch (JsonProcessingException e) {
            throw unread(e);
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory can always be read", e);
        }
    }

    /** To our reader an alias is the text of its name, so {@code *mode} would be taken for the mode «mode». */
    private static void refuseAliases(String text) throws Malformed {
        try (YAMLParser parser = Yaml.MAPPER.getFactory().createParser(text)) {
            while (parser.nextToken() != null) {
                if (parser.isCurrentAlias()) {
                    throw new Malformed(List.of(new Fault(
                            "line " + parser.currentTokenLocation().getLineNr(),
                            "the alias *" + parser.getText(),
                            "the value itself")));
                }
            }
        } catch (JsonProcessingException e) {
            throw unread(e);
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory can always be read", e);
        }
    }

    private static Malformed unread(JsonProcessingException e) {
        String where = e.getLocation() == null
                ? "(whole file)"
                : "line " + e.getLocation().getLineNr();
        String found = e.getOriginalMessage().lines().findFirst().orElse("something else");
        return new Malformed(List.of(new Fault(where, found, "YAML or JSON of one resource")));
    }

    static void replace(Path file, String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, text);
        Files.move(
                next,
                file,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
}
