// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers out of a text: as few bytes as hold them, and never a number lost.
#include "io/core/numbers.h"

#include <string.h>

#include "support/sources.h"
#include "support/test.h"

static const char text[] = "1 255 0\n256 -1 7 2147483647\n2147483648 -9223372036854775807 3\n";
static const int64_t values[] = {1, 255, 0, 256, -1, 7, 2147483647, 2147483648, -9223372036854775807, 3};

static toc_status scan(const toc_allocator *allocator, size_t count, toc_numbers *out) {
    toc_source source;
    const toc_status copied = test_source_copy("a.txt", text, strlen(text), allocator, &source);
    if (copied != TOC_OK) return copied;
    const toc_status status = toc_numbers_scan(&source, TOC_INT64, count, out);
    toc_source_close(&source);
    return status;
}

static void integers_take_what_they_need(void **state) {
    (void)state;
    static const toc_number types[] = {TOC_UINT8, TOC_UINT8, TOC_UINT8, TOC_UINT8, TOC_INT32, TOC_INT32,
                                       TOC_INT32, TOC_INT32, TOC_INT64, TOC_INT64, TOC_INT64};
    const toc_allocator memory = toc_allocator_get_default();
    for (size_t count = 0; count <= 10; count++) {
        toc_numbers numbers;
        int64_t got[10];
        assert_ok(scan(&memory, count, &numbers));
        assert_int_equal(numbers.type, types[count]);
        toc_numbers_as_integers(&numbers, 0, count, got);
        if (count > 0) assert_memory_equal(got, values, count * sizeof *got);
        toc_numbers_free(&memory, &numbers);
    }
}

static toc_status scan_and_free(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_numbers numbers = {0};
    const toc_status status = scan(allocator, 10, &numbers);
    toc_numbers_free(allocator, &numbers);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_int_equal(test_every_allocation(scan_and_free, NULL), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_take_what_they_need),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
