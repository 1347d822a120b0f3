package io.upfdataplane.dataplane.session;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.regex.Pattern;

/**
 * Our Recovery Time Stamp (TS 29.244 §8.2.65): kept in the state directory, so that it never goes backwards, whatever the
 * clock does. Sessions do not outlive the process, so each start takes a newer one.
 */
public final class RecoveryTimeStamp {
    private static final String FILE = "recovery-time-stamp";
    private static final long SECONDS_1900_TO_1970 = 2_208_988_800L;
    private static final int MOST_DIGITS = 12;
    private static final Pattern STAMP = Pattern.compile("[0-9]{1," + MOST_DIGITS + "}");

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

    /** What is not a stamp is not guessed at, however it came there. */
    private static long last(Path file) throws IOException {
        String text;
        try (InputStream in = Files.newInputStream(file)) {
            text = new String(in.readNBytes(MOST_DIGITS + 1), StandardCharsets.ISO_8859_1).trim();
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw new IOException(file + " cannot be read: " + e.getMessage(), e);
        }
        if (!STAMP.matcher(text).matches()) {
            throw new IOException(
                    file + " holds '" + text + "', a number of seconds needed; remove the file to begin anew");
        }
        return Long.parseLong(text);
    }
}
