// Sends what is ours to the AF_XDP socket of the worker that owns it, and leaves the rest to the kernel.
//
// Ours is, on a device that carries N3: UDP to our N3 address, port 2152 (TS 29.281 §4.4.2), and the fragments of such
// datagrams, so that they are counted as drops and never answered by the kernel. On a device that carries N6: what is
// addressed to a UE pool. ARP, ICMP, N4, ssh and everything else passes.
//
// The worker is chosen as ARCHITECTURE.md says under "A packet's way"; the class Steering is the same function in Java,
// and a test runs both on the same packets.

#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ETHERNET_BYTES 14
#define ETHERTYPE_IPV4 0x0800
#define IPV4_BYTES 20
#define PROTOCOL_UDP 17
#define UDP_BYTES 8
#define GTPU_PORT 2152
#define GTPU_BYTES 8           // TS 29.281 §5.1, without the optional fields
#define GTPU_OPTIONAL_BYTES 4  // sequence number, N-PDU number, next extension header type
#define GTPU_G_PDU 255
#define PDU_SESSION_CONTAINER 0x85  // TS 29.281 §5.2.2.7
#define LONGEST_CONTAINER 16
#define FRAGMENT_OFFSET 0x1fff
#define MORE_FRAGMENTS 0x2000

#define DEVICES 2
#define MAX_WORKERS 64

// XdpProgram.java writes these: keep the layout in step.
struct device {
    __u32 ifindex;       // 0: unused
    __u32 n3_address;    // network order; 0: does not carry N3
    __u32 first_socket;  // index into sockets of queue 0, worker 0
    __u32 carries_n6;
    __u8 mac[6];  // the device's own: frames to others are others', as the kernel sees it
    __u16 unused;
};

struct control {
    __u32 redirect;  // 0: everything passes
    __u32 workers;
    struct device device[DEVICES];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct control);
    __uint(max_entries, 1);
} control SEC(".maps");

// Index: first_socket of the device + queue * workers + worker.
struct {
    __uint(type, BPF_MAP_TYPE_XSKMAP);
    __type(key, __u32);
    __type(value, __u32);
    __uint(max_entries, 64);
} sockets SEC(".maps");

struct pool_key {
    __u32 prefix_length;
    __u32 address;  // network order
};

struct {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __type(key, struct pool_key);
    __type(value, __u32);
    __uint(max_entries, 1024);
    __uint(map_flags, BPF_F_NO_PREALLOC);
} ue_pools SEC(".maps");

// A later fragment carries no port: it is ours when its first fragment was. Without one it passes, since it may belong
// to a large N4 message.
struct fragment_key {
    __u32 source;
    __u32 identification;
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __type(key, struct fragment_key);
    __type(value, __u8);
    __uint(max_entries, 1024);
} fragments SEC(".maps");

enum counter {
    PASSED,         // not ours
    PASSED_OFF,     // ours, while redirect is off
    NO_SOCKET,      // of those below, passed because the worker has no socket on this queue
    FRAGMENTS,      // fragments of GTP-U datagrams seen
    FIRST_WORKER = 8,  // + worker: ours, for that worker, while redirect is on
    COUNTERS = FIRST_WORKER + MAX_WORKERS,
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __type(key, __u32);
    __type(value, __u64);
    __uint(max_entries, COUNTERS);
} counters SEC(".maps");

static __always_inline void count(__u32 counter) {
    __u64 *value = bpf_map_lookup_elem(&counters, &counter);
    if (value) {
        (*value)++;
    }
}

static __always_inline __u32 load32(const __u8 *at) {
    return (__u32)at[0] << 24 | (__u32)at[1] << 16 | (__u32)at[2] << 8 | at[3];
}

static __always_inline __u32 worker_of_ue(__u32 ue, __u32 workers) {
    return (ue * 0x9E3779B1u >> 16) % workers;
}

// Worker of a GTP-U message: by the UE's address where the headers and one PDU Session Container can be walked to an
// inner IPv4 header, else by the TEID's low six bits. The caller has seen that GTPU_BYTES are there.
static __always_inline __u32 worker_of_gtpu(const __u8 *gtpu, const __u8 *end, __u32 workers) {
    __u32 by_teid = (load32(gtpu + 4) & 63) % workers;
    __u8 flags = gtpu[0];
    if ((flags & 0xf0) != 0x30 || gtpu[1] != GTPU_G_PDU) {
        return by_teid;
    }
    const __u8 *inner = gtpu + GTPU_BYTES;
    if (flags & 0x07) {
        inner += GTPU_OPTIONAL_BYTES;
        if (inner > end) {
            return by_teid;
        }
        if ((flags & 0x04) && inner[-1] != 0) {
            if (inner[-1] != PDU_SESSION_CONTAINER || inner + 1 > end) {
                return by_teid;
            }
            __u32 bytes = (__u32)inner[0] * 4;
            if (bytes == 0 || bytes > LONGEST_CONTAINER) {
                return by_teid;
            }
            inner += bytes;
            if (inner > end || inner[-1] != 0) {
                return by_teid;
            }
        }
    }
    if (inner + IPV4_BYTES > end || inner[0] >> 4 != 4) {
        return by_teid;
    }
    return worker_of_ue(load32(inner + 12), workers);
}

static __always_inline int redirect(
        struct xdp_md *context, const struct control *control, const struct device *device, __u32 worker) {
    if (!control->redirect) {
        count(PASSED_OFF);
        return XDP_PASS;
    }
    __u32 index = device->first_socket + context->rx_queue_index * control->workers + worker;
    int action = bpf_redirect_map(&sockets, index, XDP_PASS);
    count(FIRST_WORKER + (worker & (MAX_WORKERS - 1)));
    if (action != XDP_REDIRECT) {
        count(NO_SOCKET);
    }
    return action;
}

static __always_inline int pass(void) {
    count(PASSED);
    return XDP_PASS;
}

// GTP-U to our N3 address, or a later fragment of it: sets *worker. False when the packet is not ours.
static __always_inline int is_n3(
        const __u8 *ip, const __u8 *end, __u32 n3_address, __u32 workers, __u32 *worker) {
    if (!n3_address || ip[9] != PROTOCOL_UDP || *(const __u32 *)(ip + 16) != n3_address) {
        return 0;
    }
    __u32 fragment = (__u32)ip[6] << 8 | ip[7];
    struct fragment_key key = {
        .source = *(const __u32 *)(ip + 12),
        .identification = (__u32)ip[4] << 8 | ip[5],
    };
    if (fragment & FRAGMENT_OFFSET) {
        if (!bpf_map_lookup_elem(&fragments, &key)) {
            return 0;
        }
        *worker = worker_of_ue(load32(ip + 16), workers);
        count(FRAGMENTS);
        return 1;
    }
    const __u8 *udp = ip + ((__u32)(ip[0] & 0x0f) << 2);
    if (udp + UDP_BYTES > end || ((__u32)udp[2] << 8 | udp[3]) != GTPU_PORT) {
        return 0;
    }
    if (fragment & MORE_FRAGMENTS) {
        __u8 seen = 1;
        bpf_map_update_elem(&fragments, &key, &seen, BPF_ANY);
        count(FRAGMENTS);
    }
    const __u8 *gtpu = udp + UDP_BYTES;
    int is_whole = !(fragment & MORE_FRAGMENTS) && gtpu + GTPU_BYTES <= end;
    *worker = is_whole ? worker_of_gtpu(gtpu, end, workers) : worker_of_ue(load32(ip + 16), workers);
    return 1;
}

static __always_inline int is_n6(const __u8 *ip, __u32 workers, __u32 *worker) {
    struct pool_key key = {.prefix_length = 32, .address = *(const __u32 *)(ip + 16)};
    if (!bpf_map_lookup_elem(&ue_pools, &key)) {
        return 0;
    }
    *worker = worker_of_ue(load32(ip + 16), workers);
    return 1;
}

// Broadcast, multicast and what a promiscuous device sees beside it is not ours: AF_PACKET takes PACKET_HOST only, too.
static __always_inline int is_to(const __u8 *destination, const __u8 *mac) {
    return !((destination[0] ^ mac[0]) | (destination[1] ^ mac[1]) | (destination[2] ^ mac[2])
            | (destination[3] ^ mac[3]) | (destination[4] ^ mac[4]) | (destination[5] ^ mac[5]));
}

SEC("xdp")
int upf_steer(struct xdp_md *context) {
    const __u8 *start = (const __u8 *)(long)context->data;
    const __u8 *end = (const __u8 *)(long)context->data_end;
    const __u8 *ip = start + ETHERNET_BYTES;
    // A VLAN tag is not ours.
    if (ip + IPV4_BYTES > end || ((__u32)start[12] << 8 | start[13]) != ETHERTYPE_IPV4
            || ip[0] >> 4 != 4 || (ip[0] & 0x0f) < 5) {
        return pass();
    }
    __u32 zero = 0;
    const struct control *setting = bpf_map_lookup_elem(&control, &zero);
    if (!setting || setting->workers == 0 || setting->workers > MAX_WORKERS) {
        return pass();
    }
    const struct device *device = &setting->device[0];
    if (device->ifindex != context->ingress_ifindex) {
        device = &setting->device[1];
        if (device->ifindex != context->ingress_ifindex) {
            return pass();
        }
    }
    if (!is_to(start, device->mac)) {
        return pass();
    }
    __u32 worker = 0;
    if (is_n3(ip, end, device->n3_address, setting->workers, &worker)
            || (device->carries_n6 && is_n6(ip, setting->workers, &worker))) {
        return redirect(context, setting, device, worker);
    }
    return pass();
}

char program_license[] SEC("license") = "Apache-2.0";
