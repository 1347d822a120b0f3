/** Neighbours and routes, learned from the kernel by netlink and kept fresh. */
@NullMarked
package io.upfdataplane.dataplane.nexthop;

import org.jspecify.annotations.NullMarked;
