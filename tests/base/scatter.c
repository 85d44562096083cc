// SPDX-License-Identifier: Apache-2.0
// Lists of items by key: every item once for each of its keys, ascending, the same for any number of threads.
#include "base/scatter.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

// Item i has its keys from keys[3 * i] on, up to three of them.
typedef struct keyed_items {
    size_t keys, items;
    uint32_t (*of)[3];
    uint8_t *counts;
} keyed_items;

static size_t list_keys(const void *user, size_t first, size_t last, toc_keyed *out) {
    const keyed_items *k = user;
    size_t count = 0;
    for (size_t i = first; i < last; i++)
        for (uint32_t j = 0; j < k->counts[i]; j++) out[count++] = (toc_keyed){k->of[i][j], (uint32_t)i};
    return count;
}

static keyed_items make_items(test_random *random, size_t keys, size_t items) {
    keyed_items k = {keys, items, calloc(items + 1, sizeof *k.of), calloc(items + 1, 1)};
    for (size_t i = 0; i < items && keys > 0; i++) {
        k.counts[i] = (uint8_t)test_random_below(random, 4);
        for (uint32_t j = 0; j < k.counts[i]; j++) k.of[i][j] = test_random_below(random, (uint32_t)keys);
    }
    return k;
}

static void free_items(keyed_items *k) {
    free(k->of);
    free(k->counts);
}

static toc_status scatter_items(const toc_allocator *allocator, const keyed_items *k, int threads, uint32_t *first,
                                uint32_t *placed, size_t *total) {
    const toc_scatter how = {k->keys, k->items, list_keys, k, threads};
    toc_arena arena = toc_arena_make(allocator);
    toc_scattering s;
    toc_status status = toc_scatter_count(&how, &arena, &s);
    if (status == TOC_OK) {
        *total = s.total;
        status = toc_scatter_place(&s, &arena, first, placed);
    }
    toc_arena_free(&arena);
    return status;
}

// A plain counting sort.
static void assert_lists(const keyed_items *k, const uint32_t *first, const uint32_t *placed, size_t total) {
    uint32_t *next = calloc(k->keys + 1, sizeof *next);
    memcpy(next, first, k->keys * sizeof *next);
    size_t entries = 0;
    for (size_t i = 0; i < k->items; i++)
        for (uint32_t j = 0; j < k->counts[i]; j++, entries++) assert_int_equal(placed[next[k->of[i][j]]++], i);
    for (size_t key = 0; key < k->keys; key++) assert_int_equal(next[key], first[key + 1]);
    assert_int_equal(total, entries);
    free(next);
}

// Keys that have a bucket each, buckets of several keys, many chunks of items, and nothing at all.
static void lists_are_complete_and_in_order(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const size_t keys[] = {0, 1, 7, 512, 513, 5000, 70000}, items[] = {0, 1, 5000, 60000};
    for (size_t n = 0; n < 7 * 4; n++) {
        keyed_items k = make_items(&random, keys[n / 4], items[n % 4]);
        for (int threads = 1; threads <= 5; threads += 2) {
            uint32_t *first = malloc((k.keys + 1) * sizeof *first),
                     *placed = malloc((3 * k.items + 1) * sizeof *placed);
            size_t total;
            assert_ok(scatter_items(NULL, &k, threads, first, placed, &total));
            assert_lists(&k, first, placed, total);
            free(first);
            free(placed);
        }
        free_items(&k);
    }
}

static toc_status scatter_with(const toc_allocator *allocator, void *user) {
    static uint32_t first[1001], placed[3 * 5000];
    size_t total;
    return scatter_items(allocator, user, 2, first, placed, &total);
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    keyed_items k = make_items(&random, 1000, 5000);
    assert_true(test_every_allocation(scatter_with, &k) > 0);
    free_items(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_complete_and_in_order),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
