// SPDX-License-Identifier: Apache-2.0
// The page and its blocks on the server of the live view.
#include "tools/page_serve.h"

#include <stdlib.h>
#include <string.h>

#include "tools/output.h"
#include "view/server.h"

static bool answer_path(void *user, const char *path, bool now, view_reply *out) {
    const tool_site *site = user;
    static const char blocks[] = "/blocks/";
    (void)now;
    *out = toc_view_reply_words("404 Not Found");
    if (strcmp(path, "/") == 0 || strcmp(path, "/index.html") == 0) {
        *out = (view_reply){.status = "200 OK",
                            .type = "text/html; charset=utf-8",
                            .bytes = site->head,
                            .file = -1,
                            .size = site->head_size};
    } else if (strncmp(path, blocks, sizeof blocks - 1) == 0) {
        const char *digits = path + sizeof blocks - 1;
        char *end;
        const unsigned long long number = strtoull(digits, &end, 10);
        if (*digits && !*end && number < site->block_count)
            *out = (view_reply){.status = "200 OK",
                                .type = "application/octet-stream",
                                .file = site->file,
                                .first = site->blocks[number].first,
                                .size = site->blocks[number].size};
    }
    return true;
}

// Standard output is written at once here: the address is of use only while the server runs.
static toc_status tell_address(const view_server *server) {
    printf("http://127.0.0.1:%u/\nStop with Ctrl-C.\n", toc_view_server_port(server));
    return fflush(stdout) == 0 ? TOC_OK : tool_fail(TOC_BAD_INPUT, "standard output: cannot be written");
}

toc_status tool_site_serve(const tool_site *site, size_t port) {
    const toc_allocator memory = toc_allocator_get_default();
    const view_site answers = {.answer = answer_path, .user = (void *)site};
    view_server *server;
    TOC_TRY(toc_view_server_open(&memory, port < UINT32_MAX ? (uint32_t)port : UINT32_MAX, &answers, &server));
    toc_status status = tell_address(server);
    if (status == TOC_OK) status = toc_view_server_run(server);
    toc_view_server_close(server);
    return status;
}
