// SPDX-License-Identifier: Apache-2.0
// Moving convex elements against hand-made cases, samples of time, and the exact elementary test.
#include "convex/convex.h"

#include <math.h>
#include <string.h>

#include "pair/pair.h"
#include "support/hull.h"

static const double nowhere[3] = {0, 0, 0};

static toc_convex_hit find(const test_hull *a, const test_hull *b, const toc_pair_test *test) {
    const toc_hull first = test_hull_straight(a), second = test_hull_straight(b);
    toc_convex_hit hit = {.toc = -1};
    assert_ok(toc_convex_find(&first, &second, test, &hit));
    return hit;
}

static toc_pair_test without_exact(void) {
    toc_pair_test test = toc_pair_test_default();
    test.exact = false;
    return test;
}

// ---- the truth, from elementary questions alone

typedef struct truth {
    bool contact;
    double toc;
} truth;

static void ask(toc_kind kind, const double x0[4][3], const double x1[4][3], toc_arena *scratch, truth *out) {
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    assert_ok(toc_integer_pair(kind, x0, x1, &test, scratch, &hit));
    if (hit.verdict == TOC_APART) return;
    if (!out->contact || hit.toc < out->toc) out->toc = hit.toc;
    out->contact = true;
}

static void gather(const double (*x)[3], const double (*y)[3], const int *i, int count_x, const int *j,
                   double out[4][3]) {
    for (int k = 0; k < 4; k++) memcpy(out[k], k < count_x ? x[i[k]] : y[j[k - count_x]], sizeof out[k]);
}

static void ask_features(toc_kind kind, const test_hull *a, const test_hull *b, const int *i, const int *j,
                         toc_arena *scratch, truth *out) {
    double x0[4][3], x1[4][3];
    const int n = kind == TOC_VF ? 1 : 2;
    gather((const double(*)[3])a->x0, (const double(*)[3])b->x0, i, n, j, x0);
    gather((const double(*)[3])a->x1, (const double(*)[3])b->x1, i, n, j, x1);
    ask(kind, (const double(*)[3])x0, (const double(*)[3])x1, scratch, out);
}

static void ask_vertices(const test_hull *a, const test_hull *b, toc_arena *scratch, truth *out) {
    for (int v = 0; v < a->count; v++)
        for (int i = 0; i < b->count; i++)
            for (int j = i + 1; j < b->count; j++)
                for (int k = j + 1; k < b->count; k++) ask_features(TOC_VF, a, b, &v, (int[]){i, j, k}, scratch, out);
}

static void ask_edges(const test_hull *a, const test_hull *b, toc_arena *scratch, truth *out) {
    for (int i = 0; i < a->count; i++)
        for (int j = i + 1; j < a->count; j++)
            for (int k = 0; k < b->count; k++)
                for (int l = k + 1; l < b->count; l++)
                    ask_features(TOC_EE, a, b, (int[]){i, j}, (int[]){k, l}, scratch, out);
}

/// Whether a point that walks from one place to another meets a face between corners of a hull at its start.
static bool walk_meets(const double from[3], const double to[3], const test_hull *b, toc_arena *scratch) {
    truth met = {0};
    for (int i = 0; i < b->count; i++)
        for (int j = i + 1; j < b->count; j++)
            for (int k = j + 1; k < b->count; k++) {
                const double *face[3] = {b->x0[i], b->x0[j], b->x0[k]};
                double x0[4][3], x1[4][3];
                memcpy(x0[0], from, sizeof x0[0]);
                memcpy(x1[0], to, sizeof x1[0]);
                for (int f = 0; f < 3; f++) {
                    memcpy(x0[1 + f], face[f], sizeof x0[0]);
                    memcpy(x1[1 + f], face[f], sizeof x1[0]);
                }
                ask(TOC_VF, (const double(*)[3])x0, (const double(*)[3])x1, scratch, &met);
            }
    return met.contact;
}

/// Whether an edge of one crosses a face of the other at the start, or a corner of one is within the other: walking
/// away from the other's middle, only a corner within meets its faces. Faces are taken between any corners.
static bool starts_within(const test_hull *a, const test_hull *b, toc_arena *scratch) {
    for (int i = 0; i < a->count; i++)
        for (int j = i + 1; j < a->count; j++)
            if (walk_meets(a->x0[i], a->x0[j], b, scratch)) return true;
    double away[3];
    for (int c = 0; c < 3; c++) {
        double middle = 0;
        for (int i = 0; i < b->count; i++) middle += b->x0[i][c];
        away[c] = a->x0[0][c] + 64 * (a->x0[0][c] - middle / b->count);
    }
    return walk_meets(a->x0[0], away, b, scratch);
}

static truth true_contact(const test_hull *a, const test_hull *b, toc_arena *scratch) {
    truth out = {0};
    if (starts_within(a, b, scratch) || starts_within(b, a, scratch)) return (truth){true, 0};
    ask_vertices(a, b, scratch, &out);
    ask_vertices(b, a, scratch, &out);
    ask_edges(a, b, scratch, &out);
    return out;
}

/// The certificate alone never misses nor is late; with exact arithmetic behind it, it is right.
static void check_against_truth(const test_hull *a, const test_hull *b, truth want) {
    const toc_pair_test rough = without_exact(), test = toc_pair_test_default();
    const toc_convex_hit guess = find(a, b, &rough), hit = find(a, b, &test);
    if (want.contact) {
        assert_int_not_equal(guess.verdict, TOC_APART);
        assert_true(guess.toc <= want.toc);
        assert_true(hit.toc <= want.toc);
    } else {
        assert_int_not_equal(guess.verdict, TOC_HIT);
    }
    assert_int_equal(hit.verdict, want.contact ? TOC_HIT : TOC_APART);
}

// A vertex against a face and two edges are hulls like any others.
static void elementary_pairs_as_hulls(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    int contacts = 0;
    for (int n = 0; n < 6000; n++) {
        const toc_kind kind = n % 2 ? TOC_VF : TOC_EE;
        test_hull a, b;
        test_hull_random(&random, (test_style)(n % TEST_STYLES), kind == TOC_VF ? 1 : 2, nowhere, &a);
        test_hull_random(&random, (test_style)(n % TEST_STYLES), kind == TOC_VF ? 3 : 2, nowhere, &b);
        truth want = {0};
        ask_features(kind, &a, &b, (int[]){0, 1}, (int[]){0, 1, 2}, &scratch, &want);
        check_against_truth(&a, &b, want);
        contacts += want.contact;
    }
    assert_in_range(contacts, 500, 5000);
    toc_arena_free(&scratch);
}

static void tets_against_all_their_features(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    int contacts = 0;
    for (int n = 0; n < 300; n++) {
        const double middle[3] = {2 * (n % 3 == 0), 1.5 * (n % 2), 0.5 * (n % 5)};
        test_hull a, b;
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 4, nowhere, &a);
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 4, middle, &b);
        const truth want = true_contact(&a, &b, &scratch);
        check_against_truth(&a, &b, want);
        contacts += want.contact;
    }
    assert_in_range(contacts, 50, 290);
    toc_arena_free(&scratch);
}

// Triangles, quads, pyramids, wedges and hexes of any corners.
static void mixed_shapes_against_all_their_features(void **state) {
    (void)state;
    static const int counts[] = {3, 4, 5, 6, 8};
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    for (int n = 0; n < 40; n++) {
        const double middle[3] = {2, 1.5 * (n % 2), 0.5 * (n % 5)};
        const test_style style = (test_style)(n % TEST_STYLES);
        test_hull a, b;
        test_hull_random(&random, style, counts[test_random_below(&random, 4)], nowhere, &a);
        test_hull_random(&random, style, counts[test_random_below(&random, 5)], middle, &b);
        check_against_truth(&a, &b, true_contact(&a, &b, &scratch));
    }
    toc_arena_free(&scratch);
}

// Every overlap at a sampled time was reported, and not late.
static void overlaps_at_samples_are_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int contacts = 0;
    for (int n = 0; n < 400; n++) {
        const double middle[3] = {1, 0.75, 0.25 * (n % 5)};
        test_hull a, b;
        test_hull_random(&random, TEST_UNIFORM, 8, nowhere, &a);
        test_hull_random(&random, TEST_UNIFORM, 4 + n % 5, middle, &b);
        const toc_pair_test test = without_exact();
        const toc_convex_hit hit = find(&a, &b, &test);
        for (int i = 0; i <= 16; i++) {
            const double t = i / 16.0;
            double at[2][TOC_HULL_CORNERS][3];
            const test_hull *both[2] = {&a, &b};
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < both[side]->count; k++)
                    for (int c = 0; c < 3; c++)
                        at[side][k][c] = (1 - t) * both[side]->x0[k][c] + t * both[side]->x1[k][c];
            toc_overlap overlap;
            assert_ok(toc_overlap_find(a.count, at[0][0], b.count, at[1][0], &overlap));
            if (overlap.depth < 1e-12) continue;
            assert_int_not_equal(hit.verdict, TOC_APART);
            assert_true(hit.toc <= t);
            contacts++;
        }
    }
    assert_in_range(contacts, 100, 400 * 17);
}

// ---- by hand

static void make_boxes(double gap, double way, test_hull *a, test_hull *b) {
    test_hull_box((double[]){0, 0, 0}, 1, nowhere, a);
    test_hull_box((double[]){1 + gap, 0.25, 0.25}, 1, (double[]){-way, 0, 0}, b);
}

static void box_meets_box_at_two_thirds(void **state) {
    (void)state;
    test_hull a, b;
    toc_pair_test test = toc_pair_test_default();
    make_boxes(2, 3, &a, &b);
    const toc_convex_hit hit = find(&a, &b, &test);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_true(hit.toc <= 2.0 / 3);
    assert_double_near(hit.toc, 2.0 / 3, 1e-12);
    assert_double_near(hit.normal[0], -1, 1e-9);
    assert_double_near(hit.point[0], 1, 1e-9);
    for (int c = 1; c < 3; c++) assert_true(hit.point[c] >= 0.25 - 1e-9 && hit.point[c] <= 1 + 1e-9);
}

// Weights are those of the corners at the time of contact, on both elements.
static void weights_give_the_point(void **state) {
    (void)state;
    test_hull a, b;
    toc_pair_test test = toc_pair_test_default();
    make_boxes(2, 3, &a, &b);
    const toc_convex_hit hit = find(&a, &b, &test);
    const test_hull *both[2] = {&a, &b};
    for (int side = 0; side < 2; side++)
        for (int c = 0; c < 3; c++) {
            double at = 0, sum = 0;
            for (int i = 0; i < 8; i++) {
                at += hit.weights[side][i] * ((1 - hit.toc) * both[side]->x0[i][c] + hit.toc * both[side]->x1[i][c]);
                sum += hit.weights[side][i];
            }
            assert_double_near(at, hit.point[c], 1e-9);
            assert_double_near(sum, 1, 1e-12);
        }
}

static void separation_comes_earlier(void **state) {
    (void)state;
    test_hull a, b;
    toc_pair_test test = toc_pair_test_default();
    test.separation = 0.5;
    make_boxes(2, 3, &a, &b);
    const toc_convex_hit hit = find(&a, &b, &test);
    assert_int_not_equal(hit.verdict, TOC_APART);
    assert_true(hit.toc <= 0.5);
    assert_double_near(hit.toc, 0.5, 1e-9);
    make_boxes(2, 1.25, &a, &b);
    assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
}

static void part_of_the_step(void **state) {
    (void)state;
    test_hull a, b;
    toc_pair_test test = toc_pair_test_default();
    make_boxes(2, 3, &a, &b);
    test.to = 0.6;
    assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
    test = toc_pair_test_default();
    test.from = 0.75;
    const toc_convex_hit hit = find(&a, &b, &test);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_same(hit.toc, 0.75);
    test.from = test.to = 0.5;
    assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
    test.from = test.to = 0.875;
    assert_int_equal(find(&a, &b, &test).verdict, TOC_HIT);
}

static void tolerance_takes_near_for_touching(void **state) {
    (void)state;
    test_hull a, b;
    toc_pair_test test = toc_pair_test_default();
    make_boxes(1 + 1e-7, 1, &a, &b);
    assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
    test.tolerance = 1e-6;
    make_boxes(1 + 1e-7, 1, &a, &b);
    b.x1[0][1] += 2; // no longer one axis for the whole step that shows it at once
    b.x1[7][1] -= 2;
    assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
    test_hull_box((double[]){0, 0, 0}, 1, nowhere, &a);
    test_hull_box((double[]){1 + 1e-7, 0, 0}, 1, (double[]){-1e-3, 0, 0}, &b);
    const toc_convex_hit hit = find(&a, &b, &test);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_same(hit.toc, 0);
}

// Touching at the very end counts; one bit less does not.
static void contact_exactly_at_the_end(void **state) {
    (void)state;
    test_hull a, b;
    const toc_pair_test test = toc_pair_test_default();
    make_boxes(1, 1, &a, &b);
    const toc_convex_hit hit = find(&a, &b, &test);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_true(hit.toc <= 1);
    assert_double_near(hit.toc, 1, 1e-9);
    make_boxes(1 + 0x1p-51, 1, &a, &b);
    assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
}

// A small element within a large one crosses no surface, yet it overlaps.
static void one_within_the_other_all_the_time(void **state) {
    (void)state;
    test_hull a, b;
    const toc_pair_test test = toc_pair_test_default();
    test_hull_box((double[]){0, 0, 0}, 8, nowhere, &a);
    test_hull_box((double[]){2, 2, 2}, 1, (double[]){1, 1, 0}, &b);
    const toc_convex_hit hit = find(&a, &b, &test);
    assert_int_equal(hit.verdict, TOC_HIT);
    assert_double_same(hit.toc, 0);
}

// Two rods that turn past each other: no single axis serves the whole step.
static void rods_turn_past_each_other(void **state) {
    (void)state;
    test_hull a = {.count = 2, .x0 = {{-1, 0, 0}, {1, 0, 0}}, .x1 = {{-1, 0, 0}, {1, 0, 0}}};
    test_hull b = {.count = 2, .x0 = {{-1, 0.5, 0}, {1, 0.25, 0}}, .x1 = {{-1, 0.25, 0}, {1, 0.5, 0}}};
    const toc_pair_test test = toc_pair_test_default();
    assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
    b.x1[0][1] = -0.25;
    assert_int_equal(find(&a, &b, &test).verdict, TOC_HIT);
    assert_double_near(find(&a, &b, &test).toc, 2.0 / 3, 1e-9);
}

// ---- input that breaks programs

static void all_corners_in_one_place(void **state) {
    (void)state;
    const toc_pair_test test = toc_pair_test_default(), rough = without_exact();
    for (int count = 1; count <= 8; count++) {
        test_hull a = {.count = count}, b = {.count = 9 - count};
        assert_int_equal(find(&a, &b, &test).verdict, TOC_HIT);
        assert_int_not_equal(find(&a, &b, &rough).verdict, TOC_APART);
        for (int i = 0; i < b.count; i++) b.x0[i][1] = b.x1[i][1] = 0x1p-1074;
        assert_int_equal(find(&a, &b, &test).verdict, TOC_APART);
        for (int i = 0; i < b.count; i++) b.x1[i][1] = -0x1p-1074;
        assert_int_equal(find(&a, &b, &test).verdict, TOC_HIT);
        assert_double_near(find(&a, &b, &test).toc, 0.5, 1e-12);
    }
}

// The answer does not depend on the unit of length, up to the range of doubles.
static void any_scale(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_pair_test test = toc_pair_test_default();
    static const double scales[] = {0x1p-1040, 0x1p-600, 0x1p-200, 0x1p200, 0x1p600, 0x1p1021};
    for (int n = 0; n < 60; n++) {
        const double middle[3] = {1, 1, 0.5 * (n % 5)};
        test_hull a, b;
        test_hull_random(&random, TEST_GRID, 3 + n % 6, nowhere, &a);
        test_hull_random(&random, TEST_GRID, 4, middle, &b);
        const toc_convex_hit want = find(&a, &b, &test);
        test_hull_change(&a, nowhere, scales[n % 6]);
        test_hull_change(&b, nowhere, scales[n % 6]);
        const toc_convex_hit got = find(&a, &b, &test);
        assert_int_equal(got.verdict, want.verdict);
        if (want.verdict == TOC_HIT) assert_double_near(got.toc, want.toc, 1e-9);
    }
}

// Far from the origin the coordinates have few bits left, and the answer is still right for them.
static void far_from_the_origin(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    for (int n = 0; n < 60; n++) {
        const double middle[3] = {1.5, 1, 0.5 * (n % 5)}, shift[3] = {1e6, -3e8, 1e12};
        test_hull a, b;
        test_hull_random(&random, TEST_UNIFORM, 4, nowhere, &a);
        test_hull_random(&random, TEST_UNIFORM, 4, middle, &b);
        test_hull_change(&a, shift, 1);
        test_hull_change(&b, shift, 1);
        check_against_truth(&a, &b, true_contact(&a, &b, &scratch));
    }
    toc_arena_free(&scratch);
}

static void exact_method_agrees(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_pair_test test = toc_pair_test_default(), exact = test;
    exact.method = TOC_METHOD_EXACT;
    for (int n = 0; n < 60; n++) {
        const double middle[3] = {1.5, 1, 0.5 * (n % 5)};
        test_hull a, b;
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 3, nowhere, &a);
        test_hull_random(&random, (test_style)(n % TEST_STYLES), 4, middle, &b);
        const toc_convex_hit got = find(&a, &b, &test), want = find(&a, &b, &exact);
        assert_int_equal(got.verdict, want.verdict);
        if (got.verdict == TOC_HIT) assert_double_near(got.toc, want.toc, 1e-7);
    }
}

static void refuses_what_makes_no_sense(void **state) {
    (void)state;
    test_hull a, b;
    make_boxes(2, 3, &a, &b);
    toc_hull first = test_hull_straight(&a), second = test_hull_straight(&b);
    toc_pair_test test = toc_pair_test_default();
    toc_convex_hit hit;
    test.method = TOC_METHOD_CUBIC;
    assert_int_equal(toc_convex_find(&first, &second, &test, &hit), TOC_BAD_INPUT);
    test = toc_pair_test_default();
    test.method = TOC_METHOD_EXACT;
    test.separation = 1;
    assert_fails(toc_convex_find(&first, &second, &test, &hit), TOC_BAD_INPUT, "separation");
    test = toc_pair_test_default();
    test.size = 0;
    assert_fails(toc_convex_find(&first, &second, &test, &hit), TOC_BAD_INPUT, "toc_pair_test_init");
    test = toc_pair_test_default();
    first.count = 9;
    assert_fails(toc_convex_find(&first, &second, &test, &hit), TOC_BAD_INPUT, "first hull");
    first.count = 8;
    second.count = 0;
    assert_fails(toc_convex_find(&first, &second, &test, &hit), TOC_BAD_INPUT, "second hull");
    second.count = 8;
    b.x1[3][1] = NAN;
    assert_fails(toc_convex_find(&first, &second, &test, &hit), TOC_BAD_INPUT, "y of corner 3 of the second");
}

static toc_status graze(const toc_allocator *allocator, void *user) {
    const test_hull *both = user;
    const toc_hull a = test_hull_straight(&both[0]), b = test_hull_straight(&both[1]);
    const toc_pair_test test = toc_pair_test_default();
    toc_arena scratch = toc_arena_make(allocator);
    toc_convex_hit hit = {.toc = -1};
    const toc_status status = toc_convex_find_unchecked(&a, &b, &test, &scratch, &hit);
    if (status != TOC_OK) assert_double_same(hit.toc, -1);
    toc_arena_free(&scratch);
    return status;
}

static void out_of_memory_in_the_exact_decision(void **state) {
    (void)state;
    test_hull both[2];
    make_boxes(1, 1, &both[0], &both[1]);
    assert_true(test_every_allocation(graze, both) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elementary_pairs_as_hulls),
        cmocka_unit_test(tets_against_all_their_features),
        cmocka_unit_test(mixed_shapes_against_all_their_features),
        cmocka_unit_test(overlaps_at_samples_are_told),
        cmocka_unit_test(box_meets_box_at_two_thirds),
        cmocka_unit_test(weights_give_the_point),
        cmocka_unit_test(separation_comes_earlier),
        cmocka_unit_test(part_of_the_step),
        cmocka_unit_test(tolerance_takes_near_for_touching),
        cmocka_unit_test(contact_exactly_at_the_end),
        cmocka_unit_test(one_within_the_other_all_the_time),
        cmocka_unit_test(rods_turn_past_each_other),
        cmocka_unit_test(all_corners_in_one_place),
        cmocka_unit_test(any_scale),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(exact_method_agrees),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(out_of_memory_in_the_exact_decision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
