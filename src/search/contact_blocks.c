// SPDX-License-Identifier: Apache-2.0
// Blocks double, so a small scene takes little.
#include "search/contact_blocks.h"

enum { FIRST_ROOM = 16, MOST_ROOM = 512 };

toc_contact_blocks toc_contact_blocks_make(const toc_allocator *allocator) {
    return (toc_contact_blocks){.arena = toc_arena_make(allocator)};
}

static toc_status add_contact_block(toc_contact_blocks *blocks) {
    toc_contact_block *newest = blocks->newest;
    const size_t room = !newest ? FIRST_ROOM : newest->room < MOST_ROOM ? 2 * newest->room : MOST_ROOM;
    toc_contact_block *block = toc_arena_new(&blocks->arena, 1, sizeof *block + room * sizeof *block->at);
    if (!block) return TOC_OUT_OF_MEMORY;
    block->older = newest;
    block->count = 0;
    block->room = room;
    blocks->newest = block;
    return TOC_OK;
}

toc_contact *toc_contact_blocks_add(toc_contact_blocks *blocks) {
    const toc_contact_block *newest = blocks->newest;
    if ((!newest || newest->count == newest->room) && add_contact_block(blocks) != TOC_OK) return NULL;
    blocks->count++;
    return &blocks->newest->at[blocks->newest->count++];
}

void toc_contact_blocks_clear(toc_contact_blocks *blocks) {
    toc_arena_back(&blocks->arena, (toc_arena_mark){0});
    blocks->newest = NULL;
    blocks->count = 0;
}

void toc_contact_blocks_free(toc_contact_blocks *blocks) {
    toc_arena_free(&blocks->arena);
    blocks->newest = NULL;
    blocks->count = 0;
}
