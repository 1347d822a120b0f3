/** What is done to a packet once its rules are known: headers, policing, next hop, counters. */
@NullMarked
package io.upfdataplane.dataplane.apply;

import org.jspecify.annotations.NullMarked;
