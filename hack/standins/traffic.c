/* Numbered packets through a UPF both ways, counted where they come out: a gNB with many UEs and a data network.
 *
 *   traffic GNB_NETNS GNB_ADDRESS UPF_ADDRESS DN_NETNS DN_ADDRESS SESSIONS UPLINK_PPS DOWNLINK_PPS PAYLOAD_BYTES
 *
 * SESSIONS is a file with one «UE_ADDRESS UPLINK_TEID DOWNLINK_TEID» a line. Five times a second a line of JSON tells the rates.
 * Commands on standard input: «mark» ends an interval and prints it as JSON, from the mark before it; «stop», or the end
 * of the input, stops sending, waits for the last packets, prints the whole run and ends.
 *
 * Lost, duplicated and reordered are judged per UE by sequence number. The longest gap is the longest time in which
 * packets were under way in a direction and none arrived: from the arrival before it, or from the sending of the first
 * packet after that if it was later, by the kernel's receive time stamps. So neither a late reader nor a paused sender
 * looks like an interruption. What this program's own sockets dropped is told apart. */
#include "gtpu.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

enum { BATCH = 64, LARGEST = 2048, QFI = 9, DN_PORT = 9000, UE_PORT = 9001, WINDOW = 1 << 16, SENT = 1 << 20, LATENCIES = 1 << 17, MAGIC = 0x5eb0a7e5, TICK_MS = 200 };

struct stamp { uint32_t magic, ue; uint64_t sequence, sent_ns; };

struct ue {
    uint32_t address, uplink_teid, downlink_teid;
};

/* What one direction counted since the start or since a mark. */
struct counts {
    uint64_t sent, received, unique, lost, duplicated, reordered, wrong, bad_checksum, sink_drops;
    uint64_t longest_gap_ns, longest_pause_ns;
};

struct direction {
    const char *name;
    int send_fd, receive_fd;
    double pps;
    pthread_mutex_t lock;                       /* between the sender, the receiver and the reports */
    struct counts now, marked, ticked;
    uint64_t longest_gap_ns, longest_pause_ns;  /* of the interval */
    uint64_t last_arrival_ns, last_send_ns;
    uint64_t awaited;                           /* number of the packet after the last that arrived */
    uint64_t *sent_at_ns;                       /* when a packet was sent, by its number among all, as a ring */
    uint64_t *next;                             /* per UE: highest sequence number seen, plus one */
    uint64_t (*seen)[WINDOW / 64];
    uint32_t *latency_us;
};

static struct ue *ues;
static uint32_t ue_count;
static struct direction up = {.name = "uplink", .lock = PTHREAD_MUTEX_INITIALIZER};
static struct direction down = {.name = "downlink", .lock = PTHREAD_MUTEX_INITIALIZER};
static struct sockaddr_in upf, dn;
static int payload_bytes;
static volatile bool sending = true, receiving = true;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);          /* the clock of the kernel's receive time stamps */
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint32_t sum(const uint8_t *at, int bytes, uint32_t total) {
    for (; bytes > 1; at += 2, bytes -= 2) total += get16(at);
    return bytes ? total + (*at << 8) : total;
}
static uint16_t fold(uint32_t total) {
    while (total >> 16) total = (total & 0xffff) + (total >> 16);
    return total;
}
static uint32_t pseudo_header(const uint8_t *ip, int bytes) { return sum(ip + 12, 8, IPPROTO_UDP + bytes); }

static int put_user_packet(uint8_t *ip, uint32_t source, uint32_t destination, const struct stamp *stamp) {
    int udp_bytes = 8 + payload_bytes;
    memset(ip, 0, 28);
    ip[0] = 0x45;
    put16(ip + 2, 20 + udp_bytes);
    put16(ip + 4, stamp->sequence);
    ip[8] = 64;
    ip[9] = IPPROTO_UDP;
    put32(ip + 12, source);
    put32(ip + 16, destination);
    put16(ip + 10, ~fold(sum(ip, 20, 0)));
    uint8_t *udp = ip + 20;
    put16(udp, UE_PORT);
    put16(udp + 2, DN_PORT);
    put16(udp + 4, udp_bytes);
    memcpy(udp + 8, stamp, sizeof *stamp);
    uint16_t checksum = ~fold(sum(udp, udp_bytes, pseudo_header(ip, udp_bytes)));
    put16(udp + 6, checksum ? checksum : 0xffff);
    return 20 + udp_bytes;
}

static void sent(struct direction *d, int packets, uint64_t at_ns) {
    pthread_mutex_lock(&d->lock);
    if (d->last_send_ns && at_ns - d->last_send_ns > d->longest_pause_ns) d->longest_pause_ns = at_ns - d->last_send_ns;
    d->last_send_ns = at_ns;
    d->now.sent += packets;
    pthread_mutex_unlock(&d->lock);
}

static void *sender(void *which) {
    struct direction *d = which;
    static uint8_t buffers[2][BATCH][LARGEST];
    uint8_t(*packets)[LARGEST] = buffers[d == &up];
    struct iovec parts[BATCH];
    struct sockaddr_in to[BATCH];
    struct mmsghdr messages[BATCH] = {0};
    uint64_t done = 0, start = now_ns(), skipped = 0;
    while (sending) {
        uint64_t at = now_ns(), due = (at - start) * (d->pps / 1e9);
        if (due > done + skipped + d->pps / 20) skipped = due - done;   /* held up: no burst to make up for it */
        uint64_t behind = due > done + skipped ? due - done - skipped : 0;
        if (!behind) {
            struct timespec pause = {0, 500000};
            nanosleep(&pause, NULL);
            continue;
        }
        int n = behind < BATCH ? behind : BATCH;
        for (int i = 0; i < n; i++) {
            uint32_t u = (done + i) % ue_count;
            struct stamp stamp = {MAGIC, u, (done + i) / ue_count, at};
            d->sent_at_ns[(done + i) % SENT] = at;
            if (d == &up) {
                int bytes = put_user_packet(packets[i] + GTPU_HEADER, ues[u].address, ntohl(dn.sin_addr.s_addr), &stamp);
                put_gpdu(packets[i], ues[u].uplink_teid, QFI, bytes);
                parts[i] = (struct iovec){packets[i], bytes + GTPU_HEADER};
                to[i] = upf;
            } else {
                memcpy(packets[i], &stamp, sizeof stamp);
                parts[i] = (struct iovec){packets[i], payload_bytes};
                to[i] = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(UE_PORT), .sin_addr.s_addr = htonl(ues[u].address)};
            }
            messages[i].msg_hdr = (struct msghdr){.msg_name = &to[i], .msg_namelen = sizeof to[i], .msg_iov = &parts[i], .msg_iovlen = 1};
        }
        int k = sendmmsg(d->send_fd, messages, n, 0);
        if (k > 0) {
            done += k;
            sent(d, k, at);
        }
    }
    return NULL;
}

/* One packet came out: which UE and which number. Called with the lock held. */
static void arrived(struct direction *d, const struct stamp *stamp, uint64_t at_ns) {
    uint64_t s = stamp->sequence, *next = &d->next[stamp->ue], *seen = d->seen[stamp->ue];
    d->now.received++;
    uint64_t number = s * ue_count + stamp->ue, first = number < d->awaited ? number : d->awaited;
    uint64_t since = d->sent_at_ns[first % SENT] > d->last_arrival_ns ? d->sent_at_ns[first % SENT] : d->last_arrival_ns;
    if (d->last_arrival_ns && at_ns > since && at_ns - since > d->longest_gap_ns) d->longest_gap_ns = at_ns - since;
    if (at_ns > d->last_arrival_ns) d->last_arrival_ns = at_ns;
    if (number >= d->awaited) d->awaited = number + 1;
    uint64_t us = at_ns > stamp->sent_ns ? (at_ns - stamp->sent_ns) / 1000 : 0;
    d->latency_us[us < LATENCIES ? us : LATENCIES - 1]++;
    if (s >= *next) {
        uint64_t first = s - *next >= WINDOW ? s - WINDOW + 1 : *next;
        for (uint64_t i = first; i <= s; i++) seen[i % WINDOW / 64] &= ~(1ull << i % 64);
        d->now.lost += s - *next;               /* taken back if they still come */
        *next = s + 1;
    } else if (*next - s > WINDOW) {
        d->now.wrong++;
        return;
    } else if (seen[s % WINDOW / 64] >> s % 64 & 1) {
        d->now.duplicated++;
        return;
    } else {
        d->now.reordered++;
        d->now.lost--;
    }
    seen[s % WINDOW / 64] |= 1ull << s % 64;
    d->now.unique++;
}

/* Finds the stamp in a packet as it came out; NULL when it is not one that should come out here. */
static const uint8_t *stamp_in(struct direction *d, const uint8_t *packet, int bytes, uint32_t source) {
    struct stamp stamp;
    if (d == &up) {
        if (bytes != payload_bytes) return NULL;
        memcpy(&stamp, packet, sizeof stamp);
        return stamp.magic == MAGIC && stamp.ue < ue_count && ues[stamp.ue].address == source ? packet : NULL;
    }
    int ip = gpdu_payload(packet, bytes);
    if (ip < 0 || bytes - ip != 28 + payload_bytes || packet[ip] != 0x45) return NULL;
    const uint8_t *user = packet + ip, *udp = user + 20;
    memcpy(&stamp, udp + 8, sizeof stamp);
    if (stamp.magic != MAGIC || stamp.ue >= ue_count || ues[stamp.ue].address != get32(user + 16) ||
        ues[stamp.ue].downlink_teid != get32(packet + 4))
        return NULL;
    if (fold(sum(user, 20, 0)) != 0xffff ||
        (get16(udp + 6) && fold(sum(udp, 8 + payload_bytes, pseudo_header(user, 8 + payload_bytes))) != 0xffff)) {
        d->now.bad_checksum++;
        return NULL;
    }
    return udp + 8;
}

static void *receiver(void *which) {
    struct direction *d = which;
    static uint8_t buffers[2][BATCH][LARGEST], controls[2][BATCH][128];
    uint8_t(*packets)[LARGEST] = buffers[d == &up], (*control)[128] = controls[d == &up];
    struct iovec parts[BATCH];
    struct sockaddr_in from[BATCH];
    struct mmsghdr messages[BATCH] = {0};
    while (receiving) {
        struct pollfd wait = {.fd = d->receive_fd, .events = POLLIN};
        if (poll(&wait, 1, 100) <= 0) continue;
        for (int i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){packets[i], LARGEST};
            messages[i].msg_hdr = (struct msghdr){.msg_name = &from[i], .msg_namelen = sizeof from[i], .msg_iov = &parts[i],
                                                  .msg_iovlen = 1, .msg_control = control[i], .msg_controllen = sizeof control[i]};
        }
        int n = recvmmsg(d->receive_fd, messages, BATCH, MSG_DONTWAIT, NULL);
        pthread_mutex_lock(&d->lock);
        for (int i = 0; i < n; i++) {
            uint64_t at = now_ns();
            for (struct cmsghdr *c = CMSG_FIRSTHDR(&messages[i].msg_hdr); c; c = CMSG_NXTHDR(&messages[i].msg_hdr, c)) {
                if (c->cmsg_type == SCM_TIMESTAMPNS) {
                    struct timespec t;
                    memcpy(&t, CMSG_DATA(c), sizeof t);
                    at = t.tv_sec * 1000000000ull + t.tv_nsec;
                } else if (c->cmsg_type == SO_RXQ_OVFL) {
                    uint32_t drops;
                    memcpy(&drops, CMSG_DATA(c), sizeof drops);
                    d->now.sink_drops = drops;
                }
            }
            uint64_t bad_before = d->now.bad_checksum;
            const uint8_t *found = stamp_in(d, packets[i], messages[i].msg_len, ntohl(from[i].sin_addr.s_addr));
            struct stamp stamp;
            if (found) {
                memcpy(&stamp, found, sizeof stamp);
                arrived(d, &stamp, at);
            } else if (d->now.bad_checksum == bad_before) {
                d->now.wrong++;
            }
        }
        pthread_mutex_unlock(&d->lock);
    }
    return NULL;
}

static uint32_t latency_at(const struct direction *d, uint64_t total, double share) {
    uint64_t below = 0, wanted = total * share;
    for (uint32_t us = 0; us < LATENCIES; us++)
        if ((below += d->latency_us[us]) > wanted) return us;
    return LATENCIES - 1;
}

static void report(struct direction *d, const struct counts *since, bool whole) {
    struct counts n = d->now;
    uint64_t lost = whole ? n.sent - n.unique : n.lost - since->lost;
    printf("\"%s\": {\"sent\": %lu, \"received\": %lu, \"lost\": %ld, \"duplicated\": %lu, \"reordered\": %lu, \"wrong\": %lu, "
           "\"badChecksum\": %lu, \"sinkDrops\": %lu, \"longestGapMs\": %.2f, \"sendersLongestPauseMs\": %.2f",
           d->name, n.sent - since->sent, n.received - since->received, (long)lost, n.duplicated - since->duplicated,
           n.reordered - since->reordered, n.wrong - since->wrong, n.bad_checksum - since->bad_checksum,
           n.sink_drops - since->sink_drops, (whole ? n.longest_gap_ns : d->longest_gap_ns) / 1e6,
           (whole ? n.longest_pause_ns : d->longest_pause_ns) / 1e6);
    if (!whole)                                 /* latencies are kept for an interval only */
        printf(", \"latencyP50Us\": %u, \"latencyP99Us\": %u", latency_at(d, n.received - since->received, 0.5),
               latency_at(d, n.received - since->received, 0.99));
    printf("}");
}

static void report_both(const char *kind, double seconds, bool whole) {
    static const struct counts zero;
    printf("{\"kind\": \"%s\", \"seconds\": %.3f, ", kind, seconds);
    for (struct direction *d = &up; d; d = d == &up ? &down : NULL) {
        pthread_mutex_lock(&d->lock);
        if (d->longest_gap_ns > d->now.longest_gap_ns) d->now.longest_gap_ns = d->longest_gap_ns;
        if (d->longest_pause_ns > d->now.longest_pause_ns) d->now.longest_pause_ns = d->longest_pause_ns;
        report(d, whole ? &zero : &d->marked, whole);
        d->marked = d->now;
        d->longest_gap_ns = d->longest_pause_ns = 0;
        memset(d->latency_us, 0, LATENCIES * sizeof *d->latency_us);
        pthread_mutex_unlock(&d->lock);
        printf(d == &up ? ", " : "}\n");
    }
    fflush(stdout);
}

static void report_tick(double at_seconds, double seconds) {
    printf("{\"kind\": \"tick\", \"atSeconds\": %.3f, ", at_seconds);
    for (struct direction *d = &up; d; d = d == &up ? &down : NULL) {
        pthread_mutex_lock(&d->lock);
        printf("\"%s\": {\"sentPps\": %.0f, \"receivedPps\": %.0f, \"lost\": %ld}", d->name, (d->now.sent - d->ticked.sent) / seconds,
               (d->now.received - d->ticked.received) / seconds, (long)(d->now.lost - d->ticked.lost));
        d->ticked = d->now;
        pthread_mutex_unlock(&d->lock);
        printf(d == &up ? ", " : "}\n");
    }
    fflush(stdout);
}

static void read_sessions(const char *path) {
    FILE *file = fopen(path, "r");
    char address[64];
    unsigned uplink_teid, downlink_teid;
    if (!file) die("cannot read %s", path);
    while (fscanf(file, "%63s %i %i", address, (int *)&uplink_teid, (int *)&downlink_teid) == 3) {
        struct in_addr ip;
        if (inet_pton(AF_INET, address, &ip) != 1) die("not an IPv4 address: %s", address);
        ues = realloc(ues, (ue_count + 1) * sizeof *ues);
        ues[ue_count++] = (struct ue){ntohl(ip.s_addr), uplink_teid, downlink_teid};
    }
    fclose(file);
    if (!ue_count) {
        errno = EINVAL;
        die("no session in %s", path);
    }
}

static void ready(struct direction *d) {
    int on = 1;
    if (setsockopt(d->receive_fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) || setsockopt(d->receive_fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on))
        die("setsockopt(time stamps and drops)");
    d->next = calloc(ue_count, sizeof *d->next);
    d->seen = calloc(ue_count, sizeof *d->seen);
    d->latency_us = calloc(LATENCIES, sizeof *d->latency_us);
    d->sent_at_ns = calloc(SENT, sizeof *d->sent_at_ns);
    if (!d->sent_at_ns || !d->next || !d->seen || !d->latency_us) die("memory for %u UEs", ue_count);
}

int main(int argc, char **argv) {
    if (argc != 10) {
        fprintf(stderr, "usage: traffic GNB_NETNS GNB_ADDRESS UPF_ADDRESS DN_NETNS DN_ADDRESS SESSIONS UPLINK_PPS DOWNLINK_PPS PAYLOAD_BYTES\n");
        return 2;
    }
    read_sessions(argv[6]);
    up.pps = atof(argv[7]);
    down.pps = atof(argv[8]);
    payload_bytes = atoi(argv[9]);
    if (payload_bytes < (int)sizeof(struct stamp) || payload_bytes > 1400) {
        errno = EINVAL;
        die("payload of %d bytes: %zu to 1400 are possible", payload_bytes, sizeof(struct stamp));
    }
    upf = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(GTPU_PORT)};
    dn = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(DN_PORT)};
    if (inet_pton(AF_INET, argv[3], &upf.sin_addr) != 1 || inet_pton(AF_INET, argv[5], &dn.sin_addr) != 1) die("not an IPv4 address");
    enter_namespace(argv[1]);
    up.send_fd = down.receive_fd = udp_socket(argv[2], GTPU_PORT);
    enter_namespace(argv[4]);
    down.send_fd = up.receive_fd = udp_socket(argv[5], DN_PORT);
    ready(&up);
    ready(&down);

    pthread_t senders[2], receivers[2];
    struct direction *directions[2] = {&up, &down};
    for (int i = 0; i < 2; i++)
        if (pthread_create(&receivers[i], NULL, receiver, directions[i])) die("pthread_create");
    for (int i = 0; i < 2; i++)
        if (directions[i]->pps > 0 ? pthread_create(&senders[i], NULL, sender, directions[i]) : 0) die("pthread_create");

    uint64_t start = now_ns(), marked = start, ticked = start;
    char command[64];
    for (;;) {
        struct pollfd input = {.fd = 0, .events = POLLIN};
        int64_t left_ms = TICK_MS - (int64_t)(now_ns() - ticked) / 1000000;
        if (poll(&input, 1, left_ms > 0 ? left_ms : 0) > 0) {
            int bytes = read(0, command, sizeof command - 1);
            if (bytes <= 0 || !strncmp(command, "stop", 4)) break;
            if (!strncmp(command, "mark", 4)) {
                uint64_t at = now_ns();
                report_both("mark", (at - marked) / 1e9, false);
                marked = at;
            }
        }
        uint64_t at = now_ns();
        if (at - ticked >= TICK_MS * 1000000ull) {
            report_tick((at - start) / 1e9, (at - ticked) / 1e9);
            ticked = at;
        }
    }
    sending = false;
    for (int i = 0; i < 2; i++)
        if (directions[i]->pps > 0) pthread_join(senders[i], NULL);
    double seconds = (now_ns() - start) / 1e9;
    usleep(500000);
    receiving = false;
    for (int i = 0; i < 2; i++) pthread_join(receivers[i], NULL);
    report_both("end", seconds, true);
    return 0;
}
