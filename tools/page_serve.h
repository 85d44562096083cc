// SPDX-License-Identifier: Apache-2.0
// A small HTTP server on the loopback interface for one page and its blocks.
#ifndef TOOLS_PAGE_SERVE_H
#define TOOLS_PAGE_SERVE_H

#include "tools/command.h"

/// A range of bytes of the site's file.
typedef struct tool_block {
    uint64_t first, size;
} tool_block;

/// The resources: "/" is the head, "/blocks/N" is block N.
typedef struct tool_site {
    const char *head;
    size_t head_size;
    int file;
    size_t block_count;
    const tool_block *blocks;
} tool_site;

/// Serve until Ctrl-C. Prints the address at once. A port that is in use is TOC_BAD_INPUT.
/// @param port 0 for any free one.
toc_status tool_site_serve(const tool_site *site, size_t port);

#endif
