// SPDX-License-Identifier: Apache-2.0
// Sockets of the loopback interface, which no other machine reaches. No call waits but toc_sockets_wait. Failures set
// errno, EAGAIN where the socket is not ready.
#ifndef TOC_BASE_PLATFORM_SOCKETS_H
#define TOC_BASE_PLATFORM_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef intptr_t toc_socket; // -1: none

/// Listen on a port of 127.0.0.1. @param port 0 for any free one; receives its number. @return -1 on failure.
toc_socket toc_socket_listen(uint16_t *port);
/// The next connection that has come; -1 if there is none.
toc_socket toc_socket_accept(toc_socket listener);
/// @return the bytes, 0 where the other side has closed, -1 on failure.
ptrdiff_t toc_socket_receive(toc_socket socket, void *bytes, size_t count);
/// A connection that the other side has closed raises no signal.
ptrdiff_t toc_socket_send(toc_socket socket, const void *bytes, size_t count);
/// Close; what was sent still arrives.
void toc_socket_finish(toc_socket socket);
void toc_socket_close(toc_socket socket);

/// A bell that any thread rings and the thread of the sockets hears: [0] is waited for.
bool toc_bell_open(toc_socket bell[2]);
void toc_bell_ring(const toc_socket bell[2]);
/// Silence it. @return whether it rang.
bool toc_bell_hear(const toc_socket bell[2]);
void toc_bell_close(const toc_socket bell[2]);

/// A socket to wait for: bytes or a connection to read, room to write. One that failed or was closed is ready, too.
typedef struct toc_socket_wait {
    toc_socket socket; // -1: skipped
    bool writes;
    bool is_ready;
} toc_socket_wait;

enum { TOC_SOCKETS_MOST = 80 };
/// Wait until one of at most TOC_SOCKETS_MOST sockets is ready, a signal comes, or the time ends. @return false on
/// failure.
bool toc_sockets_wait(toc_socket_wait *waits, int count, double seconds);

/// Bytes that nobody can guess. @return false if the system gives none.
bool toc_random_bytes(void *bytes, size_t count);

#endif
