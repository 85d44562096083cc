// SPDX-License-Identifier: Apache-2.0
// Sockets by POSIX. The bell is a pipe.
#include "base/platform/sockets.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

// Neither waits nor goes to programs that this one starts.
static void prepare_file(int file) {
    fcntl(file, F_SETFD, FD_CLOEXEC);
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
}

toc_socket toc_socket_listen(uint16_t *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0) return -1;
    prepare_file(listener);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&address, size) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        const int error = errno;
        close(listener);
        errno = error;
        return -1;
    }
    *port = ntohs(address.sin_port);
    return listener;
}

toc_socket toc_socket_accept(toc_socket listener) {
    const int taken = accept((int)listener, NULL, NULL);
    if (taken < 0) return -1;
    prepare_file(taken);
#ifdef SO_NOSIGPIPE // macOS has no flag of send
    const int on = 1;
    setsockopt(taken, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return taken;
}

static void name_retry(void) {
    if (errno == EINTR || errno == EWOULDBLOCK) errno = EAGAIN;
}

ptrdiff_t toc_socket_receive(toc_socket socket, void *bytes, size_t count) {
    const ssize_t got = recv((int)socket, bytes, count, 0);
    if (got < 0) name_retry();
    return got;
}

ptrdiff_t toc_socket_send(toc_socket socket, const void *bytes, size_t count) {
    const ssize_t sent = send((int)socket, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) name_retry();
    return sent;
}

void toc_socket_finish(toc_socket socket) {
    shutdown((int)socket, SHUT_WR);
    close((int)socket);
}

void toc_socket_close(toc_socket socket) {
    if (socket >= 0) close((int)socket);
}

bool toc_bell_open(toc_socket bell[2]) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; i++) {
        prepare_file(ends[i]);
        bell[i] = ends[i];
    }
    return true;
}

void toc_bell_ring(const toc_socket bell[2]) {
    const char byte = 0;
    // A full pipe rings, too.
    while (write((int)bell[1], &byte, 1) < 0 && errno == EINTR) {
    }
}

bool toc_bell_hear(const toc_socket bell[2]) {
    char bytes[64];
    bool rang = false;
    while (read((int)bell[0], bytes, sizeof bytes) > 0) rang = true;
    return rang;
}

void toc_bell_close(const toc_socket bell[2]) {
    for (int i = 0; i < 2; i++) toc_socket_close(bell[i]);
}

bool toc_sockets_wait(toc_socket_wait *waits, int count, double seconds) {
    struct pollfd polled[TOC_SOCKETS_MOST];
    assert(count <= TOC_SOCKETS_MOST);
    for (int i = 0; i < count; i++)
        polled[i] = (struct pollfd){.fd = (int)waits[i].socket, .events = waits[i].writes ? POLLOUT : POLLIN};
    const int ready = poll(polled, (nfds_t)count, (int)(seconds * 1000));
    if (ready < 0 && errno != EINTR) return false;
    for (int i = 0; i < count; i++) waits[i].is_ready = ready > 0 && waits[i].socket >= 0 && polled[i].revents;
    return true;
}

bool toc_random_bytes(void *bytes, size_t count) {
    FILE *random = fopen("/dev/urandom", "rb");
    const bool taken = random && fread(bytes, count, 1, random) == 1;
    if (random) fclose(random);
    return taken;
}
