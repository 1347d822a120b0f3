package io.upfdataplane.operator.reconcile;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** What an administrator decides for all resources. */
@ApplicationScoped
public class Settings {
    private final String image;
    private final List<String> allowed;

    Settings(
            @ConfigProperty(name = "upf.image", defaultValue = "upf-dataplane:latest") String image,
            @ConfigProperty(name = "upf.allowed-images") Optional<List<String>> allowed) {
        this.image = image;
        this.allowed = allowed.orElse(List.of());
    }

    /** The image where a resource names none. */
    String image() {
        return image;
    }

    /** Whoever writes a resource must not choose what runs as root on a node. */
    boolean allows(String named) {
        return named.equals(image)
                || allowed.stream()
                        .anyMatch(pattern -> pattern.endsWith("*")
                                ? named.startsWith(pattern.substring(0, pattern.length() - 1))
                                : named.equals(pattern));
    }

    String allowedList() {
        return allowed.isEmpty() ? image : image + ", " + String.join(", ", allowed);
    }
}
