/** Views of packet headers: moved over the bytes, checked once, then read freely. */
@NullMarked
package io.upfdataplane.dataplane.wire;

import org.jspecify.annotations.NullMarked;
