// SPDX-License-Identifier: Apache-2.0
// One request after the other, each on a connection of its own. Only this machine can connect, and requests under
// another host name are refused, so that foreign pages in the same browser cannot read the result.
#include "tools/page_serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tools/output.h"

enum { REQUEST_SIZE = 16384, PATIENCE = 5 }; // bytes; seconds that a browser may stay silent

static bool send_all(int to, const void *bytes, size_t count) {
    for (const char *at = bytes; count;) {
        const ssize_t sent = send(to, at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

static bool send_head(int to, const char *status, const char *type, uint64_t size) {
    char head[300];
    const int length = snprintf(head, sizeof head,
                                "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %llu\r\nConnection: close\r\n"
                                "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n",
                                status, type, (unsigned long long)size);
    return send_all(to, head, (size_t)length);
}

static void send_error(int to, const char *status) {
    if (send_head(to, status, "text/plain", strlen(status))) send_all(to, status, strlen(status));
}

static void send_block(int to, int file, tool_block block) {
    static char piece[1 << 16];
    if (!send_head(to, "200 OK", "application/octet-stream", block.size)) return;
    for (uint64_t done = 0; done < block.size;) {
        const uint64_t left = block.size - done;
        const size_t wanted = left < sizeof piece ? (size_t)left : sizeof piece;
        const ssize_t got = pread(file, piece, wanted, (off_t)(block.first + done));
        if (got <= 0 || !send_all(to, piece, (size_t)got)) return;
        done += (uint64_t)got;
    }
}

// @return whether the head of a request has arrived, closed by a 0 byte.
static bool receive_request(int from, char request[REQUEST_SIZE]) {
    size_t used = 0;
    while (used + 1 < REQUEST_SIZE) {
        const ssize_t got = recv(from, request + used, REQUEST_SIZE - 1 - used, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        used += (size_t)got;
        request[used] = 0;
        if (strstr(request, "\r\n\r\n")) return true;
    }
    return false;
}

static bool is_own_host(const char *request) {
    const char *host = strcasestr(request, "\r\nHost:");
    if (!host) return false;
    host += strlen("\r\nHost:");
    host += strspn(host, " \t");
    const size_t name = strcspn(host, ":\r\n");
    return (name == 9 && strncasecmp(host, "127.0.0.1", 9) == 0) ||
           (name == 9 && strncasecmp(host, "localhost", 9) == 0);
}

static void answer_request(const tool_site *site, int to, const char *request) {
    static const char blocks[] = "GET /blocks/";
    if (!is_own_host(request)) {
        send_error(to, "403 Forbidden");
    } else if (strncmp(request, "GET / ", 6) == 0 || strncmp(request, "GET /index.html ", 16) == 0) {
        if (send_head(to, "200 OK", "text/html; charset=utf-8", site->head_size))
            send_all(to, site->head, site->head_size);
    } else if (strncmp(request, blocks, sizeof blocks - 1) == 0) {
        char *end;
        const unsigned long long number = strtoull(request + sizeof blocks - 1, &end, 10);
        if (*end == ' ' && number < site->block_count)
            send_block(to, site->file, site->blocks[number]);
        else
            send_error(to, "404 Not Found");
    } else {
        send_error(to, strncmp(request, "GET ", 4) == 0 ? "404 Not Found" : "405 Method Not Allowed");
    }
}

static void serve_connection(const tool_site *site, int connection) {
    static char request[REQUEST_SIZE];
    const struct timeval patience = {.tv_sec = PATIENCE};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (receive_request(connection, request)) answer_request(site, connection, request);
    close(connection);
}

static toc_status fail_port(int listener, size_t port) {
    const int error = errno;
    if (listener >= 0) close(listener);
    if (error == EADDRINUSE)
        return tool_fail(TOC_BAD_INPUT, "port %zu is in use; choose another one with --port, or 0 for any that is free",
                         port);
    return tool_fail(TOC_BAD_INPUT, "port %zu cannot be opened: %s", port, strerror(error));
}

static toc_status open_port(size_t port, int *out) {
    if (port > 65535) return tool_fail(TOC_BAD_INPUT, "--port takes a number from 0 to 65535, not %zu", port);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (listener < 0) return fail_port(listener, port);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0)
        return fail_port(listener, port);
    *out = listener;
    return TOC_OK;
}

// Standard output is written at once here: the address is of use only while the server runs.
static toc_status tell_address(int listener) {
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    if (getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return tool_fail(TOC_INTERNAL, "the port is unknown: %s", strerror(errno));
    printf("http://127.0.0.1:%u/\nStop with Ctrl-C.\n", (unsigned)ntohs(address.sin_port));
    return fflush(stdout) == 0 ? TOC_OK : tool_fail(TOC_BAD_INPUT, "standard output: cannot be written");
}

toc_status tool_site_serve(const tool_site *site, size_t port) {
    int listener = -1;
    toc_status status = open_port(port, &listener);
    if (status != TOC_OK) return status;
    status = tell_address(listener);
    while (status == TOC_OK) {
        const int connection = accept(listener, NULL, NULL);
        if (connection >= 0) {
            serve_connection(site, connection);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            status = tool_fail(TOC_BAD_INPUT, "the server stopped: %s", strerror(errno));
        }
    }
    close(listener);
    return status;
}
