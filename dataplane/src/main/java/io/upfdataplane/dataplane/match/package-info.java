/** The directory of sessions and the choice of a PDR for a packet. */
@NullMarked
package io.upfdataplane.dataplane.match;

import org.jspecify.annotations.NullMarked;
