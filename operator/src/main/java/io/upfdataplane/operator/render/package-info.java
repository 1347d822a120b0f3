/** Plan → the dataplane's file and Kubernetes objects, one class for each kind; the same plan gives the same bytes. */
@NullMarked
package io.upfdataplane.operator.render;

import org.jspecify.annotations.NullMarked;
