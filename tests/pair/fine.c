// SPDX-License-Identifier: Apache-2.0
// Brackets of roots in double-double precision: they are refused for a guess beside the root. The source is included,
// because its own guesses are right.
#include "pair/predicate_fine.c"
#include "support/test.h"

// The cubic t - root, three times as large, to all digits.
static void guesses_beside_the_root(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int known = 0, unknown = 0;
    for (int i = 0; i < 4000; i++) {
        const double root = (1 + test_random_below(&random, 1022)) * 0x1p-10;
        const double off = ldexp(test_random_between(&random, -1, 1), -60 - (int)test_random_below(&random, 40));
        fine_question q = {.kind = TOC_VF, .error = 0x1p-95};
        fine_bracket out;
        for (int k = 0; k < 4; k++) q.cubic[k] = toc_dd_of(k - 3 * root);
        const toc_dd guess = toc_dd_add(toc_dd_of(root), toc_dd_of(off));
        const bool found = fine_enclose(&q, guess, 0, 1, &out);
        known += found;
        unknown += !found;
        if (found) assert_true(fine_less(out.low, toc_dd_of(root)) && fine_less(toc_dd_of(root), out.high));
    }
    assert_true(known > 400 && unknown > 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(guesses_beside_the_root)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
