package io.upfdataplane.dataplane.metrics;

import java.util.List;

/**
 * Every metric of our own: its name, which is API, its kind, its labels and its meaning. docs/metrics.md lists the same;
 * a test compares them. Counters are exposed with {@code _total} at the end.
 */
public enum Metric {
    RX_PACKETS("upf_rx_packets", Kind.COUNTER, "Packets received, by direction.", "direction"),
    RX_BYTES("upf_rx_bytes", Kind.COUNTER, "Bytes received, from the Ethernet header on.", "direction"),
    TX_PACKETS("upf_tx_packets", Kind.COUNTER, "Packets forwarded.", "direction"),
    TX_BYTES("upf_tx_bytes", Kind.COUNTER, "Bytes forwarded, from the Ethernet header on.", "direction"),
    ANSWERED_PACKETS("upf_answered_packets", Kind.COUNTER, "Echo Requests that were answered.", "direction"),
    DROPS_PACKETS("upf_drops_packets", Kind.COUNTER, "Packets dropped, by reason.", "direction", "reason"),
    REHOMED_PACKETS(
            "upf_rehomed_packets", Kind.COUNTER, "Packets taken over from the worker that received them.", "worker"),
    WORKER_BUSY_SECONDS("upf_worker_busy_seconds", Kind.COUNTER, "Time in turns that had a packet.", "worker"),
    WORKER_ELAPSED_SECONDS("upf_worker_elapsed_seconds", Kind.COUNTER, "Time since the worker began.", "worker"),
    WORKER_UTILISATION_RATIO(
            "upf_worker_utilisation_ratio", Kind.GAUGE, "Busy part of the last second or so, 0 to 1.", "worker"),
    PORT_RECEIVED_FRAMES("upf_port_received_frames", Kind.COUNTER, "Frames handed to workers.", "leg"),
    PORT_SENT_FRAMES("upf_port_sent_frames", Kind.COUNTER, "Frames the kernel or device took.", "leg"),
    PORT_RECEIVE_OVERRUNS_FRAMES(
            "upf_port_receive_overruns_frames",
            Kind.COUNTER,
            "Frames dropped before us: the receive ring was full, or had no frame to receive into.",
            "leg"),
    PORT_FILL_STARVED("upf_port_fill_starved", Kind.COUNTER, "Times the device found no frame to fill.", "leg"),
    PORT_INVALID_DESCRIPTORS(
            "upf_port_invalid_descriptors", Kind.COUNTER, "Descriptors the kernel refused: a defect.", "leg"),
    PORT_CHECKSUMS_COMPLETED(
            "upf_port_checksums_completed", Kind.COUNTER, "Unfinished checksums completed in software.", "leg"),
    PORT_SEGMENTED_FRAMES("upf_port_segmented_frames", Kind.COUNTER, "Oversized TCP frames cut into segments.", "leg"),
    PORT_POOL_EMPTY_FRAMES(
            "upf_port_pool_empty_frames", Kind.COUNTER, "Frames lost because the pool had none left.", "leg"),
    PORT_OVERSIZED_FRAMES(
            "upf_port_oversized_frames", Kind.COUNTER, "Frames longer than the MTU or a pool frame allows.", "leg"),
    DEVICE_LOST_FRAMES(
            "upf_device_lost_frames",
            Kind.COUNTER,
            "Frames that the device of a leg lost, as the kernel counts.",
            "leg",
            "reason"),
    FRAME_POOL_FRAMES("upf_frame_pool_frames", Kind.GAUGE, "Frames in the one frame pool."),
    FRAME_POOL_FREE_FRAMES("upf_frame_pool_free_frames", Kind.GAUGE, "Frames that nobody holds, about."),
    SESSIONS("upf_sessions", Kind.GAUGE, "PFCP sessions."),
    SESSIONS_MAX("upf_sessions_max", Kind.GAUGE, "PFCP sessions there is room for."),
    SESSIONS_FORWARDING(
            "upf_sessions_forwarding",
            Kind.GAUGE,
            "PFCP sessions that have passed a packet since they were established."),
    N4_MESSAGES("upf_n4_messages", Kind.COUNTER, "PFCP messages by type; way is received or sent.", "message", "way"),
    N4_ANSWERS("upf_n4_answers", Kind.COUNTER, "Answers by request and cause (TS 29.244 §8.2.1).", "request", "cause"),
    N4_DATAGRAMS_REFUSED(
            "upf_n4_datagrams_refused",
            Kind.COUNTER,
            "Datagrams without use: malformed, discarded, unexpected (an answer to nothing), fault.",
            "reason"),
    N4_REPEATED("upf_n4_repeated", Kind.COUNTER, "Requests answered again from the response cache."),
    N4_PEERS("upf_n4_peers", Kind.GAUGE, "Peers of N4, by state.", "state"),
    N4_PEER_SESSIONS("upf_n4_peer_sessions", Kind.GAUGE, "PFCP sessions of a peer of N4, by its Node ID.", "peer"),
    N4_PEER_LAST_HEARTBEAT_SECONDS(
            "upf_n4_peer_last_heartbeat_seconds",
            Kind.GAUGE,
            "When a heartbeat, or an answer to one of ours, last came; seconds since 1970.",
            "peer"),
    NEXT_HOPS("upf_next_hops", Kind.GAUGE, "Next hops, by state.", "state"),
    MODE_INFO("upf_mode_info", Kind.GAUGE, "1 for what really runs.", "mode", "zero_copy", "xdp_attach"),
    MODE_TRANSITIONS("upf_mode_transitions", Kind.COUNTER, "Mode changes, by outcome.", "outcome"),
    MODE_INTERRUPTION_SECONDS(
            "upf_mode_interruption_seconds",
            Kind.GAUGE,
            "Longest time without traffic around the last mode change.",
            "direction"),
    MODE_LOST_PACKETS("upf_mode_lost_packets", Kind.GAUGE, "Packets lost in the last mode change."),
    CONTROL_LONGEST_STALL_SECONDS(
            "upf_control_longest_stall_seconds",
            Kind.GAUGE,
            "Longest time the control thread ran late by, in the last minute."),
    CONFIG_GENERATION("upf_config_generation", Kind.GAUGE, "Generation of the configuration that was accepted last."),
    CONFIG_ERRORS("upf_config_errors", Kind.GAUGE, "Errors in the configuration file as it is now."),
    READY("upf_ready", Kind.GAUGE, "1 when ports are up, workers poll and N4 is bound.");

    /** What may be done with a metric's values. */
    public enum Kind {
        COUNTER,
        GAUGE
    }

    private final String base;
    private final Kind kind;
    private final String help;
    private final List<String> labels;

    Metric(String base, Kind kind, String help, String... labels) {
        this.base = base;
        this.kind = kind;
        this.help = help;
        this.labels = List.of(labels);
    }

    /** Without {@code _total}. */
    public String base() {
        return base;
    }

    /** As it stands in the exposition. */
    public String exposed() {
        return kind == Kind.COUNTER ? base + "_total" : base;
    }

    public Kind kind() {
        return kind;
    }

    public String help() {
        return help;
    }

    public List<String> labels() {
        return labels;
    }
}
