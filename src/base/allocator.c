// SPDX-License-Identifier: Apache-2.0
// The default allocator: malloc, with huge pages for large blocks.
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "toccata/base.h"

// docs/decisions/0071-huge-pages-of-a-scene.md
enum {
    HUGE_FROM = 1 << 20, // bytes of a block that begins with a huge page
    MOVED_MOST = 4 << 20 // of a block that moves to one when it grows; larger ones hold huge pages wherever they begin
};

static void *grow_to_huge(void *block, size_t old_size, size_t new_size) {
    void *moved = old_size <= MOVED_MOST ? toc_pages_new(new_size) : realloc(block, new_size);
    if (!moved) return NULL;
    if (old_size > MOVED_MOST) {
        toc_pages_want_huge(moved, new_size);
    } else if (block) {
        memcpy(moved, block, old_size);
        free(block);
    }
    return moved;
}

static void *default_resize(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return new_size >= HUGE_FROM && new_size > old_size ? grow_to_huge(block, old_size, new_size)
                                                        : realloc(block, new_size);
}

toc_allocator toc_allocator_get_default(void) { return (toc_allocator){.resize = default_resize, .user = NULL}; }
