/** What a mode needs, judged in the place where it will run, before anything is touched. */
@NullMarked
package io.upfdataplane.dataplane.preflight;

import org.jspecify.annotations.NullMarked;
