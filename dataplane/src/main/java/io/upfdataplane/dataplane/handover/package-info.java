/** Where the control thread and the workers meet: rings and counter pages, never locks. */
@NullMarked
package io.upfdataplane.dataplane.handover;

import org.jspecify.annotations.NullMarked;
