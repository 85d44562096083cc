// SPDX-License-Identifier: Apache-2.0
// The default allocator: malloc, with huge pages for large blocks.
#include <stdlib.h>

#include "base/platform/platform.h"
#include "toccata/base.h"

#define HUGE_FROM ((size_t)4 << 20) // bytes of a block that holds a whole huge page wherever it begins

static void *default_resize(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved && new_size >= HUGE_FROM && new_size > old_size)
        toc_pages_want_huge(moved, new_size); // docs/decisions/0032-huge-pages.md
    return moved;
}

toc_allocator toc_allocator_get_default(void) { return (toc_allocator){.resize = default_resize, .user = NULL}; }
