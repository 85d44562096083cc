// SPDX-License-Identifier: Apache-2.0
// Ties of grids, aligned with the axes or not: a vertex that passes exactly over an edge, or beside it by the last
// bits, and edges that move in one plane. Floating point decides nearly all of them, as the integers do, with the same
// times bit for bit.
#include <math.h>
#include <string.h>

#include "base/backend.h"
#include "pair/certified.h"
#include "pair/exact.h"
#include "pair/pair.h"
#include "pair/place.h"
#include "pair/predicate.h"
#include "support/test.h"

typedef struct tie_counts {
    int hits, ties, apart, undecided;
} tie_counts;

// The first feature falls through the second along z.
static toc_pair falling_pair(test_random *random, toc_kind kind) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_pair pair;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const double size = kind == TOC_VF && i == 0 ? 0.3 : 1, away = k == 2 && i < second ? 0.7 : 0;
            const double spread = k == 2 ? 0.2 : size;
            pair.x0[i][k] = away + test_random_between(random, -spread, spread);
            pair.x1[i][k] = pair.x0[i][k] - 2 * away + test_random_between(random, -0.1, 0.1);
        }
    return pair;
}

// A coordinate next to another: the same, or up to 4 units in the last place beside it.
static double beside(test_random *random, double x, bool same) {
    for (int i = same ? 0 : (int)test_random_below(random, 5); i > 0; i--)
        x = nextafter(x, i % 2 ? INFINITY : -INFINITY);
    return same ? x : x + (double)test_random_below(random, 3) * 0x1p-54;
}

// Give vertices one coordinate along an axis at each end of the step, not at both: the grid may move.
static void align(test_random *random, toc_pair *pair, int axis, int count, const int *vertices, bool same) {
    const double start = test_random_between(random, -0.3, 0.3);
    const double end = test_random_below(random, 2) ? start : test_random_between(random, -0.3, 0.3);
    for (int i = 0; i < count; i++) {
        pair->x0[vertices[i]][axis] = beside(random, start, same);
        pair->x1[vertices[i]][axis] = start == end ? pair->x0[vertices[i]][axis] : beside(random, end, same);
    }
}

static void scale_pair(toc_pair *pair, double scale) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) pair->x0[i][k] *= scale, pair->x1[i][k] *= scale;
}

static toc_hit ask_integers(toc_kind kind, const toc_pair *pair, toc_arena *scratch) {
    const toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    assert_ok(toc_integer_pair(kind, pair->x0, pair->x1, &test, scratch, &hit));
    return hit;
}

static bool has_zero_weight(const toc_hit *hit) {
    return hit->weights[0] == 0 || hit->weights[1] == 0 || hit->weights[2] == 0 || hit->weights[3] == 0;
}

// The times of ties are the largest doubles that are not late.
static void compare_tie(toc_kind kind, const toc_pair *pair, toc_arena *scratch, tie_counts *counts) {
    toc_hit quick;
    const toc_hit slow = ask_integers(kind, pair, scratch);
    const toc_verdict verdict = toc_predicate_pair(kind, pair->x0, pair->x1, &quick);
    counts->undecided += verdict == TOC_UNDECIDED;
    counts->hits += verdict == TOC_HIT;
    counts->ties += verdict == TOC_HIT && has_zero_weight(&quick);
    counts->apart += verdict == TOC_APART;
    if (verdict != TOC_UNDECIDED) assert_int_equal(verdict, slow.verdict);
    if (verdict != TOC_HIT) return;
    if (has_zero_weight(&quick)) assert_double_same(quick.toc, slow.toc);
    assert_true(quick.toc <= slow.toc && quick.toc >= slow.toc * (1 - 0x1p-31));
    for (int j = 0; j < 4; j++) assert_double_near(quick.weights[j], slow.weights[j], TOC_WEIGHT_ERROR + 0x1p-38);
}

// A vertex and an edge with one coordinate in common.
static toc_pair tie_pair(test_random *random, toc_kind kind, int axis, bool same) {
    int corner_count;
    const toc_corner_case *corners = toc_corner_cases(kind, &corner_count);
    const toc_corner_case at = corners[test_random_below(random, (uint32_t)corner_count)];
    toc_pair pair = falling_pair(random, kind);
    align(random, &pair, axis, 3, (int[]){at.point, at.from, at.to}, same);
    return pair;
}

static void try_ties(bool same, int number, tie_counts *counts) {
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    for (int i = 0; i < number; i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        toc_pair pair = tie_pair(&random, kind, i % 3, same);
        scale_pair(&pair, i % 5 ? 1 : i % 2 ? 0x1p-90 : 0x1p90);
        compare_tie(kind, &pair, &scratch, counts);
    }
    toc_arena_free(&scratch);
}

// A vertex whose path and an edge are in one plane: its share is 0 at the contact, not merely small.
static void vertices_exactly_over_edges(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_ties(true, 6000, &counts);
    assert_true(counts.ties > 600 && counts.apart > 600 && counts.undecided < 600);
}

// Beside the edge by the last bits, on either side.
static void vertices_beside_edges_by_the_last_bits(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_ties(false, 6000, &counts);
    assert_true(counts.hits > 300 && counts.apart > 600 && counts.undecided < 400);
}

// Weights of shares that are off by their errors: known only if none can be off by more than TOC_WEIGHT_ERROR.
static void weights_are_known_within_their_errors(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int known = 0, unknown = 0;
    for (int i = 0; i < 20000; i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        const double size = TOC_WEIGHT_ERROR * ldexp(1, 6 - (int)test_random_below(&random, 12));
        toc_shares shares = {.count = kind == TOC_VF ? 3 : 4};
        double weights[4], off[4];
        for (int k = 0; k < shares.count; k++) {
            shares.at[k] = test_random_between(&random, 0, 1);
            shares.error[k] = size * test_random_between(&random, 0, 1);
        }
        const bool is_known = toc_shares_weigh(kind, &shares, weights);
        known += is_known;
        unknown += !is_known;
        for (int signs = 0; signs < 16 && is_known; signs++) {
            toc_shares moved = shares;
            for (int k = 0; k < shares.count; k++) {
                moved.at[k] = toc_larger(moved.at[k] + (signs >> k & 1 ? 1 : -1) * moved.error[k], 0);
                moved.error[k] = 0;
            }
            toc_shares_weigh(kind, &moved, off);
            for (int k = 0; k < 4; k++) assert_double_near(off[k], weights[k], TOC_WEIGHT_ERROR);
        }
    }
    assert_true(known > 2000 && unknown > 2000);
}

// ---- in lanes

enum { TIES = 509 }; // no multiple of any number of lanes

typedef struct tie_batch {
    toc_pair pairs[TIES];
    double start[4 * TIES][3], end[4 * TIES][3];
    uint32_t vertices[TIES][4], at[TIES], left[TIES];
    toc_hit hits[TIES], *each[TIES];
    toc_verdict verdicts[TIES];
    double times[TIES];
    toc_pair_batch batch;
} tie_batch;

static void fill_tie_batch(test_random *random, toc_kind kind, tie_batch *b) {
    for (uint32_t i = 0; i < TIES; i++) {
        b->pairs[i] = tie_pair(random, kind, (int)(i % 3), i % 2);
        b->at[i] = i;
        b->each[i] = &b->hits[i];
        for (uint32_t k = 0; k < 4; k++) {
            b->vertices[i][k] = 4 * i + k;
            memcpy(b->start[4 * i + k], b->pairs[i].x0[k], sizeof *b->start);
            memcpy(b->end[4 * i + k], b->pairs[i].x1[k], sizeof *b->end);
        }
    }
    b->batch = (toc_pair_batch){.kind = kind,
                                .count = TIES,
                                .vertices = (const uint32_t(*)[4])b->vertices,
                                .body0 = {*b->start, *b->start},
                                .body1 = {*b->end, *b->end}};
    const toc_certified_work work = {.pairs = b->batch, .from = 0, .to = 1, .verdicts = b->verdicts, .times = b->times};
    toc_backend_of(1)->certified(&work);
}

// A tie in lanes has the bits of the scalar answer, and the time and the weights of the integers. All rounds of the
// certified kernel leave it undecided, so that it may give up early.
static void compare_decided(const tie_batch *b, uint32_t i, toc_arena *scratch) {
    const toc_pair *pair = &b->pairs[i];
    const toc_pair_test test = toc_pair_test_default();
    const toc_hit slow = ask_integers(b->batch.kind, pair, scratch), *lane = &b->hits[i];
    toc_hit single;
    assert_ok(toc_exact_pair(b->batch.kind, pair->x0, pair->x1, &test, scratch, &single));
    assert_int_equal(b->verdicts[i], TOC_UNDECIDED);
    assert_int_equal(slow.verdict, TOC_HIT);
    assert_int_equal(single.verdict, TOC_HIT);
    assert_int_equal(lane->verdict, TOC_HIT);
    assert_double_same(lane->toc, single.toc);
    assert_double_same(lane->toc, slow.toc);
    for (int k = 0; k < 4; k++) assert_double_same(lane->weights[k], single.weights[k]);
    for (int k = 0; k < 4; k++) assert_double_near(lane->weights[k], slow.weights[k], TOC_WEIGHT_ERROR + 0x1p-38);
    for (int k = 0; k < 3; k++) assert_double_same(lane->point[k], single.point[k]);
    for (int k = 0; k < 3; k++) assert_double_same(lane->normal[k], single.normal[k]);
}

// @return the number of pairs decided.
static size_t decide_in_lanes(tie_batch *b, toc_tie_kernel *kernel, toc_arena *scratch) {
    const toc_place_work work = {.pairs = b->batch, .count = TIES, .at = b->at, .hits = b->each};
    memset(b->hits, 0, sizeof b->hits);
    const size_t left_count = kernel(&work, b->left);
    size_t next = 0;
    for (uint32_t i = 0; i < TIES; i++) {
        if (next < left_count && b->left[next] == i)
            next++;
        else
            compare_decided(b, i, scratch);
    }
    assert_int_equal(next, left_count);
    return TIES - left_count;
}

static void lanes_decide_ties_as_single_pairs(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    tie_batch *b = test_malloc(sizeof *b);
    for (int n = 0; n < 4; n++) {
        fill_tie_batch(&random, n % 2 ? TOC_EE : TOC_VF, b);
        const size_t decided = decide_in_lanes(b, toc_backend_of(1)->tie, &scratch);
        assert_in_range(decided, TIES / 20, TIES);
        for (int lanes = 4; lanes <= 8; lanes *= 2)
            if (toc_backend_of(lanes))
                assert_int_equal(decide_in_lanes(b, toc_backend_of(lanes)->tie, &scratch), decided);
    }
    test_free(b);
    toc_arena_free(&scratch);
}

// Edges in one plane, or a vertex and a face: the cubic is 0 at all times.
static void try_flat_pairs(toc_kind kind, tie_counts *counts) {
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    for (int i = 0; i < 4000; i++) {
        toc_pair pair = falling_pair(&random, kind);
        const double place = test_random_between(&random, -1, 1), nearer = i % 2 ? 0.4 : 1;
        for (int j = 0; j < 4; j++) {
            pair.x0[j][i % 3] = pair.x1[j][i % 3] = place;
            pair.x0[j][2] *= i % 3 == 2 ? 1 : nearer; // some pairs cross at the start
        }
        compare_tie(kind, &pair, &scratch, counts);
    }
    toc_arena_free(&scratch);
}

static void edges_that_move_in_one_plane(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_flat_pairs(TOC_EE, &counts);
    assert_true(counts.hits > 600 && counts.apart > 300 && counts.undecided < 200);
}

static void vertices_in_the_plane_of_a_face(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_flat_pairs(TOC_VF, &counts);
    assert_true(counts.hits > 300 && counts.apart > 300 && counts.undecided < 200);
}

// In wide motion a vertex passes the line of an edge twice, or comes near it and turns back.
static void vertices_that_pass_a_line_twice(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    tie_counts counts = {0, 0, 0, 0};
    for (int i = 0; i < 3000; i++) {
        toc_pair pair;
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 3; k++)
                (j < 4 ? pair.x0[j] : pair.x1[j - 4])[k] = k == i % 3 ? 0.3 : test_random_between(&random, -1, 1);
        compare_tie(i % 2 ? TOC_EE : TOC_VF, &pair, &scratch, &counts);
    }
    toc_arena_free(&scratch);
    assert_true(counts.hits > 1500 && counts.apart > 300 && counts.undecided < 100);
}

// ---- planes of any orientation

// Multiples of 2^-20, so that sums of them are exact.
static void shorten_pair(toc_pair *pair) {
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            pair->x0[i][k] = ldexp(nearbyint(ldexp(pair->x0[i][k], 20)), -20);
            pair->x1[i][k] = ldexp(nearbyint(ldexp(pair->x1[i][k], 20)), -20);
        }
}

// A linear map by multiples of 1/8, without rounding: planes stay planes, none of them one of constant coordinate.
static void shear_somehow(test_random *random, toc_pair *pair) {
    double by[4];
    for (int i = 0; i < 4; i++) by[i] = (1 + (int)test_random_below(random, 4)) / 8.0;
    for (int i = 0; i < 8; i++) {
        double *x = i < 4 ? pair->x0[i] : pair->x1[i - 4];
        x[1] += by[0] * x[0] + by[1] * x[2];
        x[0] += by[2] * x[2];
        x[2] -= by[3] * x[1];
    }
}

// Off by the last bit, a coordinate is not in the plane: where this matters, the answer is another one.
static void blur_pair(test_random *random, toc_pair *pair) {
    double *x =
        test_random_below(random, 2) ? pair->x1[test_random_below(random, 4)] : pair->x0[test_random_below(random, 4)];
    x += test_random_below(random, 3);
    *x = nextafter(*x, test_random_below(random, 2) ? INFINITY : -INFINITY);
}

static void try_oblique_ties(bool blurred, int number, tie_counts *counts) {
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    for (int i = 0; i < number; i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        toc_pair pair = tie_pair(&random, kind, i % 3, true);
        shorten_pair(&pair);
        shear_somehow(&random, &pair);
        if (blurred) blur_pair(&random, &pair);
        scale_pair(&pair, i % 5 ? 1 : i % 2 ? 0x1p-90 : 0x1p90);
        compare_tie(kind, &pair, &scratch, counts);
    }
    toc_arena_free(&scratch);
}

static void vertices_over_edges_in_any_plane(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_oblique_ties(false, 6000, &counts);
    assert_true(counts.ties > 1000 && counts.apart > 1000 && counts.undecided < 300);
}

static void vertices_beside_any_plane_by_the_last_bit(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_oblique_ties(true, 4000, &counts);
    assert_true(counts.hits > 200 && counts.apart > 1000);
}

static void try_oblique_flat_pairs(toc_kind kind, tie_counts *counts) {
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    for (int i = 0; i < 3000; i++) {
        toc_pair pair = falling_pair(&random, kind);
        const double start = test_random_between(&random, -1, 1), end = i % 4 ? start : start / 2;
        for (int j = 0; j < 4; j++) {
            pair.x0[j][i % 3] = start;
            pair.x1[j][i % 3] = end; // the plane may move, too
            pair.x0[j][2] *= i % 3 == 2 || i % 2 == 0 ? 1 : 0.4;
        }
        shorten_pair(&pair);
        shear_somehow(&random, &pair);
        if (i % 7 == 0) blur_pair(&random, &pair);
        compare_tie(kind, &pair, &scratch, counts);
    }
    toc_arena_free(&scratch);
}

static void edges_that_move_in_any_plane(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_oblique_flat_pairs(TOC_EE, &counts);
    assert_true(counts.hits > 400 && counts.apart > 200 && counts.undecided < 600);
}

static void vertices_that_move_in_any_plane_of_a_face(void **state) {
    (void)state;
    tie_counts counts = {0, 0, 0, 0};
    try_oblique_flat_pairs(TOC_VF, &counts);
    assert_true(counts.hits > 200 && counts.apart > 200 && counts.undecided < 600);
}

// A plane is one of exact vectors, not of nearly exact ones; a line is none.
static void planes_are_exact(void **state) {
    (void)state;
    toc_tie_number normal[3];
    double v[4][3] = {{1, 2, 3}, {-3, 1, 0x1p-40}, {-2, 3, 3 + 0x1p-40}, {5, 3, 6 - 0x1p-40}};
    assert_true(toc_plane_of_vectors(4, (const double(*)[3])v, normal));
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const double kept = v[i][k];
            v[i][k] = nextafter(kept, 10);
            assert_false(toc_plane_of_vectors(4, (const double(*)[3])v, normal));
            v[i][k] = kept;
        }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) v[i][k] = (k + 1) * (i - 2) * 0x1.8p-100;
    assert_false(toc_plane_of_vectors(4, (const double(*)[3])v, normal));
    double out[3];
    const double far[3] = {0x1p60, 0, 0}, near[3] = {1, 0, 0}, tiny[3] = {0, 0x1p-300, 0}, none[3] = {0, 0, 0};
    assert_false(toc_plane_vector(far, near, out));  // more digits than a double
    assert_false(toc_plane_vector(none, tiny, out)); // products would lose digits
    assert_true(toc_plane_vector(none, near, out));
}

// Edges in two planes whose coordinates differ by the last bit are apart; no arithmetic is needed.
static void planes_that_differ_by_the_last_bit(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 1000; i++) {
        toc_pair pair = falling_pair(&random, TOC_EE);
        const double place = test_random_between(&random, 0.1, 1);
        for (int j = 0; j < 4; j++) pair.x0[j][1] = pair.x1[j][1] = j < 2 ? place : nextafter(place, i % 2 ? 0 : 2);
        const toc_pair *asked = &pair;
        toc_hit hit;
        assert_int_equal(toc_predicate_pair(TOC_EE, asked->x0, asked->x1, &hit), TOC_APART);
    }
}

// A vertex above a corner of a face, and edges whose ends meet: two shares are 0, or an edge has none of the plane.
static void corners_above_corners(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_arena scratch = toc_arena_make(NULL);
    tie_counts counts = {0, 0, 0, 0};
    for (int i = 0; i < 3000; i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        toc_pair pair = falling_pair(&random, kind);
        for (int k = 0; k < 2; k++) align(&random, &pair, k, 2, (int[]){0, 2}, true);
        if (i % 3 == 0) align(&random, &pair, 1, 3, (int[]){0, 2, 3}, true);
        compare_tie(kind, &pair, &scratch, &counts);
    }
    toc_arena_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_exactly_over_edges),
        cmocka_unit_test(vertices_beside_edges_by_the_last_bits),
        cmocka_unit_test(weights_are_known_within_their_errors),
        cmocka_unit_test(lanes_decide_ties_as_single_pairs),
        cmocka_unit_test(edges_that_move_in_one_plane),
        cmocka_unit_test(vertices_in_the_plane_of_a_face),
        cmocka_unit_test(vertices_that_pass_a_line_twice),
        cmocka_unit_test(vertices_over_edges_in_any_plane),
        cmocka_unit_test(vertices_beside_any_plane_by_the_last_bit),
        cmocka_unit_test(edges_that_move_in_any_plane),
        cmocka_unit_test(vertices_that_move_in_any_plane_of_a_face),
        cmocka_unit_test(planes_are_exact),
        cmocka_unit_test(planes_that_differ_by_the_last_bit),
        cmocka_unit_test(corners_above_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
