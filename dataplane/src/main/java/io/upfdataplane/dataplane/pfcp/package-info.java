/** PFCP bytes and the records they stand for (TS 29.244 clause 7). */
@NullMarked
package io.upfdataplane.dataplane.pfcp;

import org.jspecify.annotations.NullMarked;
