// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <string.h>

#include "support/test.h"

// A product of sizes that wraps round would give a small block for a large array.
static void overflowing_sizes_are_refused(void **state) {
    (void)state;
    const toc_allocator allocator = toc_allocator_get_default();
    assert_null(toc_new(&allocator, SIZE_MAX / 8 + 2, 8));
    TOC_ARRAY(uint64_t) array = {0};
    assert_fails(toc_array_reserve(&allocator, &array, SIZE_MAX / 8 + 2), TOC_OUT_OF_MEMORY, "out of memory");
    toc_arena arena = toc_arena_make(NULL);
    assert_null(toc_arena_new(&arena, SIZE_MAX / 8 + 2, 8));
    toc_arena_free(&arena);
}

static void arrays_grow_and_keep_what_they_hold(void **state) {
    (void)state;
    test_allocator memory;
    test_allocator_make(&memory, 0);
    TOC_ARRAY(uint32_t) array = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        assert_ok(toc_array_reserve(&memory.allocator, &array, 1));
        array.at[array.count++] = i;
    }
    for (uint32_t i = 0; i < 10000; i++) assert_int_equal(array.at[i], i);
    assert_true(memory.calls < 40);
    toc_array_free(&memory.allocator, &array);
    assert_int_equal(memory.alive, 0);
}

// Blocks larger than the arena's own, and going back over several blocks.
static void arena_returns_to_its_mark(void **state) {
    (void)state;
    test_allocator memory;
    test_allocator_make(&memory, 0);
    toc_arena arena = toc_arena_make(&memory.allocator);
    char *kept = toc_arena_new(&arena, 10, 1);
    memset(kept, 7, 10);
    const toc_arena_mark mark = toc_arena_here(&arena);
    for (size_t i = 0; i < 100; i++) {
        char *block = toc_arena_new(&arena, 1, 5000 * (i + 1));
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 1, 5000 * (i + 1));
    }
    toc_arena_back(&arena, mark);
    char *next = toc_arena_new(&arena, 1, 64);
    assert_ptr_equal(next, kept + 64);
    for (int i = 0; i < 10; i++) assert_int_equal(kept[i], 7);
    toc_arena_free(&arena);
    assert_int_equal(memory.alive, 0);
}

// An arena without a block has a mark, too; its first block stays, and its data is not aligned by itself.
static void going_back_to_an_empty_arena_keeps_the_alignment(void **state) {
    (void)state;
    toc_arena arena = toc_arena_make(NULL);
    const toc_arena_mark mark = toc_arena_here(&arena);
    for (int i = 0; i < 3; i++) {
        const char *block = toc_arena_new(&arena, 10, 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        toc_arena_back(&arena, mark);
    }
    toc_arena_free(&arena);
}

// A loop that takes memory and goes back takes none from the allocator after its first round.
static void a_loop_keeps_its_block(void **state) {
    (void)state;
    test_allocator memory;
    test_allocator_make(&memory, 0);
    toc_arena arena = toc_arena_make(&memory.allocator);
    assert_non_null(toc_arena_new(&arena, 1, 100000)); // the block in front of the mark is full
    const toc_arena_mark mark = toc_arena_here(&arena);
    size_t calls = 0;
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 10; k++) assert_non_null(toc_arena_new_words(&arena, 20));
        toc_arena_back(&arena, mark);
        if (i == 0) calls = memory.calls;
    }
    assert_int_equal(memory.calls, calls);
    toc_arena_free(&arena);
    assert_int_equal(memory.alive, 0);
}

// Words have no gaps between them; other blocks behind them are aligned, and none overlaps another.
static void words_lie_between_aligned_blocks(void **state) {
    (void)state;
    toc_arena arena = toc_arena_make(NULL);
    uint64_t *last = NULL;
    for (size_t i = 0; i < 3000; i++) {
        const size_t count = 1 + i % 7;
        uint64_t *words = toc_arena_new_words(&arena, count);
        assert_non_null(words);
        assert_true(words != last);
        memset(words, 5, count * sizeof *words);
        if (i % 3 == 0) {
            char *block = toc_arena_new(&arena, 10, 1);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 64, 0);
            assert_true(block >= (char *)(words + count) || block + 64 <= (char *)words);
            memset(block, 6, 10);
            assert_int_equal(words[count - 1], UINT64_C(0x0505050505050505));
        }
        last = words;
    }
    assert_null(toc_arena_new_words(&arena, SIZE_MAX / 8 + 2));
    toc_arena_free(&arena);
}

// An array that has a block of its own leaves the size of the next block as it was.
static void large_arrays_do_not_grow_the_blocks(void **state) {
    (void)state;
    test_allocator memory;
    test_allocator_make(&memory, 0);
    toc_arena arena = toc_arena_make(&memory.allocator);
    for (size_t i = 0; i < 3; i++) assert_non_null(toc_arena_new(&arena, 1, 40000));
    assert_true(memory.alive < 3 * 40000 + 1000);
    toc_arena_free(&arena);
    assert_int_equal(memory.alive, 0);
}

static toc_status use_arena(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_arena arena = toc_arena_make(allocator);
    toc_status status = TOC_OK;
    for (int i = 0; i < 5 && status == TOC_OK; i++)
        if (!toc_arena_new(&arena, 100000, 8)) status = TOC_OUT_OF_MEMORY;
    toc_arena_free(&arena);
    return status;
}

static void arena_survives_any_failed_allocation(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(use_arena, NULL), 5);
}

static void messages_may_quote_the_one_before(void **state) {
    (void)state;
    toc_fail(TOC_BAD_INPUT, "line %d", 3);
    assert_int_equal(toc_fail_in(TOC_BAD_INPUT, "%s", "file"), TOC_BAD_INPUT);
    assert_string_equal(toc_message_get(), "file: line 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(arrays_grow_and_keep_what_they_hold),
        cmocka_unit_test(arena_returns_to_its_mark),
        cmocka_unit_test(going_back_to_an_empty_arena_keeps_the_alignment),
        cmocka_unit_test(a_loop_keeps_its_block),
        cmocka_unit_test(words_lie_between_aligned_blocks),
        cmocka_unit_test(large_arrays_do_not_grow_the_blocks),
        cmocka_unit_test(arena_survives_any_failed_allocation),
        cmocka_unit_test(messages_may_quote_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
