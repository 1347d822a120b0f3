package io.upfdataplane.operator.reconcile;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.quarkus.runtime.Quarkus;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operator leads. The lease is given back on SIGTERM, so that the next one need not wait until it runs out; losing it
 * for any other reason ends the process, since two that write would undo each other.
 */
@ApplicationScoped
public class Leadership {
    static final String LEASE = "upf-operator";
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final Duration LEASE_DURATION = Duration.ofSeconds(15);
    private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
    private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);
    private final KubernetesClient client;
    private final String namespace;
    private final String identity = UUID.randomUUID().toString();
    private final AtomicBoolean stopping = new AtomicBoolean();

    Leadership(
            KubernetesClient client,
            @ConfigProperty(name = "upf.lease-namespace", defaultValue = "default") String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    @Produces
    @Singleton
    LeaderElectionConfiguration election() {
        return new LeaderElectionConfiguration(
                LEASE,
                namespace,
                LEASE_DURATION,
                RENEW_DEADLINE,
                RETRY_PERIOD,
                identity,
                new LeaderCallbacks(
                        () -> LOG.info("leading as {}", identity), this::lost, leader -> LOG.info("{} leads", leader)),
                // The framework would call System.exit inside the shutdown hook, and wait for itself for ever.
                false);
    }

    private void lost() {
        if (!stopping.get()) {
            LOG.error("the lease {}/{} was lost; ending, so that no two operators write", namespace, LEASE);
            Quarkus.asyncExit(1);
        }
    }

    /** From now on, losing the lease is what we want. */
    void stopping() {
        stopping.set(true);
    }

    void release() {
        try {
            var leases = client.leases().inNamespace(namespace).withName(LEASE);
            Lease lease = leases.get();
            if (lease != null && identity.equals(lease.getSpec().getHolderIdentity())) {
                lease.getSpec().setHolderIdentity("");
                lease.getSpec().setLeaseDurationSeconds(1);
                lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
                client.resource(lease).update();
                LOG.info("the lease {}/{} was released", namespace, LEASE);
            }
        } catch (KubernetesClientException e) {
            LOG.warn(
                    "the lease {}/{} could not be released and runs out by itself: {}",
                    namespace,
                    LEASE,
                    e.getMessage());
        }
    }
}
