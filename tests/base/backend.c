// SPDX-License-Identifier: Apache-2.0
// The table of kernels: each row is whole, and TOC_SIMD chooses among the rows of the machine.
#include "base/backend.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

// A column that a row leaves out would be called as a null pointer by the first query on such a machine.
static void every_row_has_every_kernel(void **state) {
    (void)state;
    for (int lanes = 1; lanes <= 8; lanes++) {
        const toc_backend *row = toc_backend_of(lanes);
        if (!row) continue;
        const void *kernel;
        assert_int_equal(row->lanes, lanes);
        for (size_t at = offsetof(toc_backend, dop); at < sizeof *row; at += sizeof kernel) {
            memcpy(&kernel, (const char *)row + at, sizeof kernel);
            assert_non_null(kernel);
        }
    }
    assert_ptr_equal(toc_backend_of(1), &toc_backend1);
    assert_null(toc_backend_of(2));
    assert_null(toc_backend_of(16));
    assert_ptr_equal(toc_backend_of(toc_backend_here()->lanes), toc_backend_here());
}

// The environment is read once: later changes must not mix rows.
static void the_choice_stays(void **state) {
    (void)state;
    const toc_backend *row = toc_backend_here();
    setenv("TOC_SIMD", row->lanes == 1 ? "avx512" : "scalar", 1);
    assert_ptr_equal(toc_backend_here(), row);
    unsetenv("TOC_SIMD");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_every_kernel),
        cmocka_unit_test(the_choice_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
