/** The same core in a cluster, and the only room that talks to an API server. */
@NullMarked
package io.upfdataplane.operator.reconcile;

import org.jspecify.annotations.NullMarked;
