/** The same core on one host without an API server, and at a desk: {@code standalone} and {@code plan}. */
@NullMarked
package io.upfdataplane.operator.standalone;

import org.jspecify.annotations.NullMarked;
