/** AF_XDP: frames redirected by our XDP program into user memory. */
@NullMarked
package io.upfdataplane.dataplane.port.afxdp;

import org.jspecify.annotations.NullMarked;
