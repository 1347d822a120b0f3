package io.upfdataplane.operator.standalone;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
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
            String where = e.getLocation() == null
                    ? "(whole file)"
                    : "line " + e.getLocation().getLineNr();
            String found = e.getOriginalMessage().lines().findFirst().orElse("something else");
            throw new Malformed(List.of(new Fault(where, found, "YAML or JSON of one resource")));
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory can always be read", e);
        }
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
