// SPDX-License-Identifier: Apache-2.0
// An HTTP server on the loopback interface, in one thread, for pages of this machine.
#ifndef VIEW_SERVER_H
#define VIEW_SERVER_H

#include <stdbool.h>

#include "base/memory.h"

/// Bytes to send: in memory, or a part of a file.
typedef struct view_reply {
    const char *status, *type; // "200 OK", "text/html"
    const void *bytes;
    int file; // -1 for bytes in memory
    uint64_t first, size;
    void (*release)(void *owner); // when all is sent, or the browser has gone; may be NULL
    void *owner;
} view_reply;

/// The resources of a server. Called on its thread.
typedef struct view_site {
    /// Answer a request for a path. @return false to be asked again: after toc_view_server_wake, and when the patience
    /// of the browser ends, with `now` true.
    bool (*answer)(void *user, const char *path, bool now, view_reply *out);
    /// Called now and then with the number of requests that wait for an answer; may be NULL. @param left whether a
    /// browser has closed the connection of one that waited.
    void (*watch)(void *user, size_t waiting, bool left);
    void *user;
} view_site;

typedef struct view_server view_server;

/// Open a port of 127.0.0.1. Requests under another host name, and those that other pages send, are refused, so that
/// foreign pages in the same browser cannot read anything. @param port 0 for any free one; one in use is TOC_BAD_INPUT.
toc_status toc_view_server_open(const toc_allocator *allocator, uint32_t port, const view_site *site,
                                view_server **out);
uint32_t toc_view_server_port(const view_server *server);
/// Serve until toc_view_server_stop. Requests that wait then are answered for the last time.
toc_status toc_view_server_run(view_server *server);
/// From any thread: ask again for the answers that wait; stop.
void toc_view_server_wake(view_server *server);
void toc_view_server_stop(view_server *server);
void toc_view_server_close(view_server *server);

/// A reply of a few words.
view_reply toc_view_reply_words(const char *status);

#endif
