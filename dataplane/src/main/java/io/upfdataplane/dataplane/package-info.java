/** The program's entry; all else lives in the rooms below. */
@NullMarked
package io.upfdataplane.dataplane;

import org.jspecify.annotations.NullMarked;
