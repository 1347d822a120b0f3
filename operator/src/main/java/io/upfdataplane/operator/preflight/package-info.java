/** Model and facts → {@code Cleared} or {@code Refused}; one class for each check. Sees {@code model} and {@code api}. */
@NullMarked
package io.upfdataplane.operator.preflight;

import org.jspecify.annotations.NullMarked;
