// SPDX-License-Identifier: Apache-2.0
// Sockets by Windows. The bell is a socket that sends to itself.
#define WIN32_LEAN_AND_MEAN
#define _CRT_RAND_S
#include <stdlib.h>

#include <winsock2.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/platform/sockets.h"

// Also of the program: it ends with it.
static bool begin_sockets(void) {
    WSADATA about;
    return WSAStartup(MAKEWORD(2, 2), &about) == 0;
}

static void name_error(void) {
    switch (WSAGetLastError()) {
    case WSAEWOULDBLOCK:
    case WSAEINTR:
        errno = EAGAIN;
        break;
    case WSAEADDRINUSE:
        errno = EADDRINUSE;
        break;
    case WSAEACCES:
        errno = EACCES;
        break;
    case WSAEMFILE:
        errno = EMFILE;
        break;
    case WSAENOBUFS:
        errno = ENOMEM;
        break;
    default:
        errno = EIO;
    }
}

// Does not wait.
static bool prepare_socket(SOCKET s) {
    u_long on = 1;
    return ioctlsocket(s, (long)FIONBIO, &on) == 0;
}

static struct sockaddr_in loopback(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static toc_socket fail(SOCKET s) {
    name_error();
    if (s != INVALID_SOCKET) closesocket(s);
    return -1;
}

toc_socket toc_socket_listen(uint16_t *port) {
    struct sockaddr_in address = loopback(*port);
    int size = sizeof address;
    const BOOL on = TRUE;
    if (!begin_sockets()) return fail(INVALID_SOCKET);
    const SOCKET listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener == INVALID_SOCKET || !prepare_socket(listener)) return fail(listener);
    // Without this option another program could take the port over.
    setsockopt(listener, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&address, size) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return fail(listener);
    *port = ntohs(address.sin_port);
    return (toc_socket)listener;
}

toc_socket toc_socket_accept(toc_socket listener) {
    const SOCKET taken = accept((SOCKET)listener, NULL, NULL);
    if (taken == INVALID_SOCKET || !prepare_socket(taken)) return fail(taken);
    return (toc_socket)taken;
}

static int count_of(size_t count) { return count < INT_MAX ? (int)count : INT_MAX; }

ptrdiff_t toc_socket_receive(toc_socket socket, void *bytes, size_t count) {
    const int got = recv((SOCKET)socket, bytes, count_of(count), 0);
    if (got < 0) name_error();
    return got;
}

ptrdiff_t toc_socket_send(toc_socket socket, const void *bytes, size_t count) {
    const int sent = send((SOCKET)socket, bytes, count_of(count), 0);
    if (sent < 0) name_error();
    return sent;
}

void toc_socket_finish(toc_socket socket) {
    shutdown((SOCKET)socket, SD_SEND);
    closesocket((SOCKET)socket);
}

void toc_socket_close(toc_socket socket) {
    if (socket >= 0) closesocket((SOCKET)socket);
}

bool toc_bell_open(toc_socket bell[2]) {
    struct sockaddr_in address = loopback(0);
    int size = sizeof address;
    bell[0] = bell[1] = -1;
    const SOCKET s = begin_sockets() ? socket(AF_INET, SOCK_DGRAM, 0) : INVALID_SOCKET;
    if (s == INVALID_SOCKET || !prepare_socket(s) || bind(s, (const struct sockaddr *)&address, size) != 0 ||
        getsockname(s, (struct sockaddr *)&address, &size) != 0 ||
        connect(s, (const struct sockaddr *)&address, size) != 0)
        return fail(s) >= 0;
    bell[0] = bell[1] = (toc_socket)s;
    return true;
}

void toc_bell_ring(const toc_socket bell[2]) { send((SOCKET)bell[1], "", 1, 0); }

bool toc_bell_hear(const toc_socket bell[2]) {
    char bytes[64];
    bool rang = false;
    while (recv((SOCKET)bell[0], bytes, sizeof bytes, 0) > 0) rang = true;
    return rang;
}

void toc_bell_close(const toc_socket bell[2]) { toc_socket_close(bell[0]); }

bool toc_sockets_wait(toc_socket_wait *waits, int count, double seconds) {
    WSAPOLLFD polled[TOC_SOCKETS_MOST];
    int numbers[TOC_SOCKETS_MOST], used = 0;
    assert(count <= TOC_SOCKETS_MOST);
    for (int i = 0; i < count; i++) {
        waits[i].is_ready = false;
        if (waits[i].socket < 0) continue;
        polled[used] = (WSAPOLLFD){.fd = (SOCKET)waits[i].socket, .events = waits[i].writes ? POLLWRNORM : POLLRDNORM};
        numbers[used++] = i;
    }
    const int ready = WSAPoll(polled, (ULONG)used, (INT)(seconds * 1000));
    if (ready < 0) {
        name_error();
        return errno == EAGAIN;
    }
    for (int i = 0; i < used; i++) waits[numbers[i]].is_ready = polled[i].revents != 0;
    return true;
}

bool toc_random_bytes(void *bytes, size_t count) {
    unsigned char *to = bytes;
    for (size_t i = 0; i < count; i++) {
        unsigned number;
        if (rand_s(&number) != 0) return false;
        to[i] = (unsigned char)number;
    }
    return true;
}
