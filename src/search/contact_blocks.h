// SPDX-License-Identifier: Apache-2.0
// The contacts that a worker found, in blocks that stay in place: each contact is written once, and a pool gets blocks
// of few sizes back for the next query. An array that grows copies them, and leaves a row of smaller ones behind.
#ifndef TOC_SEARCH_CONTACT_BLOCKS_H
#define TOC_SEARCH_CONTACT_BLOCKS_H

#include "base/memory.h"
#include "toccata/scene.h"

typedef struct toc_contact_block {
    struct toc_contact_block *older;
    size_t count, room;
    toc_contact at[];
} toc_contact_block;

typedef struct toc_contact_blocks {
    toc_arena arena;           // of the blocks
    toc_contact_block *newest; // NULL for none
    size_t count;              // of all contacts
} toc_contact_blocks;

toc_contact_blocks toc_contact_blocks_make(const toc_allocator *allocator);
/// Add a contact, which the caller fills. @return NULL when memory is out.
toc_contact *toc_contact_blocks_add(toc_contact_blocks *blocks);
void toc_contact_blocks_clear(toc_contact_blocks *blocks);
void toc_contact_blocks_free(toc_contact_blocks *blocks);

#endif
