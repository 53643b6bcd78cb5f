#define _GNU_SOURCE
#include "tango_linux.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __linux__
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#endif

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

ssize_t tango_read_at_once(int descriptor, const struct iovec *buffers, int count, int64_t offset) {
#ifdef SYS_preadv2
    // The offset is passed as two words, of which 64-bit kernels use the first only.
    long low = (long)offset;
    long high = sizeof(long) == 8 ? 0 : (long)(offset >> 32);
    return syscall(SYS_preadv2, descriptor, buffers, count, low, high, RWF_NOWAIT);
#else
    (void)descriptor, (void)buffers, (void)count, (void)offset;
    errno = ENOSYS;
    return -1;
#endif
}

int64_t tango_bytes_written(int socket) {
#ifdef __linux__
    // The C library declares the beginning of this structure only. The kernel appends to it and never changes what is there.
    enum { unsentAt = 144, sentAt = 200, repeatedAt = 208, needed = 216 };
    unsigned char facts[512];
    socklen_t size = sizeof facts;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, facts, &size) != 0 || size < needed) return -1;
    uint32_t unsent;
    uint64_t sent, repeated;
    memcpy(&unsent, facts + unsentAt, sizeof unsent);
    memcpy(&sent, facts + sentAt, sizeof sent);
    memcpy(&repeated, facts + repeatedAt, sizeof repeated);
    return (int64_t)(sent - repeated + unsent);
#else
    (void)socket;
    return -1;
#endif
}

void tango_name_thread(pthread_t thread, const char *name) {
#ifdef __linux__
    pthread_setname_np(thread, name);
#else
    (void)thread, (void)name;
#endif
}

int tango_open_network_changes(void) {
#ifdef __linux__
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
#endif
    return -1;
}

#ifdef __linux__
// Connecting a UDP socket looks up the route, and sends nothing.
static int tango_has_route(int family, const void *address, socklen_t size) {
    int descriptor = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return 0;
    int found = connect(descriptor, address, size) == 0;
    close(descriptor);
    return found;
}
#endif

int tango_has_route_to_internet(void) {
#ifdef __linux__
    // The addresses of a root name server, which every network routes like the rest of the internet.
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(53)};
    inet_pton(AF_INET, "198.41.0.4", &four.sin_addr);
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(53)};
    inet_pton(AF_INET6, "2001:503:ba3e::2:30", &six.sin6_addr);
    return tango_has_route(AF_INET, &four, sizeof four) || tango_has_route(AF_INET6, &six, sizeof six);
#else
    return 0;
#endif
}
