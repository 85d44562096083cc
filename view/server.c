// SPDX-License-Identifier: Apache-2.0
// One thread and poll(): no browser can hold up another one, or the program. A connection serves one request.
#include "view/server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/threads.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum { CONNECTIONS = 64, REQUEST_SIZE = 16384, HEAD_SIZE = 512, PIECE_SIZE = 1 << 16 };
static const double patience = 5, wait_patience = 20, last_patience = 1; // seconds

typedef enum connection_state { IS_FREE, IS_READING, IS_WAITING, IS_SENDING } connection_state;

typedef struct connection {
    connection_state state;
    int socket;
    double deadline;
    char request[REQUEST_SIZE];
    size_t used;
    char head[HEAD_SIZE];
    size_t head_size;
    uint64_t sent; // of the head and the reply together
    view_reply reply;
} connection;

struct view_server {
    toc_allocator allocator;
    view_site site;
    int listener, wake[2]; // the ends of a pipe
    uint32_t port;
    atomic_bool stopping;
    bool left; // a browser has closed a connection that waited
    connection connections[CONNECTIONS];
    char piece[PIECE_SIZE]; // of a file
};

view_reply toc_view_reply_words(const char *status) {
    return (view_reply){.status = status, .type = "text/plain", .bytes = status, .file = -1, .size = strlen(status)};
}

// ---- the port

static toc_status fail_port(uint32_t port) {
    if (errno == EADDRINUSE)
        return toc_fail(TOC_BAD_INPUT, "port %u is in use; choose another one, or 0 for any that is free", port);
    return toc_fail(TOC_BAD_INPUT, "port %u cannot be opened: %s", port, strerror(errno));
}

// Neither waits nor goes to programs that this one starts.
static void prepare_file(int file) {
    fcntl(file, F_SETFD, FD_CLOEXEC);
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
}

static toc_status open_port(view_server *server, uint32_t port) {
    if (port > 65535) return toc_fail(TOC_BAD_INPUT, "a port is a number from 0 to 65535, not %u", port);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int on = 1;
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (server->listener < 0) return fail_port(port);
    prepare_file(server->listener);
    setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(server->listener, (const struct sockaddr *)&address, size) != 0 || listen(server->listener, 64) != 0 ||
        getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
        return fail_port(port);
    server->port = ntohs(address.sin_port);
    if (pipe(server->wake) != 0) return toc_fail(TOC_BAD_INPUT, "no pipe can be opened: %s", strerror(errno));
    for (int i = 0; i < 2; i++) prepare_file(server->wake[i]);
    return TOC_OK;
}

toc_status toc_view_server_open(const toc_allocator *allocator, uint32_t port, const view_site *site,
                                view_server **out) {
    view_server *server = toc_new(allocator, 1, sizeof *server);
    if (!server) return TOC_OUT_OF_MEMORY;
    server->allocator = *allocator;
    server->site = *site;
    server->listener = server->wake[0] = server->wake[1] = -1;
    const toc_status status = open_port(server, port);
    if (status == TOC_OK)
        *out = server;
    else
        toc_view_server_close(server);
    return status;
}

uint32_t toc_view_server_port(const view_server *server) { return server->port; }

// ---- a connection

static void end_connection(connection *c) {
    if (c->state == IS_FREE) return;
    if (c->state == IS_SENDING && c->reply.release) c->reply.release(c->reply.owner);
    close(c->socket);
    c->state = IS_FREE;
}

static void begin_reply(connection *c, view_reply reply) {
    c->reply = reply;
    c->sent = 0;
    c->state = IS_SENDING;
    c->deadline = toc_seconds() + patience;
    c->head_size = (size_t)snprintf(c->head, sizeof c->head,
                                    "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %llu\r\nConnection: close\r\n"
                                    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                                    "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\r\n",
                                    reply.status, reply.type, (unsigned long long)reply.size);
    assert(c->head_size < sizeof c->head);
}

// The value of a header; its length without blanks.
static const char *find_header(const char *request, const char *name, size_t *length) {
    const char *at = strcasestr(request, name);
    if (!at) return NULL;
    at += strlen(name);
    at += strspn(at, " \t");
    *length = strcspn(at, " \t\r\n");
    return at;
}

static const char *const own_hosts[] = {"127.0.0.1", "localhost"};

// Whether a text is HOST or HOST:PORT, of this machine.
static bool is_own_place(const char *at, size_t length) {
    for (int i = 0; i < 2; i++) {
        const size_t name = strlen(own_hosts[i]);
        if (length >= name && strncasecmp(at, own_hosts[i], name) == 0 && (length == name || at[name] == ':'))
            return true;
    }
    return false;
}

// A page of another origin says so; one of this origin may leave the header out.
static bool is_own_request(const view_server *server, const char *request) {
    size_t length;
    const char *host = find_header(request, "\r\nHost:", &length);
    if (!host || !is_own_place(host, length)) return false;
    const char *origin = find_header(request, "\r\nOrigin:", &length);
    if (!origin) return true;
    for (int i = 0; i < 2; i++) {
        char own[40];
        snprintf(own, sizeof own, "%s%s:%u", "http://", own_hosts[i], server->port);
        if (strlen(own) == length && strncmp(origin, own, length) == 0) return true;
    }
    return false;
}

// Answer a whole request, or let it wait. @param now whether it must not wait any more.
static void try_answer(view_server *server, connection *c, bool now) {
    char path[1024];
    if (strncmp(c->request, "GET ", 4) != 0) {
        begin_reply(c, toc_view_reply_words("405 Method Not Allowed"));
        return;
    }
    const size_t length = strcspn(c->request + 4, " \r\n");
    if (length >= sizeof path) {
        begin_reply(c, toc_view_reply_words("414 URI Too Long"));
        return;
    }
    if (!is_own_request(server, c->request)) {
        begin_reply(c, toc_view_reply_words("403 Forbidden"));
        return;
    }
    memcpy(path, c->request + 4, length);
    path[length] = 0;
    view_reply reply;
    if (server->site.answer(server->site.user, path, now, &reply)) {
        begin_reply(c, reply);
    } else if (c->state != IS_WAITING) {
        c->state = IS_WAITING;
        c->deadline = toc_seconds() + wait_patience;
    }
}

static void read_request(view_server *server, connection *c) {
    const ssize_t got = recv(c->socket, c->request + c->used, REQUEST_SIZE - 1 - c->used, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
        end_connection(c);
        return;
    }
    c->used += (size_t)got;
    c->request[c->used] = 0;
    if (strstr(c->request, "\r\n\r\n"))
        try_answer(server, c, false);
    else if (c->used + 1 == REQUEST_SIZE)
        begin_reply(c, toc_view_reply_words("431 Request Header Fields Too Large"));
}

// The next bytes to send; 0 at the end, or if a file ends early.
static size_t next_piece(const connection *c, char *room, const void **bytes) {
    if (c->sent < c->head_size) {
        *bytes = c->head + c->sent;
        return (size_t)(c->head_size - c->sent);
    }
    const uint64_t at = c->sent - c->head_size, left = c->reply.size - at;
    const size_t wanted = left < PIECE_SIZE ? (size_t)left : PIECE_SIZE;
    *bytes = room;
    if (c->reply.file < 0) {
        *bytes = (const char *)c->reply.bytes + at;
        return wanted;
    }
    const ssize_t got = pread(c->reply.file, room, wanted, (off_t)(c->reply.first + at));
    return got > 0 ? (size_t)got : 0;
}

// Send until the socket takes no more, so that one browser does not hold up the others for long.
static void send_reply(view_server *server, connection *c) {
    for (int pieces = 0; pieces < 16; pieces++) {
        const void *bytes;
        const size_t count = next_piece(c, server->piece, &bytes);
        if (count == 0) {
            shutdown(c->socket, SHUT_WR);
            end_connection(c);
            return;
        }
        const ssize_t sent = send(c->socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (sent <= 0) {
            end_connection(c);
            return;
        }
        c->sent += (uint64_t)sent;
        c->deadline = toc_seconds() + patience;
    }
}

// A browser that waits sends nothing; what comes then is the end of its connection.
static void check_waiting(view_server *server, connection *c) {
    char byte;
    const ssize_t got = recv(c->socket, &byte, 1, 0);
    if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) return;
    end_connection(c);
    server->left = true;
}

// ---- the loop

// A browser that has gone raises no signal: by a flag of send, or on macOS by an option of the socket.
static void keep_quiet(int socket) {
#ifdef SO_NOSIGPIPE
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#else
    (void)socket;
#endif
}

static void accept_connections(view_server *server) {
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &server->connections[i];
        if (c->state != IS_FREE) continue;
        const int socket = accept(server->listener, NULL, NULL);
        if (socket < 0) return;
        prepare_file(socket);
        keep_quiet(socket);
        c->state = IS_READING;
        c->socket = socket;
        c->used = 0;
        c->deadline = toc_seconds() + patience;
    }
}

static size_t count_waiting(const view_server *server) {
    size_t count = 0;
    for (int i = 0; i < CONNECTIONS; i++) count += server->connections[i].state == IS_WAITING;
    return count;
}

static void serve_connection(view_server *server, connection *c, short events) {
    if (c->state == IS_READING && events & (POLLIN | POLLHUP | POLLERR))
        read_request(server, c);
    else if (c->state == IS_SENDING && events & (POLLOUT | POLLHUP | POLLERR))
        send_reply(server, c);
    else if (c->state == IS_WAITING && events & (POLLIN | POLLHUP | POLLERR))
        check_waiting(server, c);
}

// @param asked whether waiting requests are tried again.
static void serve_time(view_server *server, bool asked) {
    const double time = toc_seconds();
    const bool stopping = atomic_load(&server->stopping);
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &server->connections[i];
        const bool late = time > c->deadline;
        if (c->state == IS_WAITING && (asked || late || stopping))
            try_answer(server, c, late || stopping);
        else if (late && c->state != IS_WAITING)
            end_connection(c);
    }
}

// One round. A round without events ends after a tenth of a second, for the deadlines.
static toc_status serve_round(view_server *server) {
    struct pollfd polled[CONNECTIONS + 2] = {{.fd = server->wake[0], .events = POLLIN}};
    const short wanted[] = {[IS_FREE] = 0, [IS_READING] = POLLIN, [IS_WAITING] = POLLIN, [IS_SENDING] = POLLOUT};
    bool has_room = false;
    for (int i = 0; i < CONNECTIONS; i++) {
        const connection *c = &server->connections[i];
        has_room |= c->state == IS_FREE;
        polled[i + 2] = (struct pollfd){.fd = c->state == IS_FREE ? -1 : c->socket, .events = wanted[c->state]};
    }
    polled[1] = (struct pollfd){.fd = has_room ? server->listener : -1, .events = POLLIN};
    if (poll(polled, CONNECTIONS + 2, 100) < 0 && errno != EINTR)
        return toc_fail(TOC_INTERNAL, "the server stopped: %s", strerror(errno));
    char bytes[64];
    bool asked = false;
    while (polled[0].revents && read(server->wake[0], bytes, sizeof bytes) > 0) asked = true;
    for (int i = 0; i < CONNECTIONS; i++)
        if (polled[i + 2].fd >= 0) serve_connection(server, &server->connections[i], polled[i + 2].revents);
    if (polled[1].revents) accept_connections(server);
    serve_time(server, asked);
    if (server->site.watch) server->site.watch(server->site.user, count_waiting(server), server->left);
    server->left = false;
    return TOC_OK;
}

static bool is_sending(const view_server *server) {
    for (int i = 0; i < CONNECTIONS; i++)
        if (server->connections[i].state == IS_SENDING) return true;
    return false;
}

toc_status toc_view_server_run(view_server *server) {
    toc_status status = TOC_OK;
    while (status == TOC_OK && !atomic_load(&server->stopping)) status = serve_round(server);
    serve_time(server, true);
    const double end = toc_seconds() + last_patience;
    while (status == TOC_OK && is_sending(server) && toc_seconds() < end) status = serve_round(server);
    return status;
}

void toc_view_server_wake(view_server *server) {
    const char byte = 0;
    // A full pipe wakes the server, too.
    while (write(server->wake[1], &byte, 1) < 0 && errno == EINTR) {
    }
}

void toc_view_server_stop(view_server *server) {
    atomic_store(&server->stopping, true);
    toc_view_server_wake(server);
}

void toc_view_server_close(view_server *server) {
    if (!server) return;
    for (int i = 0; i < CONNECTIONS; i++) end_connection(&server->connections[i]);
    const int files[] = {server->listener, server->wake[0], server->wake[1]};
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0) close(files[i]);
    toc_free(&server->allocator, server, 1, sizeof *server);
}
