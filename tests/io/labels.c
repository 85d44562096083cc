// SPDX-License-Identifier: Apache-2.0
// Numbers of nodes: in turn, with gaps, far apart, twice.
#include "io/core/labels.h"

#include "support/test.h"

static toc_labels labels_of(size_t count, const int64_t *values) {
    const toc_allocator memory = toc_allocator_get_default();
    toc_labels labels = toc_labels_begin(&memory);
    for (size_t i = 0; i < count; i++) assert_ok(toc_labels_add(&labels, values[i]));
    return labels;
}

static void assert_found(size_t count, const int64_t *values, int64_t missing) {
    toc_labels labels = labels_of(count, values);
    assert_ok(toc_labels_finish(&labels));
    for (size_t i = 0; i < count; i++) assert_int_equal(toc_labels_find(&labels, values[i]), i);
    assert_int_equal(toc_labels_find(&labels, missing), TOC_LABEL_MISSING);
    assert_int_equal(toc_labels_find(&labels, INT64_MAX - 1), TOC_LABEL_MISSING);
    toc_labels_free(&labels);
}

static void any_spread_is_found(void **state) {
    (void)state;
    assert_found(0, NULL, 0);
    assert_found(3, (const int64_t[]){1, 2, 3}, 0);
    assert_found(3, (const int64_t[]){-1, 0, 1}, 2);
    assert_found(4, (const int64_t[]){5, 6, 4, 8}, 7);
    assert_found(4, (const int64_t[]){5, 6, 4, 8}, 3);
    assert_found(4, (const int64_t[]){1, 1000000000000, -7, 3}, 2);
    assert_found(3, (const int64_t[]){INT64_MAX, INT64_MIN, 0}, 1);
}

static void labels_in_turn_take_no_memory(void **state) {
    (void)state;
    toc_labels labels = labels_of(3, (const int64_t[]){10, 11, 12});
    assert_ok(toc_labels_finish(&labels));
    assert_null(labels.slots);
    assert_null(labels.labels.at);
    toc_labels_free(&labels);
}

static void many_at_random(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static int64_t values[COUNT];
    test_random random = test_random_make(0);
    for (size_t i = 0; i < COUNT; i++) values[i] = (int64_t)(test_random_bits(&random) >> 8 << 12 | i);
    assert_found(COUNT, values, -1);
    for (size_t i = 0; i < COUNT; i++) values[i] = 3 * (int64_t)(i * 1009 % COUNT);
    assert_found(COUNT, values, 1);
}

static void a_label_given_twice_is_named(void **state) {
    (void)state;
    toc_labels close = labels_of(4, (const int64_t[]){1, 2, 4, 2});
    assert_fails(toc_labels_finish(&close), TOC_BAD_INPUT, "node 2 is there twice");
    toc_labels_free(&close);
    toc_labels far = labels_of(4, (const int64_t[]){1, 1 << 30, 4, 1 << 30});
    assert_fails(toc_labels_finish(&far), TOC_BAD_INPUT, "node 1073741824 is there twice");
    toc_labels_free(&far);
}

static toc_status make(const toc_allocator *allocator, void *user) {
    const int64_t *values = user;
    toc_labels labels = toc_labels_begin(allocator);
    toc_status status = TOC_OK;
    for (size_t i = 0; i < 20 && status == TOC_OK; i++) status = toc_labels_add(&labels, values[i % 2] * (int64_t)i);
    if (status == TOC_OK) status = toc_labels_finish(&labels);
    toc_labels_free(&labels);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(make, (int64_t[]){3, 1}), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_spread_is_found), cmocka_unit_test(labels_in_turn_take_no_memory),
        cmocka_unit_test(many_at_random),      cmocka_unit_test(a_label_given_twice_is_named),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
