/** How packets enter and leave: one contract, one sub-room for each I/O mode. */
@NullMarked
package io.upfdataplane.dataplane.port;

import org.jspecify.annotations.NullMarked;
