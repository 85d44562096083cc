// SPDX-License-Identifier: Apache-2.0
// Brackets of roots: they are refused for a guess beside the root, whoever made it. Sources are included, because their
// own guesses are right.
#include "pair/tie.kernel.c"

#include "pair/predicate.c"
#include "support/test.h"

// Coefficients of (t - root) steep, of which all digits are right.
static question linear_question(double root, double steep, double error) {
    question q = {.kind = TOC_VF, .error = error};
    for (int i = 0; i < 4; i++) q.cubic[i] = steep * (i / 3.0 - root);
    return q;
}

static wide_question wide_question_as(const question *q) {
    wide_question wide = {.cubic_error = toc_wide_all(q->error)};
    for (int i = 0; i < 4; i++) wide.cubic[i] = toc_wide_all(q->cubic[i]);
    return wide;
}

// A bracket around the guess, or none; the lanes have the same. The root is inside of each bracket.
static bool encloses(double root, double steep, double error, double guess) {
    const question q = linear_question(root, steep, error);
    const wide_question wide = wide_question_as(&q);
    bracket out;
    const bool known = enclose_root(&q, guess, 0, 1, &out);
    const wide_bracket lanes = wide_enclose_root(&wide, toc_wide_all(guess));
    assert_int_equal(toc_mask_bits(lanes.known) & 1, known);
    if (!known) return false;
    assert_double_same(lanes.low[0], out.low);
    assert_double_same(lanes.high[0], out.high);
    assert_true(out.low < root && root < out.high);
    assert_true(out.high - out.low <= 0x1p-32 * out.low);
    return true;
}

// The values at both ends of a bracket far from the root are certain, and have one sign.
static void guesses_beside_the_root(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int known = 0, unknown = 0;
    for (int i = 0; i < 4000; i++) {
        const double root = test_random_between(&random, 0.01, 0.99), error = 0x1p-44;
        const double off = ldexp(test_random_between(&random, -1, 1), -30 - (int)test_random_below(&random, 20));
        const bool found = encloses(root, 1, error, root + off);
        known += found;
        unknown += !found;
    }
    assert_true(known > 400 && unknown > 400);
}

// Where the slope is small, a bracket with certain signs is too wide to be a time.
static void brackets_as_wide_as_a_time_is_not(void **state) {
    (void)state;
    assert_true(encloses(0.3, 1, 0x1p-44, 0.3));
    assert_false(encloses(0.3, 0x1p-10, 0x1p-44, 0.3));
    assert_false(encloses(0x1p-15, 1, 0x1p-44, 0x1p-15));
}

// ---- the lanes of ties

// A normal within its error of 0 has no side, and no other component tells the sign of the share.
static void normals_without_a_side(void **state) {
    (void)state;
    const wide_tie none = {toc_wide_all(0), toc_wide_all(0)}, one = {toc_wide_all(1), toc_wide_all(0)};
    for (int i = 0; i < 3; i++) {
        const double error = i == 0 ? 0 : 0.5, size = i == 2 ? 0.25 : 1;
        for (int side = -1; side <= 1; side += 2) {
            tie_areas areas = {.normal = {none, none, {toc_wide_all(side * size), toc_wide_all(error)}}};
            areas.of[0][0] = (wide_tie3){{one, none, none}};
            areas.of[0][1] = (wide_tie3){{none, one, none}}; // their area is 1 along the third axis
            toc_mask above;
            assert_int_equal(toc_mask_bits(share_is_zero(&areas, 0, &above)) & 1, 0);
            assert_int_equal(toc_mask_bits(above) & 1, i < 2 && side > 0);
        }
    }
}

// The kernel of ties, asked for a vertex that passes exactly over an edge at a time between two doubles or on one.
static bool lanes_decide(double start, double end) {
    const double x0[4][3] = {{0.25, 0, start}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const double x1[4][3] = {{0.25, 0, end}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t vertices[1][4] = {{0, 1, 2, 3}}, at[1] = {0};
    uint32_t left[1];
    toc_hit hit, *hits[1] = {&hit};
    const toc_place_work work = {
        .pairs = {.kind = TOC_VF, .count = 1, .vertices = vertices, .body0 = {*x0, *x0}, .body1 = {*x1, *x1}},
        .count = 1,
        .at = at,
        .hits = hits};
    if (toc_tie_kernel1(&work, left) == 1) return false;
    toc_hit single;
    assert_int_equal(toc_predicate_pair(TOC_VF, x0, x1, &single), TOC_HIT);
    assert_double_same(hit.toc, single.toc);
    return true;
}

// A time that may be a double is left to the integers, which round it down exactly; so is one in the last 2^-29 of the
// step, after which the certified kernel has little room.
static void times_that_lanes_leave(void **state) {
    (void)state;
    assert_true(lanes_decide(1, -1.9));
    assert_false(lanes_decide(1, -1));
    assert_true(lanes_decide(3, -0x1.8p-26));
    assert_false(lanes_decide(3, -0x1.8p-30));
}

// A root behind the step is none of the step.
static void roots_behind_the_step(void **state) {
    (void)state;
    double out;
    assert_true(toc_root_round_down(0.75, (toc_dd){-0x1.00001p-40, 0}, 0, 1, 0, &out));
    assert_true(0.75 < out && out < 1);
    assert_false(toc_root_round_down(1 - 0x1p-50, (toc_dd){-0x1.00001p-48, 0}, 0, 1, 0, &out));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_beside_the_root), cmocka_unit_test(brackets_as_wide_as_a_time_is_not),
        cmocka_unit_test(normals_without_a_side),  cmocka_unit_test(times_that_lanes_leave),
        cmocka_unit_test(roots_behind_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
