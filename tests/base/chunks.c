// SPDX-License-Identifier: Apache-2.0
// Blocks of chunks do not meet, keep their content, and give their room back.
#include "base/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "support/test.h"

// A source of aligned chunks.
typedef struct chunk_source {
    size_t alive, calls, fail_at; // chunks; calls that take one; the call that fails, from 1, or 0
} chunk_source;

static void *resize_chunk(void *user, void *block, size_t old_size, size_t new_size) {
    chunk_source *source = user;
    if (new_size == 0) {
        assert_int_equal(old_size, TOC_CHUNK_BYTES);
        source->alive--;
        free(block);
        return NULL;
    }
    assert_true(!block && new_size == TOC_CHUNK_BYTES);
    if (++source->calls == source->fail_at) return NULL;
    source->alive++;
    return aligned_alloc(TOC_CHUNK_BYTES, new_size);
}

static toc_chunks make_chunks(chunk_source *source, size_t fail_at) {
    *source = (chunk_source){.fail_at = fail_at};
    return (toc_chunks){.source = {.resize = resize_chunk, .user = source}};
}

typedef struct chunk_block {
    unsigned char *at;
    size_t bytes;
    unsigned char mark;
} chunk_block;

static void check_block(const chunk_block *block) {
    for (size_t i = 0; i < block->bytes; i += 61) assert_int_equal(block->at[i], block->mark);
    assert_int_equal(block->at[block->bytes - 1], block->mark);
}

static void blocks_keep_their_content_among_others(void **state) {
    (void)state;
    enum { BLOCKS = 24 };
    chunk_source source;
    toc_chunks chunks = make_chunks(&source, 0);
    chunk_block blocks[BLOCKS] = {{0}};
    test_random random = test_random_make(0);
    for (int i = 0; i < 2000; i++) {
        chunk_block *block = &blocks[test_random_below(&random, BLOCKS)];
        if (block->at) {
            check_block(block);
            toc_chunks_give(&chunks, block->at, block->bytes);
            block->at = NULL;
            continue;
        }
        const size_t most = i % 3 ? 9 * TOC_CHUNK_LEAST : TOC_CHUNK_MOST;
        block->bytes = TOC_CHUNK_LEAST + test_random_below(&random, (uint32_t)(most - TOC_CHUNK_LEAST + 1));
        block->mark = (unsigned char)i;
        block->at = toc_chunks_take(&chunks, block->bytes, true);
        assert_non_null(block->at);
        memset(block->at, block->mark, block->bytes);
        assert_int_equal(source.alive, chunks.count);
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (!blocks[i].at) continue;
        check_block(&blocks[i]);
        toc_chunks_give(&chunks, blocks[i].at, blocks[i].bytes);
    }
    assert_int_equal(chunks.count, 0);
    assert_int_equal(source.alive, 0);
}

// Two neighbours that are given back make room for a block as large as both.
static void freed_neighbours_join(void **state) {
    (void)state;
    enum { QUARTER = TOC_CHUNK_MOST / 2 - 4096 };
    chunk_source source;
    toc_chunks chunks = make_chunks(&source, 0);
    char *block[4];
    for (int i = 0; i < 4; i++) assert_non_null(block[i] = toc_chunks_take(&chunks, QUARTER, true));
    assert_int_equal(chunks.count, 1);
    assert_null(toc_chunks_take(&chunks, 2 * QUARTER, false));
    toc_chunks_give(&chunks, block[1], QUARTER);
    assert_null(toc_chunks_take(&chunks, 2 * QUARTER, false));
    toc_chunks_give(&chunks, block[2], QUARTER);
    char *both = toc_chunks_take(&chunks, 2 * QUARTER, false);
    assert_ptr_equal(both, block[1]);
    toc_chunks_give(&chunks, both, 2 * QUARTER);
    toc_chunks_give(&chunks, block[0], QUARTER);
    toc_chunks_give(&chunks, block[3], QUARTER);
    assert_int_equal(source.alive, 0);
}

static void other_sizes_and_a_source_without_memory_are_refused(void **state) {
    (void)state;
    chunk_source source;
    toc_chunks chunks = make_chunks(&source, 2);
    assert_null(toc_chunks_take(&chunks, TOC_CHUNK_LEAST - 1, true));
    assert_null(toc_chunks_take(&chunks, TOC_CHUNK_MOST + 1, true));
    assert_null(toc_chunks_take(&chunks, TOC_CHUNK_LEAST, false));
    assert_int_equal(source.calls, 0);
    char *first = toc_chunks_take(&chunks, TOC_CHUNK_MOST, true);
    assert_non_null(first);
    assert_null(toc_chunks_take(&chunks, TOC_CHUNK_MOST, true));
    assert_int_equal(source.calls, 2);
    toc_chunks_give(&chunks, first, TOC_CHUNK_MOST);
    assert_int_equal(source.alive, 0);
}

// ---- in a pool

static void *get(const toc_allocator *a, void *block, size_t old_size, size_t new_size) {
    return a->resize(a->user, block, old_size, new_size);
}

// Blocks stand in chunks from some size of the pool on, and never with a limit.
static void a_pool_counts_whole_chunks(void **state) {
    (void)state;
    enum { SIZE = 100000, BLOCKS = 12 };
    const toc_allocator own = toc_allocator_get_default();
    toc_pool pool;
    unsigned char *block[BLOCKS];
    if (!toc_chunks_suit(&own)) skip();
    toc_pool_make(&pool, &own);
    const toc_allocator a = toc_pool_allocator(&pool);
    for (int i = 0; i < BLOCKS; i++) memset(block[i] = get(&a, NULL, 0, SIZE), i, SIZE);
    assert_int_equal(pool.chunks.count, 1);
    assert_true(pool.bytes > TOC_CHUNKS_FROM + TOC_CHUNK_BYTES && pool.bytes < 4 * TOC_CHUNKS_FROM + TOC_CHUNK_BYTES);
    assert_int_equal(pool.peak, pool.bytes);
    block[BLOCKS - 1] = get(&a, block[BLOCKS - 1], SIZE, 5 * SIZE); // grows within, or out of, its chunk
    block[BLOCKS - 1] = get(&a, block[BLOCKS - 1], 5 * SIZE, 50 * SIZE);
    for (int i = 0; i < BLOCKS; i++)
        for (int k = 0; k < SIZE; k += 99) assert_int_equal(block[i][k], i);
    for (int i = 0; i < BLOCKS; i++) get(&a, block[i], i + 1 < BLOCKS ? SIZE : 50 * SIZE, 0);
    toc_pool_release(&pool);
    assert_int_equal(pool.bytes, 0);
    assert_int_equal(pool.chunks.count, 0);
    toc_pool_begin(&pool, (size_t)100 * SIZE);
    for (int i = 0; i < BLOCKS; i++) assert_non_null(block[i] = get(&a, NULL, 0, SIZE));
    assert_int_equal(pool.chunks.count, 0);
    for (int i = 0; i < BLOCKS; i++) get(&a, block[i], SIZE, 0);
    toc_pool_free(&pool);
}

static void blocks_of_a_callers_allocator_stand_in_no_chunk(void **state) {
    (void)state;
    test_allocator memory;
    test_allocator_make(&memory, 0);
    assert_false(toc_chunks_suit(&memory.allocator));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_content_among_others),
        cmocka_unit_test(freed_neighbours_join),
        cmocka_unit_test(other_sizes_and_a_source_without_memory_are_refused),
        cmocka_unit_test(a_pool_counts_whole_chunks),
        cmocka_unit_test(blocks_of_a_callers_allocator_stand_in_no_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
