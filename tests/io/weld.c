// SPDX-License-Identifier: Apache-2.0
// Vertices that are one, against asking every pair.
#include "io/core/weld.h"

#include "support/test.h"

enum { COUNT = 500, ROUNDS = 3, VALUES = 4 };

static bool same_place(const double *x, size_t a, size_t b) {
    for (int k = 0; k < 3; k++)
        if (x[3 * a + (size_t)k] != x[3 * b + (size_t)k]) return false;
    return true;
}

static void the_same_as_every_pair_says(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_allocator memory = toc_allocator_get_default();
    static double x[ROUNDS][3 * COUNT];
    toc_weld weld;
    assert_ok(toc_weld_begin(&memory, COUNT, &weld));
    for (int round = 0; round < ROUNDS; round++) {
        // Few places, so that many vertices share one; -0 is the place of 0.
        for (int i = 0; i < 3 * COUNT; i++) x[round][i] = -0.5 * test_random_below(&random, VALUES);
        toc_weld_refine(&weld, x[round]);
        for (size_t i = 0; i < COUNT; i++) {
            size_t first = 0;
            for (bool same = false; !same; first += !same) {
                same = true;
                for (int k = 0; k <= round; k++) same = same && same_place(x[k], first, i);
            }
            assert_int_equal(weld.same[i], first);
        }
    }
    toc_weld_free(&weld);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_as_every_pair_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
