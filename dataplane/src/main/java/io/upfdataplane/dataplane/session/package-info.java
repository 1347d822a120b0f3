/** N4: associations, sessions and their rules, on the control thread. */
@NullMarked
package io.upfdataplane.dataplane.session;

import org.jspecify.annotations.NullMarked;
