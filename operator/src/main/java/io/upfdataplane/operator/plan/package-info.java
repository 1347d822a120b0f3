/** What is to be done, each value with its reason: cores, memory, tuning, and what a change costs. */
@NullMarked
package io.upfdataplane.operator.plan;

import org.jspecify.annotations.NullMarked;
