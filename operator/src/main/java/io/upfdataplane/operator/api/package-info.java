/** The custom resources as Java types: what users write and what they read back. Sees no other room. */
@NullMarked
package io.upfdataplane.operator.api;

import org.jspecify.annotations.NullMarked;
