// SPDX-License-Identifier: Apache-2.0
// The built viewer, carried inside the command.
#ifndef TOOLS_PAGE_BYTES_H
#define TOOLS_PAGE_BYTES_H

#include <stddef.h>

/// The bytes of viewer/'s page; NULL, with a size of 0, in a build without node.
const char *tool_page_bytes(size_t *size);

#endif
