// SPDX-License-Identifier: Apache-2.0
// A file being read: all of it in memory, a position, and messages that name file and line or byte.
#ifndef TOC_IO_SOURCE_H
#define TOC_IO_SOURCE_H

#include <stdbool.h>

#include "base/memory.h"

typedef struct toc_source {
    const char *path;
    toc_allocator allocator;
    const char *at, *begin, *end; // the text runs from begin to end; at is where reading goes on
    size_t size;                  // bytes allocated or mapped
} toc_source;

/// Read a whole file into memory. A missing or unreadable file is TOC_BAD_INPUT.
toc_status toc_source_open(const char *path, const toc_allocator *allocator, toc_source *out);
void toc_source_close(toc_source *source);

/// Fail at the present position: "file:LINE: sentence".
__attribute__((format(printf, 2, 3))) toc_status toc_source_fail(const toc_source *source, const char *format, ...);
/// Fail at the present position of a binary part: "file: byte N: sentence".
__attribute__((format(printf, 2, 3))) toc_status toc_source_fail_byte(const toc_source *source, const char *format,
                                                                      ...);

#endif
