package io.upfdataplane.dataplane.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
    /** A replacement takes less than this many looks. */
    static final int LOOKS_OF_A_MOMENT = 10;

    private final Path path;
    private byte[] seen = {};
    private byte[] judged = {};
    private int looksInVain;
    private String lastInVain = "";

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
        looksInVain = 0;
        seen = digest(bytes);
        judged = bytes;
        return ConfigJudge.judge(bytes);
    }

    /**
     * The judgement of a content that was not judged before; empty while nothing changed. A file that is away for a
     * moment (an editor replacing it) is no change; one that stays away, or cannot be read, is refused once.
     */
    public Optional<Judgement> readIfChanged() {
        byte[] bytes;
        try {
            bytes = contents();
        } catch (IOException e) {
            if (!unread(e).equals(lastInVain)) {
                lastInVain = unread(e);
                looksInVain = 0;
            }
            looksInVain++;
            if (looksInVain != LOOKS_OF_A_MOMENT) {
                return Optional.empty();
            }
            seen = new byte[0];
            return Optional.of(new Judgement.Refused(List.of(unreadable(e))));
        }
        looksInVain = 0;
        lastInVain = "";
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
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            // To open a pipe would wait for its writer, and with us everything else.
            throw new IOException("is not a file");
        }
        try (var in = Files.newInputStream(path)) {
            return in.readNBytes(YamlTree.MAX_BYTES + 1);
        }
    }

    private ConfigError unreadable(IOException e) {
        return new ConfigError(1, "", unread(e) + ": " + path, "a readable file");
    }

    private static String unread(IOException e) {
        return switch (e) {
            case NoSuchFileException ignored -> "no file";
            case AccessDeniedException ignored -> "permission denied";
            default -> String.valueOf(e.getMessage());
        };
    }

    private static byte[] digest(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
