package io.upfdataplane.dataplane.session;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;

/**
 * Our Recovery Time Stamp (TS 29.244 §8.2.65): kept in the state directory, so that it never goes backwards, whatever the
 * clock does. Sessions do not outlive the process, so each start takes a newer one.
 */
public final class RecoveryTimeStamp {
    private static final String FILE = "recovery-time-stamp";
    private static final long SECONDS_1900_TO_1970 = 2_208_988_800L;

    private RecoveryTimeStamp() {}

    /**
     * The stamp of this start: the present time, or one more than the last when the clock has gone back. It is on disk when
     * this returns.
     *
     * @throws IOException when it cannot be kept, naming the file; a stamp that may go backwards is worse than no start
     */
    public static long takeNewer(Path stateDirectory, InstantSource clock) throws IOException {
        Path file = stateDirectory.resolve(FILE);
        long now = clock.instant().getEpochSecond() + SECONDS_1900_TO_1970;
        long stamp = Math.max(now, last(file) + 1);
        Files.createDirectories(stateDirectory);
        Path next = stateDirectory.resolve(FILE + ".next");
        try (FileChannel out = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer text = ByteBuffer.wrap(Long.toString(stamp).getBytes(StandardCharsets.US_ASCII));
            while (text.hasRemaining()) {
                out.write(text);
            }
            out.force(true);
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel directory = FileChannel.open(stateDirectory, StandardOpenOption.READ)) {
            directory.force(true);
        }
        return stamp;
    }

    private static long last(Path file) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        String text = Files.readString(file, StandardCharsets.US_ASCII).trim();
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException(
                    file + " holds '" + text.substring(0, Math.min(20, text.length()))
                            + "', a number of seconds needed; remove the file to begin anew",
                    e);
        }
    }
}
