/** The process: puts the rooms together, watches the configuration, changes the mode in place. */
@NullMarked
package io.upfdataplane.dataplane.run;

import org.jspecify.annotations.NullMarked;
