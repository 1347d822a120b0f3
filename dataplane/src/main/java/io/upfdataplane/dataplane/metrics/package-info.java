/** Counters and states for Prometheus and for /status. */
@NullMarked
package io.upfdataplane.dataplane.metrics;

import org.jspecify.annotations.NullMarked;
