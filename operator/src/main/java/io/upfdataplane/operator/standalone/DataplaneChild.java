package io.upfdataplane.operator.standalone;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.upfdataplane.operator.model.Yaml;
import io.upfdataplane.operator.status.DataplaneReport;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The dataplane as a child process: started, watched, asked for its status, started again when it dies, each time after
 * a longer wait until it has lived for a while. Used by one thread, which is in the network namespace of the dataplane.
 */
final class DataplaneChild {
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Duration SETTLED = Duration.ofSeconds(60);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int HTTP_MILLIS = 1500;

    private final List<String> command;
    private final File log;
    private final URI statusUri;
    private final Screen screen;

    private @Nullable Process process;
    private long startedNanos;
    private long notBeforeNanos = System.nanoTime();
    private Duration nextWait = FIRST_WAIT;
    private String silence = "the dataplane was not started yet";

    DataplaneChild(List<String> command, Path log, int port, Screen screen) {
        this.command = List.copyOf(command);
        this.log = log.toFile();
        this.statusUri = URI.create("http://127.0.0.1:" + port + "/status");
        this.screen = screen;
    }

    boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Whether it has run at all since this program began. */
    boolean wasStarted() {
        return startedNanos != 0;
    }

    /** Why the dataplane says nothing. */
    String silence() {
        return silence;
    }

    /** Starts it when it is not running and its wait is over. */
    void keepRunning() throws IOException {
        if (isAlive()) {
            if (System.nanoTime() - startedNanos > SETTLED.toNanos()) {
                nextWait = FIRST_WAIT;
            }
            return;
        }
        if (process != null) {
            silence = "the dataplane ended with " + process.exitValue() + "; its last words are in " + log
                    + "; it is started again in " + nextWait.toSeconds() + " s";
            screen.event(silence);
            notBeforeNanos = System.nanoTime() + nextWait.toNanos();
            nextWait = nextWait.multipliedBy(2).compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : nextWait.multipliedBy(2);
            process = null;
        }
        if (System.nanoTime() - notBeforeNanos < 0) {
            return;
        }
        List<String> guarded = new ArrayList<>(List.of("setpriv", "--pdeathsig", "TERM", "--")); // it ends with us
        guarded.addAll(command);
        process = new ProcessBuilder(guarded)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
        startedNanos = System.nanoTime();
        silence = "the dataplane is starting";
        screen.event("dataplane started, process " + process.pid() + ", log in " + log);
    }

    /** What it says of itself; null when it does not answer. */
    @Nullable
    DataplaneReport report() {
        if (!isAlive()) {
            return null;
        }
        try {
            HttpURLConnection connection = (HttpURLConnection) statusUri.toURL().openConnection();
            connection.setConnectTimeout(HTTP_MILLIS);
            connection.setReadTimeout(HTTP_MILLIS);
            try (InputStream body = connection.getInputStream()) {
                return DataplaneReport.of(Yaml.MAPPER.readTree(body));
            }
        } catch (JsonProcessingException e) {
            silence = "the dataplane's /status cannot be read: " + e.getOriginalMessage();
            return null;
        } catch (IOException e) {
            silence = "the dataplane does not answer on " + statusUri + " yet: " + e.getMessage();
            return null;
        }
    }

    /** Ends it: politely, and after a grace by force. */
    void stop() throws InterruptedException {
        if (process == null) {
            return;
        }
        process.destroy();
        if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
            screen.event("the dataplane did not end within " + GRACE.toSeconds() + " s and is killed");
            process.destroyForcibly().waitFor();
        }
        process = null;
        nextWait = FIRST_WAIT;
        notBeforeNanos = System.nanoTime();
        silence = "the dataplane was stopped";
    }
}
