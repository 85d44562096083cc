// SPDX-License-Identifier: Apache-2.0
// Sorting contacts: the same order as a comparison sort, for ids of any width.
#include "search/order.h"
#include "search/contacts.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { MOST = 9000, MANY = 150000 };

static toc_contact contacts[MOST];

static int by_all(const void *a, const void *b) { return toc_contact_compare(a, b); }

static void check(test_random *random, size_t count, uint32_t bodies, uint32_t vertices) {
    static toc_contact sorted[MOST], got[MOST];
    static const void *pointers[MOST];
    const toc_allocator allocator = toc_allocator_get_default();
    memset(contacts, 0, sizeof contacts);
    for (size_t i = 0; i < count; i++) {
        toc_contact *c = &contacts[i];
        c->kind = (toc_kind)test_random_below(random, 2);
        for (int j = 0; j < 2; j++) c->body[j] = (uint32_t)test_random_below(random, bodies);
        for (int j = 0; j < 4; j++) c->v[j] = (uint32_t)test_random_below(random, vertices);
        pointers[i] = c;
    }
    memcpy(sorted, contacts, sizeof contacts);
    qsort(sorted, count, sizeof *sorted, by_all);
    assert_ok(toc_items_sort(&allocator, 1 + (int)(count % 3), &toc_contact_type.order, count, pointers,
                             got)); // on some threads
    for (size_t i = 0; i < count; i++) assert_int_equal(toc_contact_compare(&got[i], &sorted[i]), 0);
    memcpy(got, contacts, sizeof contacts);
    for (int again = 0; again < 2; again++) { // then of items in order
        toc_items_sort_in_place(&toc_contact_type.order, count, got);
        for (size_t i = 0; i < count; i++) assert_int_equal(toc_contact_compare(&got[i], &sorted[i]), 0);
    }
}

// Rows on which a quicksort by three items goes deep: a heap takes over. One large id puts all others into one bucket.
static void rows_that_defeat_quicksort(void **state) {
    (void)state;
    enum { COUNT = 4096 };
    static toc_contact items[COUNT], got[COUNT];
    static const void *pointers[COUNT];
    const toc_allocator allocator = toc_allocator_get_default();
    for (int shape = 0; shape < 4; shape++) {
        memset(items, 0, sizeof items);
        for (uint32_t i = 0; i < COUNT; i++) // falling, organ pipes, teeth, and halves shuffled into each other
            items[i].v[0] = shape == 0   ? COUNT - i
                            : shape == 1 ? (i < COUNT / 2 ? i : COUNT - i)
                            : shape == 2 ? i % 7
                            : i % 2      ? COUNT / 2 + i / 2
                                         : i / 2;
        items[COUNT / 3].v[0] = UINT32_MAX;
        for (uint32_t i = 0; i < COUNT; i++) pointers[i] = &items[i];
        assert_ok(toc_items_sort(&allocator, 1, &toc_contact_type.order, COUNT, pointers, got));
        for (uint32_t i = 1; i < COUNT; i++) assert_true(got[i - 1].v[0] <= got[i].v[0]);
        toc_items_sort_in_place(&toc_contact_type.order, COUNT, items);
        for (uint32_t i = 1; i < COUNT; i++) assert_true(items[i - 1].v[0] <= items[i].v[0]);
    }
}

static void order_matches_a_comparison_sort(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const uint32_t most[] = {1, 2, 9, 5000, 1u << 20, UINT32_MAX};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            check(&random, test_random_below(&random, MOST), most[i], most[j]);
            check(&random, (size_t)(i * j) % 3, most[i], most[j]);
        }
}

// More items than a chunk has: several chunks share the buckets.
static void order_of_many_chunks(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator allocator = toc_allocator_get_default();
    toc_contact *items = calloc(2 * MANY, sizeof *items), *got = items + MANY;
    const void **pointers = calloc(MANY, sizeof *pointers);
    assert_non_null(items);
    assert_non_null(pointers);
    for (size_t i = 0; i < MANY; i++) {
        for (int j = 0; j < 4; j++) items[i].v[j] = (uint32_t)test_random_below(&random, 1000);
        pointers[i] = &items[i];
    }
    for (int threads = 1; threads <= 3; threads++) {
        assert_ok(toc_items_sort(&allocator, threads, &toc_contact_type.order, MANY, pointers, got));
        for (size_t i = 1; i < MANY; i++) assert_true(toc_contact_compare(&got[i - 1], &got[i]) <= 0);
    }
    free(pointers);
    free(items);
}

static toc_status sort(const toc_allocator *allocator, void *user) {
    (void)user;
    const void *pointers[2] = {&contacts[0], &contacts[1]};
    toc_contact sorted[2];
    return toc_items_sort(allocator, 1, &toc_contact_type.order, 2, pointers, sorted);
}

static void order_survives_failed_allocations(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(sort, NULL), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_matches_a_comparison_sort),
        cmocka_unit_test(rows_that_defeat_quicksort),
        cmocka_unit_test(order_of_many_chunks),
        cmocka_unit_test(order_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
