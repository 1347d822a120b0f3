package io.upfdataplane.dataplane.port.afxdp;

import java.util.List;

/**
 * What the XDP program has done with the packets of all devices of a set.
 *
 * @param passed to the kernel: not ours
 * @param passedWhileOff to the kernel: ours, while redirection was off
 * @param noSocket to the kernel: ours, but no socket was there for its queue and worker
 * @param fragments of GTP-U datagrams seen
 * @param redirected to each worker
 */
public record XdpCounters(long passed, long passedWhileOff, long noSocket, long fragments, List<Long> redirected) {
    public XdpCounters {
        redirected = List.copyOf(redirected);
    }
}
