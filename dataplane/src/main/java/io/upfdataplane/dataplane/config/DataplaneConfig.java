package io.upfdataplane.dataplane.config;

import org.jspecify.annotations.Nullable;

/**
 * The configuration file, judged.
 *
 * @param generation of the custom resource that it was rendered from
 * @param candidate what shall run
 * @param lastGood what ran well before; null when nothing did
 */
public record DataplaneConfig(
        long generation, Plan candidate, @Nullable Plan lastGood) {
    public static final String API_VERSION = "dataplane.upfdataplane.io/v1alpha1";
    public static final String KIND = "DataplaneConfig";
}
