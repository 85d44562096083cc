// SPDX-License-Identifier: Apache-2.0
// Blocks that keep their size in front, for libraries that free a block without its size.
#ifndef TOC_IO_CORE_SIZED_H
#define TOC_IO_CORE_SIZED_H

#include "base/memory.h"

typedef union toc_sized_head {
    size_t size;
    char room[16]; // keeps the block behind it aligned
} toc_sized_head;

/// Like realloc; a size of 0 gives a block all the same.
static inline void *toc_sized_resize(const toc_allocator *allocator, void *block, size_t size) {
    toc_sized_head *old = block ? (toc_sized_head *)block - 1 : NULL;
    size_t whole;
    if (__builtin_add_overflow(size, sizeof *old, &whole)) return NULL;
    toc_sized_head *head = allocator->resize(allocator->user, old, old ? old->size : 0, whole);
    if (!head) return NULL;
    head->size = whole;
    return head + 1;
}

static inline void toc_sized_free(const toc_allocator *allocator, void *block) {
    if (!block) return;
    toc_sized_head *head = (toc_sized_head *)block - 1;
    allocator->resize(allocator->user, head, head->size, 0);
}

#endif
