// The packet path of one worker in C, held against the Java one: the same frames, the same rules, the same stages.
//
//   gcc -O3 -march=native -o pipeline pipeline.c && ./pipeline uplink|downlink SESSIONS SECONDS [bare]
//
// What it does to a packet is what the Java path does: receive batch, Ethernet, IPv4, UDP and GTP-U with extension
// headers checked against the frame's end, directory, owner, rule entries by TEID, QFI and UE source, gate and action,
// MTU, route and next hop, token bucket, session counters, outer headers, send batch, verdicts and byte counts.
// Times batches of 64 and prints the median, as the Java benchmark does.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BATCH = 64, FRAMES = 4096, FRAME_SIZE = 2048, HEADROOM = 256, INNER = 50, BUCKETS = 200000 };

static const uint32_t N3 = 0x0a630002, GNB = 0x0a630001, SERVER = 0x08080808, FIRST_UE = 0x0a000001;
static const uint32_t GATEWAY = 0x0a630003;

enum verdict { FORWARDED, NOT_OURS, TRUNCATED, FRAGMENT, BAD_GTPU, UNKNOWN, NO_PDR, SPOOFED, FAR_DROP, GATE, MBR, MTU,
    UNRESOLVED, REHOMED, VERDICTS };
enum { DOWNLINK = 1, HAS_FILTER = 2, MATCH_QFI = 4, CHECK_UE = 8, FORWARD = 32, TO_ACCESS = 64, TUNNEL = 128,
    GATE_CLOSED = 256, MARK_QFI = 512 };

// A rule entry: a cache line of what is matched and done (an SDF filter would take a second one).
struct entry {
    uint32_t teid, ue, flags, next_hop, peer_teid, peer, pdr, free;
    struct bucket *bucket;
    uint64_t rate_kbps;
    uint64_t more[10];
};

struct bucket { int64_t tokens, last; };

// A session: one cache line for each direction.
struct line { uint64_t rules, packets, bytes, dropped; struct bucket bucket[2]; };
struct session { struct line line[2]; };
struct directory { uint64_t *slots; uint64_t mask; int shift; };
struct route { uint32_t prefix, mask; int entry; };

struct worker {
    struct directory teids, ues;
    uint64_t next_hops[4];
    struct route routes[2];
    uint64_t access_mac, core_mac;
    uint32_t access_mtu, core_mtu;
    uint16_t identification;
    uint64_t verdicts[VERDICTS], received, received_bytes, sent, sent_bytes, last_received, longest_gap;
    uint64_t now;
    int id;
};

struct batch { uint8_t *frame[BATCH]; uint32_t length[BATCH]; int count; };

#define GOLD 0x9E3779B97F4A7C15ull
#define TAG (1ull << 32)
#define ADDRESS ((1ull << 48) - 1)
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline uint16_t ld16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return __builtin_bswap16(v); }
static inline uint32_t ld32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return __builtin_bswap32(v); }
static inline uint64_t ld64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return __builtin_bswap64(v); }
static inline void st16(uint8_t *p, uint16_t v) { v = __builtin_bswap16(v); memcpy(p, &v, 2); }
static inline void st32(uint8_t *p, uint32_t v) { v = __builtin_bswap32(v); memcpy(p, &v, 4); }
static inline void st64(uint8_t *p, uint64_t v) { v = __builtin_bswap64(v); memcpy(p, &v, 8); }

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void *huge(size_t size) {
    const size_t page = 2u << 20;
    size = (size + page - 1) & ~(page - 1);
    uint8_t *p = mmap(0, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    p = (uint8_t *) (((uintptr_t) p + page - 1) & ~(uintptr_t) (page - 1));
    madvise(p, size, MADV_HUGEPAGE);
    memset(p, 0, size);
    return p;
}

static void directory_init(struct directory *d, uint32_t keys) {
    uint64_t capacity = 64;
    int bits = 6;
    while (capacity < 2ull * keys) {
        capacity <<= 1;
        bits++;
    }
    d->mask = capacity - 1;
    d->shift = 64 - bits;
    d->slots = huge(capacity * 16);
}

static inline uint64_t directory_start(const struct directory *d, uint32_t key) { return ((key | TAG) * GOLD) >> d->shift; }

static void directory_put(struct directory *d, uint32_t key, uint64_t value) {
    uint64_t i = directory_start(d, key);
    while (d->slots[2 * i])
        i = (i + 1) & d->mask;
    d->slots[2 * i] = key | TAG;
    d->slots[2 * i + 1] = value;
}

static inline uint64_t directory_find(const struct directory *d, uint32_t key) {
    for (uint64_t i = directory_start(d, key);; i = (i + 1) & d->mask) {
        uint64_t seen = d->slots[2 * i];
        if (likely(seen == (key | TAG)))
            return d->slots[2 * i + 1];
        if (!seen)
            return 0;
    }
}

struct parsed { uint8_t *packet, *end; uint32_t teid; int qfi; };

// The frame nearly every uplink packet comes in, told apart by whole words, as UsualGpdu does.
static inline int usual_gpdu(uint8_t *p, uint32_t length, struct parsed *out) {
    if (unlikely(length < 58))
        return 0;
    uint64_t type = ld64(p + 12), protocol = ld64(p + 18), addresses = ld64(p + 26), udp = ld64(p + 34);
    uint64_t gtpu = ld64(p + 42), container = ld64(p + 50);
    uint64_t different = ((type ^ 0x0800450000000000) & 0xffffff0000000000) | ((protocol ^ 0x110000) & 0x3fff00ff0000)
        | ((addresses ^ N3) & 0xffffffff) | ((udp ^ 2152ull << 32) & 0xffff00000000)
        | ((gtpu ^ 0x34ff000000000000) & 0xffff000000000000) | ((container ^ 0x8501000000) & 0xffff0000ff);
    int32_t ip_length = type >> 16 & 0xffff, udp_length = udp >> 16 & 0xffff, gtpu_length = gtpu >> 32 & 0xffff;
    int32_t room = ((int32_t) length - 14 - ip_length) | (ip_length - 20 - udp_length) | (udp_length - 16 - gtpu_length)
        | (gtpu_length - 8);
    if (unlikely(different || room < 0))
        return 0;
    out->packet = p + 58;
    out->end = p + 50 + gtpu_length;
    out->teid = gtpu;
    out->qfi = container >> 8 & 0x3f;
    return 1;
}

static enum verdict __attribute__((noinline)) parse_uplink(uint8_t *p, uint32_t length, struct parsed *out) {
    uint8_t *end = p + length;
    if (unlikely(length < 14 + 20) || ld16(p + 12) != 0x0800)
        return NOT_OURS;
    uint8_t *ip = p + 14;
    uint32_t header = (ip[0] & 15) * 4, total = ld16(ip + 2);
    if (unlikely(ip[0] >> 4 != 4 || header < 20 || total < header || total > end - ip))
        return TRUNCATED;
    if (unlikely(ip[9] != 17 || ld32(ip + 16) != N3))
        return NOT_OURS;
    if (unlikely(ld16(ip + 6) & 0x3fff))
        return FRAGMENT;
    uint8_t *udp = ip + header;
    uint8_t *ip_end = ip + total;
    if (unlikely(ip_end - udp < 8))
        return TRUNCATED;
    uint32_t udp_length = ld16(udp + 4);
    if (unlikely(udp_length < 8 || udp_length > ip_end - udp))
        return TRUNCATED;
    if (unlikely(ld16(udp + 2) != 2152))
        return NOT_OURS;
    uint8_t *g = udp + 8, *limit = udp + udp_length;
    if (unlikely(limit - g < 8 || (g[0] & 0xf0) != 0x30))
        return BAD_GTPU;
    uint8_t *payload = g + 8, *payload_end = payload + ld16(g + 2);
    if (unlikely(payload_end > limit))
        return BAD_GTPU;
    out->teid = ld32(g + 4);
    out->qfi = -1;
    if (g[0] & 7) {
        payload += 4;
        if (unlikely(payload > payload_end))
            return BAD_GTPU;
        uint8_t type = g[0] & 4 ? g[11] : 0;
        while (type) {
            if (unlikely(payload >= payload_end))
                return BAD_GTPU;
            uint32_t extension = payload[0] * 4;
            if (unlikely(!extension || extension > payload_end - payload))
                return BAD_GTPU;
            if (type == 0x85)
                out->qfi = payload[2] & 0x3f;
            else if (unlikely(type & 0x80 && type != 0xc0 && type != 0x82))
                return BAD_GTPU;
            payload += extension;
            type = payload[-1];
        }
    }
    if (unlikely(g[1] != 255))
        return BAD_GTPU;
    out->packet = payload;
    out->end = payload_end;
    return FORWARDED;
}

static inline enum verdict parse_downlink(uint8_t *p, uint32_t length, struct parsed *out) {
    uint8_t *end = p + length;
    if (unlikely(length < 14 + 20) || ld16(p + 12) != 0x0800)
        return NOT_OURS;
    uint8_t *ip = p + 14;
    uint32_t header = (ip[0] & 15) * 4, total = ld16(ip + 2);
    if (unlikely(ip[0] >> 4 != 4 || header < 20 || total < header || total > end - ip))
        return TRUNCATED;
    out->packet = ip;
    out->end = end;
    out->teid = ld32(ip + 16);
    return FORWARDED;
}

static inline int conforms(struct bucket *b, uint64_t rate, uint32_t length, uint64_t now) {
    int64_t elapsed = now - b->last, tokens = b->tokens, depth = 50000000 * rate, least = 3000 * 8000000ll;
    if (b->last == 0)
        tokens = least;
    else {
        if (elapsed < 0)
            elapsed = 0;
        if (elapsed > 8000000000ll)
            elapsed = 8000000000ll;
        tokens += elapsed * rate;
        if (depth < least)
            depth = least;
        if (tokens > depth)
            tokens = depth;
    }
    b->last = now;
    if (unlikely(tokens <= 0)) {
        b->tokens = tokens;
        return 0;
    }
    b->tokens = tokens - length * 8000000ll;
    return 1;
}

static inline uint64_t routed(const struct worker *w, uint32_t destination) {
    for (int i = 0; i < 2; i++)
        if ((destination & w->routes[i].mask) == w->routes[i].prefix)
            return w->routes[i].entry < 0 ? 0 : w->next_hops[w->routes[i].entry];
    return 0;
}

static inline uint8_t *write_tunnel(struct worker *w, const struct entry *e, uint8_t *inner, uint32_t length,
                                    uint64_t next_hop) {
    uint8_t *f = inner - 58;
    uint64_t total = length + 44, id = w->identification++;
    uint32_t sum = 0x4500 + total + id + 0x4011 + (N3 >> 16) + (N3 & 0xffff) + (e->peer >> 16) + (e->peer & 0xffff);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    st64(f, (next_hop & ~0xffffull) | w->access_mac >> 32);
    st64(f + 8, w->access_mac << 32 | 0x08004500);
    st64(f + 16, total << 48 | id << 32 | 0x4011);
    st64(f + 24, (uint64_t) (~sum & 0xffff) << 48 | (uint64_t) N3 << 16 | e->peer >> 16);
    st64(f + 32, (uint64_t) e->peer << 48 | 2152ull << 32 | 2152 << 16 | (total - 20));
    st64(f + 40, 0x34ffull << 32 | (total - 36) << 16 | e->peer_teid >> 16);
    st64(f + 48, (uint64_t) e->peer_teid << 48 | 0x850100);
    st16(f + 56, ((e->flags >> 24) & 0x3f) << 8);
    return f;
}

static inline enum verdict apply(struct worker *w, struct session *s, const struct entry *e, uint8_t *packet,
                                 uint32_t length, uint32_t destination, struct batch *out) {
    struct line *line = &s->line[e->flags & DOWNLINK];
    enum verdict v = FORWARDED;
    int access = e->flags & TO_ACCESS, tunnel = e->flags & TUNNEL;
    uint64_t hop = 0;
    uint32_t total = length + (tunnel ? 44 : 0);
    if (unlikely((e->flags & (FORWARD | GATE_CLOSED)) != FORWARD))
        v = e->flags & GATE_CLOSED ? GATE : FAR_DROP;
    else if (unlikely(total > (access ? w->access_mtu : w->core_mtu)))
        v = MTU;
    else if (unlikely(!(hop = tunnel ? w->next_hops[e->next_hop] : routed(w, destination))))
        v = UNRESOLVED;
    else if (e->bucket && unlikely(!conforms(e->bucket, e->rate_kbps, length, w->now)))
        v = MBR;
    if (unlikely(v != FORWARDED)) {
        line->dropped++;
        return v;
    }
    uint8_t *frame;
    if (tunnel)
        frame = write_tunnel(w, e, packet, length, hop);
    else {
        frame = packet - 14;
        st64(frame, (hop & ~0xffffull) | w->core_mac >> 32);
        st32(frame + 8, w->core_mac);
        st16(frame + 12, 0x0800);
    }
    line->packets++;
    line->bytes += length;
    out->frame[out->count] = frame;
    out->length[out->count++] = total + 14;
    return FORWARDED;
}

static inline const struct entry *match(uint64_t rules, const struct parsed *p, int downlink, enum verdict *none) {
    const struct entry *e = (const struct entry *) (rules & ADDRESS);
    *none = NO_PDR;
    for (int left = rules >> 48; left; left--, e++) {
        if (downlink) {
            if (e->ue == p->teid && !(e->flags & MATCH_QFI))
                return e;
            continue;
        }
        if (e->teid != p->teid || ((e->flags & MATCH_QFI) && (int) ((e->flags >> 16) & 0x3f) != p->qfi))
            continue;
        if ((e->flags & CHECK_UE) && e->ue != ld32(p->packet + 12)) {
            *none = SPOOFED;
            continue;
        }
        return e;
    }
    return 0;
}

// One turn: all stages over the received batch, then the books. Compiled once for each direction.
static inline __attribute__((always_inline)) void turn(struct worker *w, struct batch *in, struct batch *out,
                                                       int downlink) {
    struct parsed parsed[BATCH];
    struct session *session[BATCH];
    uint64_t rules[BATCH];
    const struct directory directory = downlink ? w->ues : w->teids, *d = &directory;
    uint64_t bytes = 0;
    int kept = 0, found = 0;
    w->now = now_ns();
    for (int i = 0; i < in->count; i++)
        bytes += in->length[i];
    w->received += in->count;
    w->received_bytes += bytes;
    uint64_t gap = w->now - w->last_received;
    if (gap > w->longest_gap)
        w->longest_gap = gap;
    w->last_received = w->now;
    for (int i = 0; i < in->count; i++) {
        enum verdict v = FORWARDED;
        if (downlink)
            v = parse_downlink(in->frame[i], in->length[i], &parsed[kept]);
        else if (!usual_gpdu(in->frame[i], in->length[i], &parsed[kept]))
            v = parse_uplink(in->frame[i], in->length[i], &parsed[kept]);
        if (unlikely(v != FORWARDED)) {
            w->verdicts[v]++;
            continue;
        }
        __builtin_prefetch(&d->slots[2 * directory_start(d, parsed[kept].teid)]);
        kept++;
    }
    for (int i = 0; i < kept; i++) {
        uint64_t value = directory_find(d, parsed[i].teid);
        if (unlikely(!value || (int) (value >> 48) != w->id)) {
            w->verdicts[value ? REHOMED : UNKNOWN]++;
            continue;
        }
        parsed[found] = parsed[i];
        session[found] = (struct session *) (value & ADDRESS);
        __builtin_prefetch(&session[found]->line[downlink], 1);
        found++;
    }
    for (int i = 0; i < found; i++) {
        rules[i] = session[i]->line[downlink].rules;
        __builtin_prefetch((void *) (rules[i] & ADDRESS));
    }
    for (int i = 0; i < found; i++) {
        enum verdict v;
        uint8_t *ip = parsed[i].packet;
        int64_t available = parsed[i].end - ip;
        uint32_t total;
        if (unlikely(available < 20 || ip[0] >> 4 != 4 || (ip[0] & 15) < 5 || (total = ld16(ip + 2)) > available)) {
            w->verdicts[TRUNCATED]++;
            continue;
        }
        const struct entry *e = match(rules[i], &parsed[i], downlink, &v);
        if (likely(e != 0))
            v = apply(w, session[i], e, ip, total, ld32(ip + 16), out);
        if (unlikely(v != FORWARDED))
            w->verdicts[v]++;
    }
    bytes = 0;
    for (int i = 0; i < out->count; i++)
        bytes += out->length[i];
    w->verdicts[FORWARDED] += out->count;
    w->sent += out->count;
    w->sent_bytes += bytes;
}

static void __attribute__((noinline)) turn_uplink(struct worker *w, struct batch *in, struct batch *out) {
    turn(w, in, out, 0);
}

static void __attribute__((noinline)) turn_downlink(struct worker *w, struct batch *in, struct batch *out) {
    turn(w, in, out, 1);
}

// Less than the Java path does: no rule entries, routes, MTU, owner, verdicts or byte counts; the session's line alone
// says what to do. It shows what the difference in work costs. Its second bucket holds UE address, peer and TEID.
static inline __attribute__((always_inline)) void bare_turn(struct worker *w, struct batch *in, struct batch *out,
                                                            int downlink) {
    struct parsed parsed[BATCH];
    struct line *line[BATCH];
    const struct directory directory = downlink ? w->ues : w->teids, *d = &directory;
    int kept = 0, found = 0;
    w->now = now_ns();
    for (int i = 0; i < in->count; i++) {
        uint8_t *p = in->frame[i];
        if (downlink) {
            if (unlikely(ld16(p + 12) != 0x0800 || p[14] >> 4 != 4))
                continue;
            parsed[kept] = (struct parsed) {p + 14, p + in->length[i], ld32(p + 30), -1};
        } else if (unlikely(!usual_gpdu(p, in->length[i], &parsed[kept])))
            continue;
        __builtin_prefetch(&d->slots[2 * directory_start(d, parsed[kept++].teid)]);
    }
    for (int i = 0; i < kept; i++) {
        uint64_t value = directory_find(d, parsed[i].teid);
        if (unlikely(!value))
            continue;
        parsed[found] = parsed[i];
        line[found] = &((struct session *) value)->line[downlink];
        __builtin_prefetch(line[found++], 1);
    }
    for (int i = 0; i < found; i++) {
        struct line *l = line[i];
        uint8_t *packet = parsed[i].packet;
        uint32_t length = parsed[i].end - packet, ue = l->bucket[1].tokens;
        if (unlikely((!downlink && ue != ld32(packet + 12)) || !conforms(l->bucket, 900000000, length, w->now)))
            continue;
        l->packets++;
        l->bytes += length;
        if (downlink) {
            const struct entry e = {.peer = GNB, .peer_teid = l->bucket[1].last, .flags = 9u << 24};
            out->frame[out->count] = write_tunnel(w, &e, packet, length, w->next_hops[1]);
            out->length[out->count++] = length + 58;
        } else {
            st64(packet - 14, (w->next_hops[0] & ~0xffffull) | w->core_mac >> 32);
            st32(packet - 6, w->core_mac);
            st16(packet - 2, 0x0800);
            out->frame[out->count] = packet - 14;
            out->length[out->count++] = length + 14;
        }
    }
}

static void __attribute__((noinline)) bare_uplink(struct worker *w, struct batch *in, struct batch *out) {
    bare_turn(w, in, out, 0);
}

static void __attribute__((noinline)) bare_downlink(struct worker *w, struct batch *in, struct batch *out) {
    bare_turn(w, in, out, 1);
}

static uint16_t checksum(const uint8_t *p) {
    uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2)
        sum += ld16(p + i);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~((sum & 0xffff) + (sum >> 16));
}

static void write_ipv4(uint8_t *p, uint32_t total, uint32_t source, uint32_t destination) {
    st64(p, 0x4500ull << 48 | (uint64_t) total << 32);
    st32(p + 8, 64 << 24 | 17 << 16);
    st32(p + 12, source);
    st32(p + 16, destination);
    st16(p + 10, checksum(p));
}

static uint32_t write_frame(uint8_t *f, uint32_t session, int downlink) {
    uint32_t ue = FIRST_UE + session;
    memset(f, 2, 12);
    st16(f + 12, 0x0800);
    if (downlink) {
        write_ipv4(f + 14, INNER, SERVER, ue);
        return 14 + INNER;
    }
    write_ipv4(f + 14, INNER + 44, GNB, N3);
    st32(f + 34, 2152 << 16 | 2152);
    st32(f + 38, (INNER + 24) << 16);
    st32(f + 42, 0x34ff0000 | (INNER + 8));
    st32(f + 46, session + 1);
    st32(f + 50, 0x85);
    st32(f + 54, 0x01100900);
    write_ipv4(f + 58, INNER, ue, SERVER);
    return 58 + INNER;
}

static void establish(struct worker *w, uint32_t sessions) {
    directory_init(&w->teids, sessions);
    directory_init(&w->ues, sessions);
    struct session *all = huge(sizeof(struct session) * sessions);
    // As the Java images: a header of a cache line, then an entry of two for each direction, then the table of QERs.
    const size_t image = 64 + 2 * sizeof(struct entry) + 64;
    uint8_t *images = huge(image * sessions);
    const uint64_t rate = 900000000;
    for (uint32_t i = 0; i < sessions; i++) {
        struct session *s = all + i;
        struct entry *up = (struct entry *) (images + i * image + 64), *down = up + 1;
        *up = (struct entry) {.teid = i + 1, .ue = FIRST_UE + i, .flags = CHECK_UE | FORWARD | MARK_QFI | 9u << 24,
            .bucket = &s->line[0].bucket[0], .rate_kbps = rate};
        *down = (struct entry) {.ue = FIRST_UE + i, .flags = DOWNLINK | FORWARD | TO_ACCESS | TUNNEL | MARK_QFI | 9u << 24,
            .next_hop = 1, .peer_teid = i + 1, .peer = GNB, .bucket = &s->line[1].bucket[0], .rate_kbps = rate};
        s->line[0].bucket[1].tokens = s->line[1].bucket[1].tokens = FIRST_UE + i;
        s->line[1].bucket[1].last = i + 1;
        s->line[0].rules = 1ull << 48 | (uintptr_t) up;
        s->line[1].rules = 1ull << 48 | (uintptr_t) down;
        directory_put(&w->teids, i + 1, (uintptr_t) s);
        directory_put(&w->ues, FIRST_UE + i, (uintptr_t) s);
    }
    w->next_hops[0] = 0x020000000003ull << 16 | 1;
    w->next_hops[1] = 0x020000000002ull << 16 | 1;
    w->routes[0] = (struct route) {GATEWAY & 0xffffff00, 0xffffff00, -1};
    w->routes[1] = (struct route) {0, 0, 0};
    w->access_mac = 0x020000000001ull;
    w->core_mac = 0x020000000004ull;
    w->access_mtu = w->core_mtu = 1500;
}

static double quantile(const uint32_t *histogram, uint64_t total, double q) {
    uint64_t seen = 0;
    for (int i = 0; i < BUCKETS; i++)
        if ((seen += histogram[i]) >= total * q)
            return (double) i / BATCH;
    return -1;
}

int main(int count, char **arguments) {
    int bare = count == 5 && !strcmp(arguments[4], "bare");
    if (count != 4 && !bare) {
        fprintf(stderr, "usage: %s uplink|downlink SESSIONS SECONDS [bare]\n", arguments[0]);
        return 2;
    }
    int downlink = !strcmp(arguments[1], "downlink");
    uint32_t sessions = strtoul(arguments[2], 0, 10);
    double seconds = strtod(arguments[3], 0);
    static struct worker worker;
    static uint32_t histogram[BUCKETS];
    static struct batch in, out;
    establish(&worker, sessions);
    uint8_t *pool = huge((size_t) FRAMES * FRAME_SIZE);
    uint64_t random = 12345, batches = 0, sent = 0;
    uint32_t position = 0;
    // The first half of the time warms caches, tables and clocks; the second is measured.
    for (int measured = 0; measured < 2; measured++) {
        memset(histogram, 0, sizeof histogram);
        batches = sent = 0;
        for (uint64_t end = now_ns() + seconds * 1e9; now_ns() < end; batches++) {
            for (int i = 0; i < BATCH; i++) {
                random = random * 6364136223846793005ull + 1442695040888963407ull;
                uint32_t session = (random >> 32) * sessions >> 32;
                uint8_t *f = pool + (size_t) (position++ & (FRAMES - 1)) * FRAME_SIZE + HEADROOM;
                in.frame[i] = f;
                in.length[i] = write_frame(f, session, downlink);
            }
            in.count = BATCH;
            out.count = 0;
            // What is still on its way to memory is not the packet path's doing.
            __sync_synchronize();
            uint64_t start = now_ns();
            if (bare)
                downlink ? bare_downlink(&worker, &in, &out) : bare_uplink(&worker, &in, &out);
            else
                downlink ? turn_downlink(&worker, &in, &out) : turn_uplink(&worker, &in, &out);
            uint64_t elapsed = now_ns() - start;
            histogram[elapsed < BUCKETS ? elapsed : BUCKETS - 1]++;
            sent += out.count;
        }
    }
    uint64_t packets = batches * BATCH;
    printf("c%s %s sessions=%u median=%.2f p90=%.2f packets=%lu dropped=%lu\n", bare ? "-bare" : "", arguments[1], sessions,
           quantile(histogram, batches, 0.5), quantile(histogram, batches, 0.9), packets, packets - sent);
    return packets == sent ? 0 : 1;
}
