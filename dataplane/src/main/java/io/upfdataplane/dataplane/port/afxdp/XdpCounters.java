package io.upfdataplane.dataplane.port.afxdp;

import java.util.List;

/**
 * What the XDP program has done with the packets of all devices of a set.
 *
 * @param passed to the kernel: not ours
 * @param passedWhileOff to the kernel: ours, while redirection was off
 * @param noSocket of the steered, those that went to the kernel since no socket was there for their queue and worker
 * @param fragments of GTP-U datagrams seen
 * @param steered to each worker, while redirection was on
 */
public record XdpCounters(long passed, long passedWhileOff, long noSocket, long fragments, List<Long> steered) {
    public XdpCounters {
        steered = List.copyOf(steered);
    }
}
