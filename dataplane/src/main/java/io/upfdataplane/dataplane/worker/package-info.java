/** One thread on one CPU that runs packets to completion. */
@NullMarked
package io.upfdataplane.dataplane.worker;

import org.jspecify.annotations.NullMarked;
