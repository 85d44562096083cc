// SPDX-License-Identifier: Apache-2.0
// Connections to a server on this machine, which wait for 30 s at most.
#ifndef TOC_TEST_SOCKETS_H
#define TOC_TEST_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "support/test.h"

#ifdef _WIN32
#include <winsock2.h>

#undef near // of windows.h
#define MSG_NOSIGNAL 0
typedef SOCKET test_socket_number;
typedef int test_socket_count;
static const DWORD test_socket_patience = 30000;
static inline void test_socket_close(int one) { closesocket((test_socket_number)one); }
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

typedef int test_socket_number;
typedef size_t test_socket_count;
static const struct timeval test_socket_patience = {.tv_sec = 30};
static inline void test_socket_close(int one) { close(one); }
#endif

static inline int test_socket_connect(unsigned port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const test_socket_number to = socket(AF_INET, SOCK_STREAM, 0);
    assert_true((int)to >= 0);
    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, (const void *)&test_socket_patience, sizeof test_socket_patience);
    assert_int_equal(connect(to, (struct sockaddr *)&address, sizeof address), 0);
    return (int)to;
}

/// @return the bytes; 0 at the end, less than 0 on failure.
static inline ptrdiff_t test_socket_receive(int from, char *bytes, size_t count) {
    return recv((test_socket_number)from, bytes, (test_socket_count)count, 0);
}

static inline ptrdiff_t test_socket_send(int to, const char *bytes, size_t count) {
    return send((test_socket_number)to, bytes, (test_socket_count)count, MSG_NOSIGNAL);
}

#endif
