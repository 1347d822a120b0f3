/** A custom resource checked, defaulted and made immutable; the facts of a node. Sees {@code api}. */
@NullMarked
package io.upfdataplane.operator.model;

import org.jspecify.annotations.NullMarked;
