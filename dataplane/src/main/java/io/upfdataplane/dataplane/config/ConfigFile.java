package io.upfdataplane.dataplane.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The file on disk, looked at again and again. A change is seen by its content, not by events: that holds for editors
 * that replace the file and for the {@code ..data} symlink that Kubernetes swaps under a ConfigMap. One thread.
 */
public final class ConfigFile {
    private final Path path;
    private byte[] seen = {};
    private byte[] judged = {};

    public ConfigFile(Path path) {
        this.path = path;
    }

    /** Reads and judges the file. */
    public Judgement read() {
        byte[] bytes;
        try {
            bytes = contents();
        } catch (IOException e) {
            seen = new byte[0];
            return new Judgement.Refused(List.of(unreadable(e)));
        }
        seen = digest(bytes);
        judged = bytes;
        return ConfigJudge.judge(bytes);
    }

    /**
     * The judgement of a content that was not judged before; empty while nothing changed. A file that is away for a
     * moment (an editor replacing it) is no change.
     */
    public Optional<Judgement> readIfChanged() {
        byte[] bytes;
        try {
            bytes = contents();
        } catch (IOException e) {
            return Optional.empty();
        }
        byte[] now = digest(bytes);
        if (Arrays.equals(now, seen)) {
            return Optional.empty();
        }
        seen = now;
        judged = bytes;
        return Optional.of(ConfigJudge.judge(bytes));
    }

    /** The content that was judged last. */
    public byte[] judged() {
        return judged.clone();
    }

    /** One byte more than allowed is enough to refuse it: a huge file is never read whole. */
    private byte[] contents() throws IOException {
        try (var in = Files.newInputStream(path)) {
            return in.readNBytes(YamlTree.MAX_BYTES + 1);
        }
    }

    private ConfigError unreadable(IOException e) {
        return new ConfigError(1, "", e.getClass().getSimpleName() + ": " + path, "a readable file");
    }

    private static byte[] digest(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
