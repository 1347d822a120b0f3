package io.upfdataplane.dataplane.worker;

import io.upfdataplane.dataplane.handover.SharedUserPlane;
import io.upfdataplane.dataplane.port.FramePool;
import io.upfdataplane.dataplane.port.PortSet;

/** A worker without a thread of its own: its owner makes it turn. For benchmarks. One thread. */
public final class InlineWorker implements AutoCloseable {
    private final Doorbell doorbell = new Doorbell();
    private final Worker worker;

    /**
     * @param plane with one worker
     */
    public InlineWorker(SharedUserPlane plane, FramePool pool, WorkerSettings settings, PortSet ports) {
        worker = new Worker(0, plane, pool, settings, new Doorbell[] {doorbell});
        worker.use(new PortUse(1, ports, null, 0));
    }

    /** One turn of the worker's loop; false when there was nothing to do. */
    public boolean turn() {
        return worker.turn();
    }

    @Override
    public void close() {
        worker.close();
        doorbell.close();
    }
}
