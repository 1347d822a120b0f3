package io.upfdataplane.operator.reconcile;

import io.quarkus.runtime.Quarkus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Runs in a cluster until it is told to stop. The cluster is the one of the kubeconfig or of the pod. */
@Command(
        name = "reconcile",
        mixinStandardHelpOptions = true,
        description = {
            "Runs every UpfDataplane of a cluster. Settings are read from the environment:",
            "UPF_IMAGE                 image of the dataplane where a resource names none",
            "UPF_ALLOWED_IMAGES        images that resources may name, by comma; a * at the end stands for any rest",
            "UPF_LEASE_NAMESPACE       namespace of the leader's lease (default: default)",
            "QUARKUS_HTTP_PORT         port of /healthz/live and /healthz/ready (default: 8081)"
        })
public final class ReconcileCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        int[] exit = {0};
        Quarkus.run(WaitForExit.class, (code, failure) -> {
            exit[0] = code;
            if (failure != null) {
                System.err.println(failure.getMessage() == null ? failure.toString() : failure.getMessage());
            }
        });
        return exit[0];
    }
}
