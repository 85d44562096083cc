// SPDX-License-Identifier: Apache-2.0
#include "pair/distance.h"

#include <gmp.h>
#include <string.h>

#include "support/test.h"

// A distance proves itself: the weights give two points that far apart, and no two vertices are closer along the gap.
static void check_closest(const toc_vec *x, int first, int second, const toc_closest *found, double tolerance) {
    toc_vec p = {0, 0, 0}, q = {0, 0, 0};
    double p_sum = 0, q_sum = 0;
    for (int i = 0; i < first + second; i++) {
        assert_true(found->weights[i] >= 0 && found->weights[i] <= 1);
        const toc_vec part = toc_vec_scale(x[i], found->weights[i]);
        if (i < first) {
            p = toc_vec_add(p, part), p_sum += found->weights[i];
        } else {
            q = toc_vec_add(q, part), q_sum += found->weights[i];
        }
    }
    assert_double_near(p_sum, 1, 1e-12);
    assert_double_near(q_sum, 1, 1e-12);
    assert_double_near(toc_vec_length(toc_vec_sub(q, p)), found->distance, tolerance);
    assert_double_near(toc_vec_length(toc_vec_sub(toc_vec_sub(q, p), found->gap)), 0, tolerance);
    if (!(found->distance > tolerance)) return;
    const toc_vec axis = toc_vec_unit(found->gap);
    for (int i = 0; i < first; i++)
        for (int j = 0; j < second; j++)
            assert_true(toc_vec_dot(toc_vec_sub(x[first + j], x[i]), axis) >= found->distance - tolerance);
}

static void check_vf(const toc_vec x[4], double distance) {
    const toc_closest found = toc_closest_vf(x);
    assert_double_near(found.distance, distance, 1e-12);
    check_closest(x, 1, 3, &found, 1e-12);
}

static void check_ee(const toc_vec x[4], double distance) {
    const toc_closest found = toc_closest_ee(x);
    assert_double_near(found.distance, distance, 1e-12);
    check_closest(x, 2, 2, &found, 1e-12);
}

static void vertex_over_each_region_of_a_face(void **state) {
    (void)state;
    const toc_vec a = {0, 0, 0}, b = {4, 0, 0}, c = {0, 4, 0};
    check_vf((toc_vec[]){{1, 1, 3}, a, b, c}, 3);
    check_vf((toc_vec[]){{1, 1, 0}, a, b, c}, 0);
    check_vf((toc_vec[]){{2, -3, 4}, a, b, c}, 5);
    check_vf((toc_vec[]){{-3, 2, -4}, a, b, c}, 5);
    check_vf((toc_vec[]){{4, 4, 0}, a, b, c}, sqrt(8));
    check_vf((toc_vec[]){{-2, -1, 2}, a, b, c}, 3);
    check_vf((toc_vec[]){{6, -1, 2}, a, b, c}, 3);
    check_vf((toc_vec[]){{-1, 6, 2}, a, b, c}, 3);
}

// A face of no area is its longest edge, or a point.
static void flat_faces(void **state) {
    (void)state;
    check_vf((toc_vec[]){{1, 2, 0}, {0, 0, 0}, {1, 0, 0}, {3, 0, 0}}, 2);
    check_vf((toc_vec[]){{5, 0, 0}, {0, 0, 0}, {3, 0, 0}, {1, 0, 0}}, 2);
    check_vf((toc_vec[]){{1, 1, 2}, {0, 0, 0}, {0, 0, 0}, {2, 2, 0}}, 2);
    check_vf((toc_vec[]){{1, 2, 2}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 3);
    check_vf((toc_vec[]){{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, 0);
}

static void edges_crossing_and_beside(void **state) {
    (void)state;
    check_ee((toc_vec[]){{-1, 0, 0}, {1, 0, 0}, {0, -1, 2}, {0, 1, 2}}, 2);
    check_ee((toc_vec[]){{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}, 0);
    check_ee((toc_vec[]){{-1, 0, 0}, {1, 0, 0}, {4, -1, 4}, {4, 1, 4}}, 5);
    check_ee((toc_vec[]){{-1, 0, 0}, {1, 0, 0}, {4, 4, 0}, {8, 9, 0}}, 5);
}

// Parallel edges have no common normal, edges of no length no direction.
static void parallel_and_vanishing_edges(void **state) {
    (void)state;
    check_ee((toc_vec[]){{0, 0, 0}, {2, 0, 0}, {1, 3, 0}, {5, 3, 0}}, 3);
    check_ee((toc_vec[]){{0, 0, 0}, {2, 0, 0}, {5, 3, 4}, {2, 3, 4}}, 5);
    check_ee((toc_vec[]){{0, 0, 0}, {2, 0, 0}, {3, 0, 0}, {7, 0, 0}}, 1);
    check_ee((toc_vec[]){{0, 0, 0}, {4, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 0);
    check_ee((toc_vec[]){{0, 0, 0}, {4, 0, 0}, {1, 2, 0}, {1, 2, 0}}, 2);
    check_ee((toc_vec[]){{1, 2, 0}, {1, 2, 0}, {0, 0, 0}, {4, 0, 0}}, 2);
    check_ee((toc_vec[]){{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {0, 0, 0}}, 3);
}

// An edge of no length is a point.
static void point_beside_an_edge(void **state) {
    (void)state;
    const toc_vec a = {0, 0, 0}, b = {2, 0, 0};
    const struct {
        toc_vec p;
        double distance, u;
    } cases[] = {{{1, 3, 4}, 5, 0.5}, {{-3, 4, 0}, 5, 0}, {{5, 0, 4}, 5, 1}, {{2, 0, 0}, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const toc_closest found = toc_closest_ee((toc_vec[]){cases[i].p, cases[i].p, a, b});
        assert_double_near(found.distance, cases[i].distance, 1e-15);
        assert_double_near(found.weights[3], cases[i].u, 1e-15);
    }
    assert_double_near(toc_closest_ee((toc_vec[]){{0, 3, 4}, {0, 3, 4}, a, a}).distance, 5, 1e-15);
}

// The square of 1e-200 is 0 and that of 1e200 infinite: a length must survive both.
static void lengths_beyond_the_range_of_squares(void **state) {
    (void)state;
    assert_double_near(toc_vec_length((toc_vec){3e-200, 4e-200, 0}) / 5e-200, 1, 1e-15);
    assert_double_near(toc_vec_length((toc_vec){3e200, 0, 4e200}) / 5e200, 1, 1e-15);
    assert_double_near(toc_vec_length(toc_vec_unit((toc_vec){1e-310, 2e-310, 0})), 1, 1e-12);
    assert_double_same(toc_vec_length((toc_vec){0, 0, 0}), 0);
}

static void planes_are_signed(void **state) {
    (void)state;
    const toc_vec a = {0, 0, 1}, b = {1, 0, 1}, c = {0, 1, 1};
    assert_double_near(toc_distance_plane((toc_vec[]){{9, 9, 3}, a, b, c}), 2, 1e-15);
    assert_double_near(toc_distance_plane((toc_vec[]){{9, 9, -1}, a, b, c}), -2, 1e-15);
    assert_double_same(toc_distance_plane((toc_vec[]){{9, 9, 3}, a, a, c}), 0);
}

static void check_triangles(const toc_vec x[6], double distance) {
    const toc_closest found = toc_closest_triangles(x);
    assert_double_near(found.distance, distance, 1e-12);
    check_closest(x, 3, 3, &found, 1e-12);
}

// Face over face, edge over edge, a corner over a face, and one triangle through the other without any edges crossing.
static void triangles_apart_and_through_each_other(void **state) {
    (void)state;
    const toc_vec a = {0, 0, 0}, b = {4, 0, 0}, c = {0, 4, 0};
    check_triangles((toc_vec[]){a, b, c, {1, 1, 2}, {2, 1, 2}, {1, 2, 2}}, 2);
    check_triangles((toc_vec[]){a, b, c, {1, 1, 2}, {2, 1, 5}, {1, 2, 5}}, 2);
    check_triangles((toc_vec[]){{1, 1, 2}, {2, 1, 5}, {1, 2, 5}, a, b, c}, 2);
    check_triangles((toc_vec[]){a, b, c, {2, -3, -1}, {2, -3, 1}, {2, -9, 0}}, 3);
    check_triangles((toc_vec[]){a, b, c, {1, 1, -1}, {1, 1, 1}, {9, 9, 0}}, 0);
    check_triangles((toc_vec[]){{1, 1, -1}, {1, 1, 1}, {9, 9, 0}, a, b, c}, 0);
    check_triangles((toc_vec[]){a, b, c, {0, 0, 3}, {0, 0, 3}, {0, 0, 3}}, 3);
    check_triangles((toc_vec[]){a, b, c, a, b, c}, 0);
}

// Corners from a small grid give every kind of degeneracy; random ones give none.
static toc_vec random_corner(test_random *random, bool grid) {
    if (grid)
        return (toc_vec){test_random_below(random, 3), test_random_below(random, 3), test_random_below(random, 3)};
    return (toc_vec){test_random_between(random, -1, 1), test_random_between(random, -1, 1),
                     test_random_between(random, -1, 1)};
}

static void random_and_degenerate_features_prove_their_distance(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 40000; round++) {
        toc_vec x[6];
        for (int i = 0; i < 6; i++) x[i] = random_corner(&random, round % 2);
        if (round % 4 == 0) { // almost parallel edges
            const toc_vec almost = toc_vec_scale(random_corner(&random, false), pow(10, -(round / 4 % 16)));
            x[3] = toc_vec_add(toc_vec_add(x[2], toc_vec_sub(x[1], x[0])), almost);
        }
        toc_closest found = toc_closest_vf(x);
        check_closest(x, 1, 3, &found, 1e-9);
        found = toc_closest_ee(x);
        check_closest(x, 2, 2, &found, 1e-9);
        found = toc_closest_triangles(x);
        check_closest(x, 3, 3, &found, 1e-9);
    }
}

// The public door, at sizes where products of coordinates overflow or vanish, far from the origin and from each other.
static void distances_at_any_size(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 20000; round++) {
        const toc_kind kind = round % 2 ? TOC_EE : TOC_VF;
        const int exponent = (int)test_random_below(&random, 2000) - 1000;
        double x[4][3];
        toc_vec at[4];
        for (int i = 0; i < 4; i++) {
            toc_vec_to(x[i], random_corner(&random, round % 3));
            for (int k = 0; k < 3; k++) x[i][k] = ldexp(x[i][k], exponent);
            at[i] = (toc_vec){ldexp(x[i][0], -exponent), ldexp(x[i][1], -exponent), ldexp(x[i][2], -exponent)};
        }
        toc_distance found;
        assert_ok(toc_distance_find(kind, *x, &found));
        toc_closest scaled = {.distance = ldexp(found.distance, -exponent)};
        scaled.gap =
            (toc_vec){ldexp(found.gap[0], -exponent), ldexp(found.gap[1], -exponent), ldexp(found.gap[2], -exponent)};
        memcpy(scaled.weights, found.weights, sizeof found.weights);
        check_closest(at, kind == TOC_VF ? 1 : 2, kind == TOC_VF ? 3 : 2, &scaled, 1e-9);
    }
}

static void the_largest_coordinates(void **state) {
    (void)state;
    const double m = 0x1.fffffffffffffp1023;
    toc_distance found;
    assert_ok(toc_distance_find(TOC_EE, (double[]){-m, 0, m / 2, m, 0, m / 2, 0, -m, 0, 0, m, 0}, &found));
    assert_double_near(found.distance, m / 2, m * 1e-15);
    assert_double_near(found.weights[1], 0.5, 1e-15);
    assert_double_near(found.gap[2], -m / 2, m * 1e-15);
    assert_ok(toc_distance_find(TOC_VF, (double[]){0, 0, 0x1p-1074, 0, 0, 0, 1, 0, 0, 0, 1, 0}, &found));
    assert_double_same(found.distance, 0x1p-1074);
}

// ---- against rational numbers

typedef struct rational3 {
    mpq_t x[3];
} rational3;

static void difference(rational3 *out, const double *from, const double *to) {
    mpq_t start;
    mpq_init(start);
    for (int k = 0; k < 3; k++) {
        mpq_init(out->x[k]);
        mpq_set_d(out->x[k], to[k]);
        mpq_set_d(start, from[k]);
        mpq_sub(out->x[k], out->x[k], start);
    }
    mpq_clear(start);
}

static void clear(rational3 *v) { mpq_clears(v->x[0], v->x[1], v->x[2], NULL); }

static void dot(mpq_t out, const rational3 *a, const rational3 *b) {
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_mul(term, a->x[k], b->x[k]);
        mpq_add(out, out, term);
    }
    mpq_clear(term);
}

static void cross(rational3 *out, const rational3 *a, const rational3 *b) {
    mpq_t term;
    mpq_init(term);
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        mpq_init(out->x[k]);
        mpq_mul(out->x[k], a->x[l], b->x[m]);
        mpq_mul(term, a->x[m], b->x[l]);
        mpq_sub(out->x[k], out->x[k], term);
    }
    mpq_clear(term);
}

static void keep_less(mpq_t least, const mpq_t square) {
    if (mpq_sgn(least) < 0 || mpq_cmp(square, least) < 0) mpq_set(least, square);
}

// The squared distance of a point and an edge: |to|^2 - (to . edge)^2 / edge^2, or that of an end.
static void try_edge(mpq_t least, const double *point, const double *p, const double *q) {
    rational3 to, edge, end;
    mpq_t along, whole, square;
    difference(&to, p, point), difference(&edge, p, q), difference(&end, q, point);
    mpq_inits(along, whole, square, NULL);
    dot(along, &to, &edge), dot(whole, &edge, &edge);
    if (mpq_sgn(along) <= 0) {
        dot(square, &to, &to);
    } else if (mpq_cmp(along, whole) >= 0) {
        dot(square, &end, &end);
    } else {
        dot(square, &to, &to);
        mpq_mul(along, along, along);
        mpq_div(along, along, whole);
        mpq_sub(square, square, along);
    }
    keep_less(least, square);
    clear(&to), clear(&edge), clear(&end);
    mpq_clears(along, whole, square, NULL);
}

// Along the common normal n of d and e: (r . n)^2 / n^2, where the feet are u and w of n^2 along d and e, in [0, 1]
// and, for a face, at most 1 together.
static void try_normal(mpq_t least, toc_kind kind, const double *x) {
    rational3 r, d, e, n, across;
    mpq_t square, u, w;
    difference(&r, kind == TOC_VF ? x + 3 : x, kind == TOC_VF ? x : x + 6);
    difference(&d, kind == TOC_VF ? x + 3 : x, kind == TOC_VF ? x + 6 : x + 3);
    difference(&e, kind == TOC_VF ? x + 3 : x + 6, x + 9);
    cross(&n, &d, &e);
    mpq_inits(square, u, w, NULL);
    dot(square, &n, &n);
    cross(&across, &r, &e), dot(u, &across, &n), clear(&across);
    cross(&across, kind == TOC_VF ? &d : &r, kind == TOC_VF ? &r : &d), dot(w, &across, &n), clear(&across);
    bool inside = mpq_sgn(square) > 0 && mpq_sgn(u) >= 0 && mpq_sgn(w) >= 0 && mpq_cmp(u, square) <= 0;
    if (kind == TOC_VF) mpq_add(w, w, u);
    inside = inside && mpq_cmp(w, square) <= 0;
    if (inside) {
        dot(u, &r, &n);
        mpq_mul(u, u, u);
        mpq_div(u, u, square);
        keep_less(least, u);
    }
    clear(&r), clear(&d), clear(&e), clear(&n);
    mpq_clears(square, u, w, NULL);
}

// Divided by 2^exponent: squares of the distance itself may have no double.
static double true_distance(toc_kind kind, const double *x, int exponent) {
    static const int vf[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}},
                     ee[4][3] = {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}};
    mpq_t least;
    mpq_init(least);
    mpq_set_si(least, -1, 1);
    for (int i = 0; i < (kind == TOC_VF ? 3 : 4); i++) {
        const int *at = kind == TOC_VF ? vf[i] : ee[i];
        try_edge(least, x + 3 * at[0], x + 3 * at[1], x + 3 * at[2]);
    }
    try_normal(least, kind, x);
    if (exponent > 0) mpq_div_2exp(least, least, 2 * (mp_bitcnt_t)exponent);
    if (exponent < 0) mpq_mul_2exp(least, least, 2 * (mp_bitcnt_t)-exponent);
    const double distance = sqrt(mpq_get_d(least));
    mpq_clear(least);
    return distance;
}

// Slivers, needles, points, parallel edges, small features far from each other or from the origin.
static void make_degenerate(test_random *random, int family, double x[12]) {
    const double off = ldexp(1, -(int)test_random_below(random, 60)), part = test_random_between(random, -1.5, 1.5);
    double y[12];
    for (int i = 0; i < 12; i++)
        x[i] = test_random_between(random, -1, 1), y[i] = off * test_random_between(random, -1, 1);
    for (int k = 0; k < 3; k++) {
        if (family == 1) x[9 + k] = x[6 + k] + y[k];
        if (family == 2) x[9 + k] = x[3 + k] + part * (x[6 + k] - x[3 + k]) + y[k];
        if (family == 3) x[3 + k] = x[k] + x[9 + k] - x[6 + k] + y[k];
        if (family == 4) x[k] = x[6 + k] + y[k], x[3 + k] = x[9 + k] + y[3 + k];
        if (family == 5) x[6 + k] = x[3 + k] + y[k], x[9 + k] = x[3 + k] + y[3 + k];
        if (family == 6) x[3 + k] = x[k] + y[k], x[9 + k] = x[6 + k] + y[3 + k];
    }
    for (int i = 0; i < 12 && family == 7; i++) x[i] = 1000 + y[i];
}

// A face as small as rounding, seen from afar, seemed to have the vertex over it, and the distance to its plane, which
// can be 0, was taken for that to the face.
static void degenerate_features_in_rational_numbers(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 8000; i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        double x[12], size = 0;
        make_degenerate(&random, i / 2 % 8, x);
        for (int j = 3; j < 12; j++) size = fmax(size, fabs(x[j] - x[j % 3]));
        toc_distance found;
        assert_ok(toc_distance_find(kind, x, &found));
        assert_double_near(found.distance, true_distance(kind, x, 0), 0x1p-46 * size);
    }
}

// A vertex over a sliver, or two edges at a small angle across a gap: the closest points are inside both features.
static void make_narrow(test_random *random, toc_kind kind, double x[12]) {
    const double angle = ldexp(1, -(int)test_random_below(random, 40)),
                 height = pow(2, -test_random_between(random, 0, 50));
    const double u = test_random_between(random, 0, 1), w = test_random_between(random, 0, 1);
    toc_vec p = random_corner(random, false), d = random_corner(random, false), side = random_corner(random, false);
    toc_vec e = toc_vec_add(toc_vec_scale(d, test_random_between(random, -1.5, 1.5)), toc_vec_scale(side, angle));
    const toc_vec n = toc_vec_scale(toc_vec_unit(toc_vec_cross(d, side)), height);
    if (kind == TOC_VF) {
        const toc_vec foot = toc_vec_add(toc_vec_scale(d, u * w), toc_vec_scale(e, (1 - u) * w));
        toc_vec_to(x, toc_vec_add(toc_vec_add(p, foot), n));
        toc_vec_to(x + 3, p);
        toc_vec_to(x + 6, toc_vec_add(p, d));
        toc_vec_to(x + 9, toc_vec_add(p, e));
        return;
    }
    const toc_vec second = toc_vec_sub(toc_vec_add(toc_vec_add(p, toc_vec_scale(d, u)), n), toc_vec_scale(e, w));
    toc_vec_to(x, p);
    toc_vec_to(x + 3, toc_vec_add(p, d));
    toc_vec_to(x + 6, second);
    toc_vec_to(x + 9, toc_vec_add(second, e));
}

// A vertex over a face with a short side.
static void make_short(test_random *random, double x[12]) {
    const double length = pow(2, -test_random_between(random, 8, 40)), height = ldexp(length, -20);
    const double u = test_random_between(random, 0, 1), w = test_random_between(random, 0, 1 - u);
    const toc_vec p = random_corner(random, false), d = random_corner(random, false),
                  e = toc_vec_scale(random_corner(random, false), length);
    const toc_vec foot = toc_vec_add(p, toc_vec_add(toc_vec_scale(d, u), toc_vec_scale(e, w)));
    toc_vec_to(x, toc_vec_add(foot, toc_vec_scale(toc_vec_unit(toc_vec_cross(d, e)), height)));
    toc_vec_to(x + 3, p);
    toc_vec_to(x + 6, toc_vec_add(p, d));
    toc_vec_to(x + 9, toc_vec_add(p, e));
}

// The bound that toc_distance_find states: 2^-36 of the extent. At sizes where products of coordinates overflow or
// vanish, and far from the origin, where few digits of a coordinate belong to the features. Normals of narrow faces
// used to be off by 2^-29.
static void scales_and_translations_in_rational_numbers(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(30000, 4000); i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        const int exponent = i % 3 ? (int)test_random_below(&random, 1601) - 1000 : 0;
        const double far = i % 5 ? 0 : ldexp(test_random_between(&random, -1, 1), 30);
        double x[12], size = 0;
        if (i / 2 % 2)
            make_degenerate(&random, i / 4 % 8, x);
        else if (i / 4 % 4 == 0 && kind == TOC_VF)
            make_short(&random, x);
        else
            make_narrow(&random, kind, x);
        for (int j = 0; j < 12; j++) x[j] = ldexp(x[j] + far, exponent);
        for (int j = 3; j < 12; j++) size = fmax(size, ldexp(fabs(x[j] - x[j % 3]), -exponent));
        toc_distance found;
        assert_ok(toc_distance_find(kind, x, &found));
        const double rounding = exponent < 0 ? ldexp(0x1p-1074, -exponent) : 0;
        toc_vec between = {0, 0, 0};
        for (int j = 0; j < 4; j++) {
            const double weight = j < (kind == TOC_VF ? 1 : 2) ? -found.weights[j] : found.weights[j];
            const toc_vec from_first = toc_vec_sub(toc_vec_of(x + 3 * j), toc_vec_of(x));
            between = toc_vec_add(between, toc_vec_scale(from_first, ldexp(weight, -exponent)));
        }
        assert_double_near(toc_vec_length(between), ldexp(found.distance, -exponent), 0x1p-36 * size + rounding);
        assert_double_near(ldexp(found.distance, -exponent), true_distance(kind, x, exponent),
                           0x1p-36 * size + rounding);
    }
}

// Features as small as rounding, seen from afar: an area of a few last bits has any sign.
static void features_as_small_as_rounding(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < test_less(40000, 8000); i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        const double unit = ldexp(1, -52 + (int)test_random_below(&random, 4));
        double x[12], size = 0;
        for (int j = 0; j < 12; j++) {
            const int from = kind == TOC_VF ? 3 + j % 3 : j / 6 * 6 + j % 3;
            const double steps = (double)test_random_below(&random, 9) - 4;
            x[j] = j < 3 || j == from ? test_random_between(&random, -1, 1) : x[from] + unit * steps;
            if (i % 4 == 3 && j / 3 == 1) x[j] = test_random_between(&random, -1, 1); // one edge is long
        }
        for (int j = 3; j < 12; j++) size = fmax(size, fabs(x[j] - x[j % 3]));
        toc_distance found;
        assert_ok(toc_distance_find(kind, x, &found));
        assert_double_near(found.distance, true_distance(kind, x, 0), 0x1p-46 * size);
    }
}

// A vertex 0.7 over a face that is 2^30 long and 1 wide: near pairs take the gap as an axis.
static void the_gap_over_a_needle_separates(void **state) {
    (void)state;
    const toc_vec x[4] = {{-0x1p30, -0x1p30 + 1, -0x1p30 + 1},
                          {0, 0, 0},
                          {-0x1p30, -0x1p30 + 0x1p-10, -0x1p30 + 1},
                          {-0x1p30 + 1, -0x1p30 + 1, -0x1p30}};
    const toc_closest found = toc_closest_pair(TOC_VF, x);
    for (int i = 1; i < 4; i++)
        assert_true(toc_vec_dot(toc_vec_sub(x[i], x[0]), toc_vec_unit(found.gap)) > found.distance * (1 - 1e-5));
}

// Halves of subnormal coordinates lost a bit, and the weights with it.
static void weights_do_not_depend_on_the_scale(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int i = 0; i < 20000; i++) {
        const toc_kind kind = i % 2 ? TOC_EE : TOC_VF;
        const int exponent = i / 2 % 2 ? (int)test_random_below(&random, 2090) - 1074 : -1074;
        double x[12], scaled[12];
        for (int j = 0; j < 4; j++) toc_vec_to(x + 3 * j, random_corner(&random, true));
        for (int j = 0; j < 12; j++) scaled[j] = ldexp(x[j], exponent);
        toc_distance found, found_scaled;
        assert_ok(toc_distance_find(kind, x, &found));
        assert_ok(toc_distance_find(kind, scaled, &found_scaled));
        for (int j = 0; j < 4; j++) assert_double_same(found_scaled.weights[j], found.weights[j]);
    }
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    toc_distance found = {.distance = -1};
    for (int i = 0; i < 12; i++) {
        double x[12] = {0};
        x[i] = i % 2 ? NAN : INFINITY;
        assert_fails(toc_distance_find(TOC_VF, x, &found), TOC_BAD_INPUT, "vertex");
    }
    assert_fails(toc_distance_find((toc_kind)7, (double[12]){0}, &found), TOC_BAD_INPUT, "kind");
    assert_double_same(found.distance, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_over_each_region_of_a_face),
        cmocka_unit_test(flat_faces),
        cmocka_unit_test(edges_crossing_and_beside),
        cmocka_unit_test(parallel_and_vanishing_edges),
        cmocka_unit_test(point_beside_an_edge),
        cmocka_unit_test(lengths_beyond_the_range_of_squares),
        cmocka_unit_test(planes_are_signed),
        cmocka_unit_test(triangles_apart_and_through_each_other),
        cmocka_unit_test(random_and_degenerate_features_prove_their_distance),
        cmocka_unit_test(distances_at_any_size),
        cmocka_unit_test(the_largest_coordinates),
        cmocka_unit_test(degenerate_features_in_rational_numbers),
        cmocka_unit_test(scales_and_translations_in_rational_numbers),
        cmocka_unit_test(features_as_small_as_rounding),
        cmocka_unit_test(the_gap_over_a_needle_separates),
        cmocka_unit_test(weights_do_not_depend_on_the_scale),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
