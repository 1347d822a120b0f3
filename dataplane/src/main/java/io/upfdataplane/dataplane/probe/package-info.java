/** Facts of this host, as a NodeReport. */
@NullMarked
package io.upfdataplane.dataplane.probe;

import org.jspecify.annotations.NullMarked;
