package io.upfdataplane.dataplane.run;

import io.upfdataplane.dataplane.port.PortRefused;
import io.upfdataplane.dataplane.port.PortSet;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port set that is being opened by a thread of its own: the kernel may take its time for a program and its rings, and
 * N4 is served meanwhile. Control thread.
 */
final class Opening implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Opening.class);

    /** What opens a port set; in tests something else than a device. */
    interface Ports {
        PortSet open() throws PortRefused, IOException;
    }

    private final FutureTask<PortSet> task;
    private final Thread thread;
    private boolean isTaken;

    /** Begins at once. */
    Opening(Ports ports) {
        task = new FutureTask<>(ports::open);
        thread = Thread.ofPlatform().name("port-opening").daemon().start(task);
    }

    boolean isDone() {
        return task.isDone();
    }

    /**
     * The open set; waits for it. Whoever takes it closes it.
     *
     * @throws PortRefused when it cannot be opened. A defect in a backend is a refusal too: it must not cost the traffic
     *     that another backend carries.
     */
    PortSet take() throws PortRefused, InterruptedException {
        try {
            PortSet opened = task.get();
            isTaken = true;
            return opened;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof PortRefused refused) {
                throw refused;
            }
            LOG.error("ports failed to open", e.getCause());
            throw new PortRefused(
                    "PortOpening", String.valueOf(e.getCause()), "ports that open", "report this defect with the log");
        }
    }

    /** Waits for the thread, and closes the set if nobody took it. */
    @Override
    public void close() throws InterruptedException {
        thread.join();
        if (!isTaken) {
            try {
                take().close();
            } catch (PortRefused refused) {
                LOG.info("ports were not needed any more, nor opened: {}", refused.getMessage());
            }
        }
    }
}
