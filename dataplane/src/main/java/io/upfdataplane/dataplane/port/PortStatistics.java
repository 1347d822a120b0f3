package io.upfdataplane.dataplane.port;

/**
 * Counters of one port since it was opened.
 *
 * @param received frames handed to the worker
 * @param sent frames the kernel or device took
 * @param receiveOverruns frames the kernel dropped for us: the receive ring was full, there was no frame to
 *     receive into, or they lay in the ring when it was closed
 * @param fillStarved times the device found no frame to receive into
 * @param invalidDescriptors descriptors the kernel refused (a defect)
 * @param checksumsCompleted unfinished checksums completed in software
 * @param segmented oversized TCP frames cut into segments
 * @param poolEmpty frames lost because the pool had none left
 * @param oversized frames longer than the device's MTU or a pool frame allows: not sent, or not received
 */
public record PortStatistics(
        long received,
        long sent,
        long receiveOverruns,
        long fillStarved,
        long invalidDescriptors,
        long checksumsCompleted,
        long segmented,
        long poolEmpty,
        long oversized) {}
