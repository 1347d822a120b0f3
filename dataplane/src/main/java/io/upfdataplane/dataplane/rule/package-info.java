/** What the control plane asks of a packet, as values: PDR, FAR, QER (TS 29.244 clause 5.2). */
@NullMarked
package io.upfdataplane.dataplane.rule;

import org.jspecify.annotations.NullMarked;
