/* GTP-U as a gNB sends and takes it (TS 29.281), for the stand-ins; shares nothing with the dataplane. */
#ifndef GTPU_H
#define GTPU_H
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { GTPU_PORT = 2152, GTPU_HEADER = 16, ECHO_REQUEST = 1, ECHO_RESPONSE = 2, G_PDU = 255 };

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *format, ...) {
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, ": %s\n", strerror(error));
    exit(1);
}

static inline void enter_namespace(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET)) die("cannot enter the network namespace %s", name);
    close(fd);
}

static inline int udp_socket(const char *address, int port) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port)};
    if (inet_pton(AF_INET, address, &local.sin_addr) != 1) {
        errno = EINVAL;
        die("not an IPv4 address: %s", address);
    }
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = 16 << 20;
    if (fd < 0) die("socket");
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) ||
        setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes))
        die("setsockopt(socket buffer %d)", bytes);
    if (bind(fd, (struct sockaddr *)&local, sizeof local)) die("bind(%s:%d)", address, port);
    return fd;
}

static inline void put16(uint8_t *at, uint16_t value) { value = htons(value); memcpy(at, &value, 2); }
static inline void put32(uint8_t *at, uint32_t value) { value = htonl(value); memcpy(at, &value, 4); }
static inline uint16_t get16(const uint8_t *at) { uint16_t value; memcpy(&value, at, 2); return ntohs(value); }
static inline uint32_t get32(const uint8_t *at) { uint32_t value; memcpy(&value, at, 4); return ntohl(value); }

/* A G-PDU header with an uplink PDU Session Container (TS 38.415 §5.5.2.2) for `bytes` of user packet. */
static inline void put_gpdu(uint8_t *at, uint32_t teid, int qfi, int bytes) {
    at[0] = 0x34;                               /* version 1, GTP, an extension header follows */
    at[1] = G_PDU;
    put16(at + 2, bytes + GTPU_HEADER - 8);
    put32(at + 4, teid);
    put32(at + 8, 0x85);                        /* no sequence number, no N-PDU number, then the container */
    at[12] = 1;                                 /* of one unit of four octets */
    at[13] = 0x10;                              /* uplink PDU session information */
    at[14] = qfi;
    at[15] = 0;
}

/* Where the user packet of a G-PDU starts, or -1 when this is no well-formed G-PDU. */
static inline int gpdu_payload(const uint8_t *packet, int bytes) {
    if (bytes < 8 || packet[0] >> 4 != 3 || packet[1] != G_PDU || get16(packet + 2) + 8 > bytes) return -1;
    if (!(packet[0] & 7)) return 8;
    if (bytes < 12) return -1;
    int at = 12, next = packet[0] & 4 ? packet[11] : 0;
    while (next) {
        int length = at < bytes ? packet[at] * 4 : 0;
        if (!length || at + length > bytes) return -1;
        next = packet[at + length - 1];
        at += length;
    }
    return at;
}

#endif
