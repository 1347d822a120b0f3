package io.upfdataplane.operator.reconcile;

import io.javaoperatorsdk.operator.Operator;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.event.Observes;

/** Starts the controllers, keeps the process while they work, and ends them in order. */
public final class WaitForExit implements QuarkusApplication {
    private final Operator operator;
    private final Leadership leadership;

    WaitForExit(Operator operator, Leadership leadership) {
        this.operator = operator;
        this.leadership = leadership;
    }

    @Override
    public int run(String... args) {
        operator.start();
        Quarkus.waitForExit();
        return 0;
    }

    /** The lease is given back last: the next leader must not write beside us. */
    void stop(@Observes ShutdownEvent event) {
        leadership.stopping();
        operator.stop();
        leadership.release();
    }
}
