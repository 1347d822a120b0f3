/* A UE and its gNB in one process: a tun device in the UE's network namespace, GTP-U in the gNB's, where this is run.
 *
 *   tunnel UE_NETNS DEVICE GNB_ADDRESS UPF_ADDRESS UPLINK_TEID DOWNLINK_TEID QFI
 *
 * What the UE sends goes to the UPF under UPLINK_TEID; what comes under DOWNLINK_TEID goes to the UE. Echo Requests are
 * answered. On SIGTERM it prints what it carried as one line of JSON and ends. */
#include "gtpu.h"

#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>

enum { BATCH = 32, LARGEST = 9216 };

static int tun, udp, qfi;
static uint32_t uplink_teid, downlink_teid;
static struct sockaddr_in upf;
static unsigned long uplink_packets, downlink_packets, foreign_packets, unsent_packets;

static void *uplink(void *unused) {
    static uint8_t packets[BATCH][LARGEST];
    struct iovec parts[BATCH];
    struct mmsghdr messages[BATCH] = {0};
    (void)unused;
    for (;;) {
        struct pollfd wait = {.fd = tun, .events = POLLIN};
        poll(&wait, 1, -1);
        int n = 0;
        while (n < BATCH) {
            int bytes = read(tun, packets[n] + GTPU_HEADER, LARGEST - GTPU_HEADER);
            if (bytes <= 0) break;
            put_gpdu(packets[n], uplink_teid, qfi, bytes);
            parts[n] = (struct iovec){packets[n], bytes + GTPU_HEADER};
            messages[n].msg_hdr = (struct msghdr){.msg_name = &upf, .msg_namelen = sizeof upf, .msg_iov = &parts[n], .msg_iovlen = 1};
            n++;
        }
        int sent = n ? sendmmsg(udp, messages, n, 0) : 0;
        if (sent < 0) sent = 0;
        uplink_packets += sent;
        unsent_packets += n - sent;
    }
    return NULL;
}

static void answer_echo(const uint8_t *request, const struct sockaddr_in *peer) {
    uint8_t answer[14] = {0x32, ECHO_RESPONSE, 0, 6, 0, 0, 0, 0, request[8], request[9], 0, 0, 14, 0}; /* IE 14: Recovery */
    sendto(udp, answer, sizeof answer, 0, (const struct sockaddr *)peer, sizeof *peer);
}

static void *downlink(void *unused) {
    static uint8_t packets[BATCH][LARGEST];
    struct iovec parts[BATCH];
    struct sockaddr_in peers[BATCH];
    struct mmsghdr messages[BATCH] = {0};
    (void)unused;
    for (;;) {
        for (int i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){packets[i], LARGEST};
            messages[i].msg_hdr = (struct msghdr){.msg_name = &peers[i], .msg_namelen = sizeof peers[i], .msg_iov = &parts[i], .msg_iovlen = 1};
        }
        int n = recvmmsg(udp, messages, BATCH, MSG_WAITFORONE, NULL);
        for (int i = 0; i < n; i++) {
            int bytes = messages[i].msg_len, start = gpdu_payload(packets[i], bytes);
            if (start >= 0 && get32(packets[i] + 4) == downlink_teid) {
                if (write(tun, packets[i] + start, bytes - start) > 0) downlink_packets++;
            } else if (bytes >= 12 && packets[i][1] == ECHO_REQUEST) {
                answer_echo(packets[i], &peers[i]);
            } else {
                foreign_packets++;
            }
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: tunnel UE_NETNS DEVICE GNB_ADDRESS UPF_ADDRESS UPLINK_TEID DOWNLINK_TEID QFI\n");
        return 2;
    }
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, NULL);

    udp = udp_socket(argv[3], GTPU_PORT);
    upf = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(GTPU_PORT)};
    if (inet_pton(AF_INET, argv[4], &upf.sin_addr) != 1) die("not an IPv4 address: %s", argv[4]);
    uplink_teid = strtoul(argv[5], NULL, 0);
    downlink_teid = strtoul(argv[6], NULL, 0);
    qfi = atoi(argv[7]);

    enter_namespace(argv[1]);
    struct ifreq device = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(device.ifr_name, sizeof device.ifr_name, "%s", argv[2]);
    tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tun < 0 || ioctl(tun, TUNSETIFF, &device)) die("cannot make the tun device %s", argv[2]);
    printf("{\"ready\": true}\n");
    fflush(stdout);

    pthread_t threads[2];
    if (pthread_create(&threads[0], NULL, uplink, NULL) || pthread_create(&threads[1], NULL, downlink, NULL)) die("pthread_create");
    int signal;
    sigwait(&ending, &signal);
    printf("{\"uplinkPackets\": %lu, \"downlinkPackets\": %lu, \"foreignPackets\": %lu, \"unsentPackets\": %lu}\n",
           uplink_packets, downlink_packets, foreign_packets, unsent_packets);
    return 0;
}
