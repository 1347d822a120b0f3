/** AF_PACKET: memory-mapped rings beside the kernel's own stack. */
@NullMarked
package io.upfdataplane.dataplane.port.afpacket;

import org.jspecify.annotations.NullMarked;
