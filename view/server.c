// SPDX-License-Identifier: Apache-2.0
// One thread that waits for all sockets: no browser can hold up another one, or the program. A connection serves one
// request.
#include "view/server.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/platform/platform.h"
#include "base/platform/sockets.h"
#include "base/threads.h"

enum { CONNECTIONS = 64, REQUEST_SIZE = 16384, HEAD_SIZE = 512, PIECE_SIZE = 1 << 16 };
static const double patience = 5, wait_patience = 20, last_patience = 1; // seconds

typedef enum connection_state { IS_FREE, IS_READING, IS_WAITING, IS_SENDING } connection_state;

typedef struct connection {
    connection_state state;
    toc_socket socket;
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
    toc_socket listener, bell[2];
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

static toc_status open_port(view_server *server, uint32_t port) {
    if (port > 65535) return toc_fail(TOC_BAD_INPUT, "a port is a number from 0 to 65535, not %u", port);
    uint16_t taken = (uint16_t)port;
    server->listener = toc_socket_listen(&taken);
    if (server->listener < 0) return fail_port(port);
    server->port = taken;
    if (toc_bell_open(server->bell)) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "no socket can be opened: %s", strerror(errno));
}

toc_status toc_view_server_open(const toc_allocator *allocator, uint32_t port, const view_site *site,
                                view_server **out) {
    view_server *server = toc_new(allocator, 1, sizeof *server);
    if (!server) return TOC_OUT_OF_MEMORY;
    server->allocator = *allocator;
    server->site = *site;
    server->listener = server->bell[0] = server->bell[1] = -1;
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
    toc_socket_close(c->socket);
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

// The value of a header; its length without blanks. Case does not matter in a name.
static const char *find_header(const char *request, const char *name, size_t *length) {
    const size_t size = strlen(name);
    const char *at = request;
    while (*at && strncasecmp(at, name, size) != 0) at++;
    if (!*at) return NULL;
    at += size;
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
    const ptrdiff_t got = toc_socket_receive(c->socket, c->request + c->used, REQUEST_SIZE - 1 - c->used);
    if (got < 0 && errno == EAGAIN) return;
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
    const ptrdiff_t got = toc_file_read_at(c->reply.file, room, wanted, c->reply.first + at);
    return got > 0 ? (size_t)got : 0;
}

// Send until the socket takes no more, so that one browser does not hold up the others for long.
static void send_reply(view_server *server, connection *c) {
    for (int pieces = 0; pieces < 16; pieces++) {
        const void *bytes;
        const size_t count = next_piece(c, server->piece, &bytes);
        if (count == 0) {
            toc_socket_finish(c->socket);
            c->socket = -1;
            end_connection(c);
            return;
        }
        const ptrdiff_t sent = toc_socket_send(c->socket, bytes, count);
        if (sent < 0 && errno == EAGAIN) return;
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
    const ptrdiff_t got = toc_socket_receive(c->socket, &byte, 1);
    if (got > 0 || (got < 0 && errno == EAGAIN)) return;
    end_connection(c);
    server->left = true;
}

// ---- the loop

static void accept_connections(view_server *server) {
    for (int i = 0; i < CONNECTIONS; i++) {
        connection *c = &server->connections[i];
        if (c->state != IS_FREE) continue;
        const toc_socket socket = toc_socket_accept(server->listener);
        if (socket < 0) return;
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

static void serve_connection(view_server *server, connection *c) {
    if (c->state == IS_READING)
        read_request(server, c);
    else if (c->state == IS_SENDING)
        send_reply(server, c);
    else if (c->state == IS_WAITING)
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
    toc_socket_wait waits[CONNECTIONS + 2] = {{.socket = server->bell[0]}};
    bool has_room = false;
    for (int i = 0; i < CONNECTIONS; i++) {
        const connection *c = &server->connections[i];
        has_room |= c->state == IS_FREE;
        waits[i + 2] = (toc_socket_wait){c->state == IS_FREE ? -1 : c->socket, c->state == IS_SENDING, false};
    }
    waits[1].socket = has_room ? server->listener : -1;
    if (!toc_sockets_wait(waits, CONNECTIONS + 2, 0.1))
        return toc_fail(TOC_INTERNAL, "the server stopped: %s", strerror(errno));
    const bool asked = waits[0].is_ready && toc_bell_hear(server->bell);
    for (int i = 0; i < CONNECTIONS; i++)
        if (waits[i + 2].is_ready) serve_connection(server, &server->connections[i]);
    if (waits[1].is_ready) accept_connections(server);
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

void toc_view_server_wake(view_server *server) { toc_bell_ring(server->bell); }

void toc_view_server_stop(view_server *server) {
    atomic_store(&server->stopping, true);
    toc_view_server_wake(server);
}

void toc_view_server_close(view_server *server) {
    if (!server) return;
    for (int i = 0; i < CONNECTIONS; i++) end_connection(&server->connections[i]);
    toc_socket_close(server->listener);
    toc_bell_close(server->bell);
    toc_free(&server->allocator, server, 1, sizeof *server);
}
