/** A port made of two arrays, for tests and benchmarks. */
@NullMarked
package io.upfdataplane.dataplane.port.memory;

import org.jspecify.annotations.NullMarked;
