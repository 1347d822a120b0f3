/** The packet path timed in memory, to be held against equal C. */
@NullMarked
package io.upfdataplane.dataplane.bench;

import org.jspecify.annotations.NullMarked;
