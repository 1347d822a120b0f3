/** The dataplane's one configuration file, judged whole and once. */
@NullMarked
package io.upfdataplane.dataplane.config;

import org.jspecify.annotations.NullMarked;
