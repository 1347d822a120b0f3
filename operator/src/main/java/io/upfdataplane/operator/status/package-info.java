/** What is observed now → conditions; transition times and the evidence at onset are all that is carried over. */
@NullMarked
package io.upfdataplane.operator.status;

import org.jspecify.annotations.NullMarked;
