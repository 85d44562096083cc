// SPDX-License-Identifier: Apache-2.0
// Bounds within the kernel of flat rings: areas within their error of 0 have no side. The source is included, with one
// lane and errors that are large enough to see.
#include "cull/surface/flat_rings.kernel.c"

#include <math.h>

#include "support/test.h"

static wide3 spoke_at(double angle, double length) {
    return (wide3){toc_wide_all(length * cos(angle)), toc_wide_all(length * sin(angle)), toc_wide_all(0)};
}

static const double DEGREE = 0.017453292519943295, LIMIT = 0.1;

// Spokes at the given angles; the first one is short. Seen from above.
static bool go_once(int size, const double *degrees) {
    spokes f;
    const wide3 up = {toc_wide_all(0), toc_wide_all(0), toc_wide_all(1)};
    for (int i = 0; i < size; i++) f.start[i] = f.end[i] = spoke_at(degrees[i] * DEGREE, i ? 1 : 0.2);
    return toc_mask_bits(turns_once(&f, size, up, toc_wide_all(LIMIT))) & 1;
}

// Two turns. A spoke just behind the first turn seems to be on the right of the short one, by less than the error, as
// does the next one: rounding hides that they turned left again.
static void spokes_on_the_line_of_the_first_one(void **state) {
    (void)state;
    assert_true(go_once(6, (const double[]){0, 60, 120, 200, 260, 320}));
    assert_false(go_once(8, (const double[]){0, 100, 200, 300, 359, 541, 600, 700}));
    assert_true(go_once(5, (const double[]){0, 70, 181, 220, 300})); // one alone is not known, and need not be
}

// The area between two spokes as a quadratic in time. If all coefficients are above the error, so is the area; one in
// the middle that is not leaves room for a fold: 1/4 (0.11 - 0.1) + 1/4 (0.11 - 0.1) + 1/4 (0.05 - 0.1) < 0.
static void areas_between_the_ends(void **state) {
    (void)state;
    const wide3 up = {toc_wide_all(0), toc_wide_all(0), toc_wide_all(1)};
    for (int side = -1; side <= 1; side++) {
        // two spokes with areas of 0.11 at the ends, and 0.1 + 0.05 side as the middle coefficient
        spokes f;
        const double turn = acos((LIMIT + 0.05 * side) / 2 / 0.11), a = sqrt(0.11);
        for (int i = 0; i < 2; i++) {
            f.start[i] = spoke_at(i * 90 * DEGREE, a);
            f.end[i] = spoke_at(i * 90 * DEGREE + turn, a);
        }
        const wide3 mixed = wide3_add(wide3_cross(f.start[0], f.end[1]), wide3_cross(f.end[0], f.start[1]));
        assert_double_near(wide3_dot(up, mixed)[0], LIMIT + 0.05 * side, 1e-12);
        for (int i = 2; i < 4; i++) f.start[i] = f.end[i] = spoke_at((i == 2 ? 230 : 300) * DEGREE, 10);
        assert_int_equal(toc_mask_bits(is_upright(&f, 4, up, toc_wide_all(LIMIT))) & 1, side > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spokes_on_the_line_of_the_first_one),
        cmocka_unit_test(areas_between_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
