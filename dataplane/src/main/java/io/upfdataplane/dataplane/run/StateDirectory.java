package io.upfdataplane.dataplane.run;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.upfdataplane.dataplane.config.ConfigJudge;
import io.upfdataplane.dataplane.config.Judgement;
import io.upfdataplane.dataplane.config.Plan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What outlives the process: the plan that was refused, so that a restart does not try it again, and the configuration
 * that ran well. One process at a time holds it. Control thread.
 */
final class StateDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateDirectory.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String REFUSED = "refused.json";
    private static final String LAST_GOOD = "last-good.yaml";

    private final Path directory;
    private final FileChannel lockFile;
    private final FileLock lock;

    private StateDirectory(Path directory, FileChannel lockFile, FileLock lock) {
        this.directory = directory;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /**
     * @throws IOException when it cannot be written, or when another process holds it
     */
    static StateDirectory open(Path directory) throws IOException {
        FileChannel file;
        try {
            Files.createDirectories(directory);
            file = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IOException("state directory " + directory + " cannot be written: " + e, e);
        }
        FileLock lock = file.tryLock();
        if (lock == null) {
            file.close();
            throw new IOException("state directory " + directory
                    + " is held by another dataplane; stop it, or give this one a directory of its own");
        }
        return new StateDirectory(directory, file, lock);
    }

    Path path() {
        return directory;
    }

    Optional<Refusal> refused() {
        Path file = directory.resolve(REFUSED);
        try {
            Refusal refusal = JSON.readValue(Files.readAllBytes(file), Refusal.class);
            if (isWhole(refusal)) {
                return Optional.of(refusal);
            }
            LOG.warn("{} is not whole and is ignored", file);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            LOG.warn("{} is not readable and is ignored: {}", file, e.toString());
        }
        // Without it the worst case is one more try of a plan that is refused again.
        return Optional.empty();
    }

    private static boolean isWhole(@Nullable Refusal refusal) {
        return refusal != null
                && Stream.of(
                                refusal.planHash(),
                                refusal.mode(),
                                refusal.check(),
                                refusal.found(),
                                refusal.needed(),
                                refusal.hint())
                        .allMatch(Objects::nonNull);
    }

    void remember(Refusal refusal) throws IOException {
        write(REFUSED, JSON.writeValueAsBytes(refusal));
    }

    void forgetRefused() throws IOException {
        Files.deleteIfExists(directory.resolve(REFUSED));
    }

    /** The candidate of the configuration that ran well last. */
    Optional<Plan> lastGood() throws IOException {
        try {
            byte[] bytes = Files.readAllBytes(directory.resolve(LAST_GOOD));
            return switch (ConfigJudge.judge(bytes)) {
                case Judgement.Accepted accepted ->
                    Optional.of(accepted.config().candidate());
                case Judgement.Refused refused -> {
                    LOG.warn(
                            "{} no longer holds: {}",
                            LAST_GOOD,
                            refused.errors().getFirst());
                    yield Optional.empty();
                }
            };
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * @param config the file whose candidate runs well
     */
    void rememberGood(byte[] config) throws IOException {
        write(LAST_GOOD, config);
    }

    /** Whole or not at all, also when the process is killed or the power fails in between. */
    private void write(String name, byte[] bytes) throws IOException {
        Path next = directory.resolve(name + ".next");
        try (FileChannel out = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                out.write(buffer);
            }
            out.force(true);
        }
        Files.move(next, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
        lock.release();
        lockFile.close();
    }
}
