// SPDX-License-Identifier: Apache-2.0
// Lists of any type of items: their fields follow the items, their memory grows or is refused, repeated items go.
#include "base/result.h"

#include <string.h>

#include "support/test.h"

typedef struct thing {
    double weight;
    uint32_t id[2];
} thing;

// As public lists are: the count and the items are anywhere.
typedef struct things {
    char first;
    size_t count;
    double seconds;
    const thing *at;
    int level;
} things;

static void thing_ids(const void *item, uint32_t ids[TOC_ORDER_IDS]) {
    memcpy(ids, ((const thing *)item)->id, sizeof((const thing *)item)->id);
}

static void begin_things(void *list) { ((things *)list)->level = 7; }

static const toc_answer_type type = {.order = {sizeof(thing), 2, thing_ids},
                                     TOC_ANSWER_LIST(things, at),
                                     .seconds_at = offsetof(things, seconds),
                                     .begin = begin_things};
static toc_status refuse_heavy_things(const void *item) {
    return ((const thing *)item)->weight > 9 ? toc_message_set(TOC_BAD_INPUT, "too heavy") : TOC_OK;
}

static const toc_answer_type timeless = {
    .order = {sizeof(thing), 2, thing_ids}, TOC_ANSWER_LIST(things, at), .check = refuse_heavy_things};

static void a_new_list_is_empty(void **state) {
    (void)state;
    const toc_allocator allocator = toc_allocator_get_default();
    things *list = toc_result_new(&type, &allocator);
    assert_non_null(list);
    assert_int_equal((uintptr_t)list % _Alignof(max_align_t), 0);
    assert_int_equal(list->count, 0);
    assert_int_equal(list->level, 7);
    assert_ptr_equal(toc_result_type(list), &type);
    toc_result_set_seconds(list, 0.5);
    assert_true(list->seconds == 0.5);
    toc_result_free(list);
    toc_result_free(NULL);
    list = toc_result_new(&timeless, &allocator);
    assert_non_null(list);
    toc_result_set_seconds(list, 0.5);
    assert_true(list->first == 0 && list->seconds == 0);
    toc_result_free(list);
}

static void items_are_seen_as_they_are_added(void **state) {
    (void)state;
    const toc_allocator allocator = toc_allocator_get_default();
    things *list = toc_result_new(&type, &allocator);
    assert_non_null(list);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_ok(toc_result_add(list, &(thing){i, {i / 3, 0}}));
        assert_int_equal(list->count, i + 1);
        assert_true(list->at[i].weight == i);
    }
    toc_result_keep_distinct(list);
    assert_int_equal(list->count, 334);
    for (uint32_t i = 0; i < 334; i++) assert_true(list->at[i].weight == 3 * i); // the first of each three
    // The memory of more items is used again.
    const thing *before = list->at;
    toc_result_items(list)->count = 0;
    assert_int_equal(toc_result_show(list), 0);
    assert_ok(toc_result_reserve(list, 1000));
    assert_ptr_equal(list->at, before);
    toc_result_free(list);
}

static void a_copy_keeps_the_order(void **state) {
    (void)state;
    const toc_allocator allocator = toc_allocator_get_default();
    const thing items[3] = {{3, {3, 0}}, {1, {1, 0}}, {2, {2, 0}}};
    for (size_t count = 0; count <= 3; count++) {
        void *made = NULL;
        assert_ok(toc_result_copy(&type, &allocator, count, count ? items : NULL, &made));
        const things *list = made;
        assert_int_equal(list->count, count);
        if (count) assert_memory_equal(list->at, items, count * sizeof *items);
        toc_result_free(made);
    }
}

// A number of items whose bytes no size_t holds.
static void more_items_than_memory_are_refused(void **state) {
    (void)state;
    const toc_allocator allocator = toc_allocator_get_default();
    const thing one = {0};
    void *made = NULL;
    assert_int_equal(toc_result_copy(&type, &allocator, SIZE_MAX / sizeof one + 2, &one, &made), TOC_OUT_OF_MEMORY);
    assert_null(made);
}

static void items_that_the_type_refuses(void **state) {
    (void)state;
    const toc_allocator allocator = toc_allocator_get_default();
    const thing items[2] = {{9, {0}}, {10, {0}}};
    void *made = NULL;
    assert_fails(toc_result_copy(&timeless, &allocator, 2, items, &made), TOC_BAD_INPUT, "too heavy");
    assert_null(made);
    assert_ok(toc_result_copy(&timeless, &allocator, 1, items, &made));
    toc_result_free(made);
}

// A list that cannot grow stays as it was.
static toc_status grow(const toc_allocator *allocator, void *user) {
    (void)user;
    things *list = toc_result_new(&type, allocator);
    if (!list) return TOC_OUT_OF_MEMORY;
    toc_status status = TOC_OK;
    for (uint32_t i = 0; i < 100 && status == TOC_OK; i++) {
        const size_t before = list->count;
        status = toc_result_add(list, &(thing){i, {i, i}});
        assert_int_equal(list->count, before + (status == TOC_OK));
        for (size_t k = 0; k < list->count; k++) assert_true(list->at[k].weight == (double)k);
    }
    if (status == TOC_OK) status = toc_result_reserve(list, 100000); // too much to stay where it was
    assert_ptr_equal(list->at, toc_result_items(list)->at);
    assert_true(list->count == 0 || list->at[list->count - 1].weight == (double)(list->count - 1));
    toc_result_free(list);
    return status;
}

static toc_status copy(const toc_allocator *allocator, void *user) {
    void *made = user;
    const thing items[3] = {{1, {1, 1}}, {2, {2, 2}}, {3, {3, 3}}};
    const toc_status status = toc_result_copy(&type, allocator, 3, items, &made);
    assert_true((made == user) == (status != TOC_OK));
    if (status == TOC_OK) toc_result_free(made);
    return status;
}

static void growth_survives_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(grow, NULL) > 4);
    assert_int_equal(test_every_allocation(copy, NULL), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_list_is_empty),         cmocka_unit_test(items_are_seen_as_they_are_added),
        cmocka_unit_test(a_copy_keeps_the_order),      cmocka_unit_test(more_items_than_memory_are_refused),
        cmocka_unit_test(items_that_the_type_refuses), cmocka_unit_test(growth_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
