// SPDX-License-Identifier: Apache-2.0
// Sources of readers that are bytes in memory. A header alone, so that the fuzzed readers need no other file of
// support.
#ifndef TEST_SOURCES_H
#define TEST_SOURCES_H

#include <string.h>

#include "io/core/source.h"

/// Make a source of a copy of some bytes; close it with toc_source_close. The path is for messages.
static inline toc_status test_source_copy(const char *path, const void *bytes, size_t count,
                                          const toc_allocator *allocator, toc_source *out) {
    const toc_allocator memory = toc_allocator_or_default(allocator);
    TOC_ARRAY(char) copy = {0};
    TOC_TRY(toc_array_reserve(&memory, &copy, count + 1));
    if (count) memcpy(copy.at, bytes, count);
    copy.at[count] = 0;
    *out = (toc_source){.path = path,
                        .allocator = memory,
                        .at = copy.at,
                        .begin = copy.at,
                        .end = copy.at + count,
                        .passed = copy.at,
                        .size = copy.capacity};
    return TOC_OK;
}

#endif
