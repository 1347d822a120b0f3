/** The kernel beside the dataplane: kept from acting on our packets, and from changing them before we see them. */
@NullMarked
package io.upfdataplane.dataplane.port.kernel;

import org.jspecify.annotations.NullMarked;
