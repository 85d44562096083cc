// SPDX-License-Identifier: Apache-2.0
// A pool gives freed blocks out again, and gives unused ones back.
#include "base/pool.h"

#include <string.h>

#include "support/test.h"

static test_allocator memory;

static toc_allocator make_pool(toc_pool *pool, uint64_t fail_at) {
    test_allocator_make(&memory, fail_at);
    toc_pool_make(pool, &memory.allocator);
    return toc_pool_allocator(pool);
}

static void *get(const toc_allocator *a, void *block, size_t old_size, size_t new_size) {
    return a->resize(a->user, block, old_size, new_size);
}

static void a_freed_block_is_used_again(void **state) {
    (void)state;
    toc_pool pool;
    const toc_allocator a = make_pool(&pool, 0);
    for (size_t size = 1; size < 1 << 20; size = size * 3 / 2 + 1) {
        void *block = get(&a, NULL, 0, size);
        memset(block, 0xa5, size);
        get(&a, block, size, 0);
        const uint64_t calls = memory.calls;
        void *again = get(&a, NULL, 0, size);
        assert_ptr_equal(again, block);
        assert_int_equal(memory.calls, calls);
        get(&a, again, size, 0);
    }
    toc_pool_free(&pool);
    assert_int_equal(memory.alive, 0);
}

// A block of more than twice the size would waste memory.
static void a_much_larger_block_stays(void **state) {
    (void)state;
    toc_pool pool;
    const toc_allocator a = make_pool(&pool, 0);
    void *large = get(&a, NULL, 0, 100000);
    get(&a, large, 100000, 0);
    void *small = get(&a, NULL, 0, 40000);
    assert_ptr_not_equal(small, large);
    void *fits = get(&a, NULL, 0, 60000);
    assert_ptr_equal(fits, large);
    get(&a, small, 40000, 0);
    get(&a, fits, 60000, 0);
    toc_pool_free(&pool);
    assert_int_equal(memory.alive, 0);
}

static void fill(unsigned char *block, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) block[i] = (unsigned char)(i * 7);
}

static void check(const unsigned char *block, size_t count) {
    for (size_t i = 0; i < count; i++) assert_int_equal(block[i], (unsigned char)(i * 7));
}

static void resizing_keeps_the_content(void **state) {
    (void)state;
    toc_pool pool;
    test_random random = test_random_make(0);
    const toc_allocator a = make_pool(&pool, 0);
    size_t size = 1;
    unsigned char *block = get(&a, NULL, 0, size);
    fill(block, 0, size);
    for (int i = 0; i < 2000; i++) {
        const size_t next = 1 + test_random_below(&random, i % 50 == 0 ? 200000 : 3000);
        void *other = get(&a, NULL, 0, 1 + test_random_below(&random, 5000));
        block = get(&a, block, size, next);
        check(block, size < next ? size : next);
        fill(block, size < next ? size : next, next);
        size = next;
        get(&a, other, 5000, 0);
        if (i % 100 == 0) toc_pool_begin(&pool, SIZE_MAX);
    }
    get(&a, block, size, 0);
    toc_pool_free(&pool);
    assert_int_equal(memory.alive, 0);
}

static void unused_blocks_are_given_back(void **state) {
    (void)state;
    toc_pool pool;
    const toc_allocator a = make_pool(&pool, 0);
    void *old = get(&a, NULL, 0, 1 << 20), *used = get(&a, NULL, 0, 1000);
    get(&a, old, 1 << 20, 0);
    get(&a, used, 1000, 0);
    for (int i = 0; i < TOC_POOL_PATIENCE + 1; i++) {
        toc_pool_begin(&pool, SIZE_MAX);
        get(&a, get(&a, NULL, 0, 1000), 1000, 0);
    }
    assert_true(memory.alive < 1 << 20);
    assert_true(memory.alive >= 1000);
    assert_int_equal(memory.alive, pool.bytes);
    toc_pool_free(&pool);
    assert_int_equal(memory.alive, 0);
}

static void a_limit_refuses_and_leaves_the_block(void **state) {
    (void)state;
    toc_pool pool;
    const toc_allocator a = make_pool(&pool, 0);
    toc_pool_begin(&pool, 10000);
    unsigned char *block = get(&a, NULL, 0, 4000);
    fill(block, 0, 4000);
    assert_null(get(&a, block, 4000, 20000));
    assert_true(pool.refused);
    check(block, 4000);
    get(&a, get(&a, NULL, 0, 5000), 5000, 0);
    assert_non_null(block = get(&a, block, 4000, 9000)); // the free block makes room
    check(block, 4000);
    toc_pool_begin(&pool, SIZE_MAX);
    assert_false(pool.refused);
    get(&a, block, 9000, 0);
    toc_pool_free(&pool);
    assert_int_equal(memory.alive, 0);
}

// A query that finds all of its blocks among free ones draws none, and would pass its limit unseen.
static void a_limit_counts_free_blocks(void **state) {
    (void)state;
    toc_pool pool;
    const toc_allocator a = make_pool(&pool, 0);
    void *kept = get(&a, NULL, 0, 1000);
    get(&a, get(&a, NULL, 0, 20000), 20000, 0);
    toc_pool_begin(&pool, 10000);
    assert_true(pool.bytes <= 10000);
    assert_null(get(&a, NULL, 0, 20000));
    assert_true(pool.refused);
    get(&a, kept, 1000, 0);
    toc_pool_free(&pool);
    assert_int_equal(memory.alive, 0);
}

static void a_source_that_fails_leaves_the_block(void **state) {
    (void)state;
    toc_pool pool;
    const toc_allocator a = make_pool(&pool, 2);
    unsigned char *block = get(&a, NULL, 0, 100);
    fill(block, 0, 100);
    assert_null(get(&a, block, 100, 1000));
    assert_false(pool.refused);
    check(block, 100);
    assert_null(get(&a, NULL, 0, SIZE_MAX / 2));
    get(&a, block, 100, 0);
    toc_pool_free(&pool);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_freed_block_is_used_again),          cmocka_unit_test(a_much_larger_block_stays),
        cmocka_unit_test(resizing_keeps_the_content),           cmocka_unit_test(unused_blocks_are_given_back),
        cmocka_unit_test(a_limit_counts_free_blocks),           cmocka_unit_test(a_limit_refuses_and_leaves_the_block),
        cmocka_unit_test(a_source_that_fails_leaves_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
