/** One class for each C library; the only user of the foreign linker. */
@NullMarked
package io.upfdataplane.dataplane.ffi;

import org.jspecify.annotations.NullMarked;
