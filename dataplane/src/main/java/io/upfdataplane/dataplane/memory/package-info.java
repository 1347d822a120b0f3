/** The native address space as one segment: how every room reads and writes bytes outside the heap. */
@NullMarked
package io.upfdataplane.dataplane.memory;

import org.jspecify.annotations.NullMarked;
