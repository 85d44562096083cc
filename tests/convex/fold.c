// SPDX-License-Identifier: Apache-2.0
// Tets that share a corner, against an oracle of rational numbers.
#include "convex/fold.h"

#include "support/fold.h"
#include "support/test.h"

#if TOC_HAVE_GMP
// ---- random tets

typedef const double *const corners[4];

static bool is_folded(corners a, corners b) {
    bool folded;
    toc_arena scratch = toc_arena_make(NULL);
    assert_ok(toc_tets_are_folded(a, b, &scratch, &folded));
    toc_arena_free(&scratch);
    return folded;
}

// Corners on a small grid, so that planes, lines and points often coincide; or anywhere.
static void random_corner(test_random *random, uint32_t grid, double x[3]) {
    for (int k = 0; k < 3; k++)
        x[k] = grid ? (double)test_random_below(random, grid) : test_random_between(random, -1, 1);
}

static void check_random_tets(uint32_t grid, int shared, double scale, int count) {
    test_random random = test_random_make(grid + (uint32_t)shared);
    int folded = 0;
    for (int n = 0; n < count; n++) {
        double a[4][3], b[4][3];
        for (int i = 0; i < 4; i++) {
            random_corner(&random, grid, a[i]);
            random_corner(&random, grid, b[i]);
            for (int k = 0; k < 3; k++) {
                a[i][k] *= scale;
                b[i][k] = i < shared ? a[i][k] : b[i][k] * scale;
            }
        }
        corners p = {a[0], a[1], a[2], a[3]}, q = {b[0], b[1], b[2], b[3]};
        const bool truth = test_tets_are_folded(p, q);
        assert_int_equal(is_folded(p, q), truth);
        assert_int_equal(is_folded(q, p), truth);
        folded += truth;
    }
    assert_true(folded > count / 20 && folded < count);
}

static void folds_are_the_true_ones(void **state) {
    (void)state;
    const int count = TEST_BRIEF ? 100 : 600;
    for (int shared = 1; shared <= 3; shared++) {
        check_random_tets(3, shared, 1, count);
        check_random_tets(5, shared, 0x1p-700, count);
        check_random_tets(0, shared, 1, count);
    }
}
#endif

static toc_status fold_once(const double *x, bool *folded) {
    toc_arena scratch = toc_arena_make(NULL);
    const toc_status status = toc_tets_are_folded((const double *const[]){x, x + 3, x + 6, x + 9},
                                                  (const double *const[]){x, x + 12, x + 15, x + 18}, &scratch, folded);
    toc_arena_free(&scratch);
    return status;
}

// Two tets on either side of a common face, then the second turned over onto the first.
static void a_neighbour_turned_over_is_folded(void **state) {
    (void)state;
    double x[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0.25, 0.25, -1};
    bool folded;
    assert_ok(fold_once(x, &folded));
    assert_false(folded);
    x[20] = 1e-300;
    assert_ok(fold_once(x, &folded));
    assert_true(folded);
    x[20] = 0; // flat: no interior
    assert_ok(fold_once(x, &folded));
    assert_false(folded);
}

// The same tet twice, and tets that touch along an edge, a face or nothing but the corner.
static void tets_that_only_touch_are_not_folded(void **state) {
    (void)state;
    const double twice[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double opposite[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    const double beside[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0, 0, 3, 0, 0, 0, -1};
    bool folded;
    assert_ok(fold_once(twice, &folded));
    assert_true(folded);
    assert_ok(fold_once(opposite, &folded));
    assert_false(folded);
    assert_ok(fold_once(beside, &folded));
    assert_false(folded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#if TOC_HAVE_GMP
        cmocka_unit_test(folds_are_the_true_ones),
#endif
        cmocka_unit_test(a_neighbour_turned_over_is_folded),
        cmocka_unit_test(tets_that_only_touch_are_not_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
