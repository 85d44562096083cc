// SPDX-License-Identifier: Apache-2.0
#include "pair/distance.h"

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

static void point_beside_an_edge(void **state) {
    (void)state;
    const toc_vec a = {0, 0, 0}, b = {2, 0, 0};
    const struct {
        toc_vec p;
        double distance, u;
    } cases[] = {{{1, 3, 4}, 5, 0.5}, {{-3, 4, 0}, 5, 0}, {{5, 0, 4}, 5, 1}, {{2, 0, 0}, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const toc_closest found = toc_closest_point_edge((toc_vec[]){cases[i].p, a, b});
        assert_double_near(found.distance, cases[i].distance, 1e-15);
        assert_double_near(found.weights[2], cases[i].u, 1e-15);
    }
    assert_double_near(toc_closest_point_edge((toc_vec[]){{0, 3, 4}, a, a}).distance, 5, 1e-15);
}

// The square of 1e-200 is 0 and that of 1e200 infinite: a length must survive both.
static void lengths_beyond_the_range_of_squares(void **state) {
    (void)state;
    assert_double_near(toc_vec_length((toc_vec){3e-200, 4e-200, 0}) / 5e-200, 1, 1e-15);
    assert_double_near(toc_vec_length((toc_vec){3e200, 0, 4e200}) / 5e200, 1, 1e-15);
    assert_double_near(toc_vec_length(toc_vec_unit((toc_vec){1e-310, 2e-310, 0})), 1, 1e-12);
    assert_double_same(toc_vec_length((toc_vec){0, 0, 0}), 0);
}

static void planes_and_lines_are_signed(void **state) {
    (void)state;
    const toc_vec a = {0, 0, 1}, b = {1, 0, 1}, c = {0, 1, 1};
    assert_double_near(toc_distance_plane((toc_vec[]){{9, 9, 3}, a, b, c}), 2, 1e-15);
    assert_double_near(toc_distance_plane((toc_vec[]){{9, 9, -1}, a, b, c}), -2, 1e-15);
    assert_double_same(toc_distance_plane((toc_vec[]){{9, 9, 3}, a, a, c}), 0);
    assert_double_near(toc_distance_lines((toc_vec[]){{0, 0, 0}, {1, 0, 0}, {9, 5, 2}, {9, 6, 2}}), 2, 1e-15);
    assert_double_near(toc_distance_lines((toc_vec[]){{0, 0, 0}, {1, 0, 0}, {9, 6, 2}, {9, 5, 2}}), -2, 1e-15);
    assert_double_same(toc_distance_lines((toc_vec[]){{0, 0, 0}, {1, 0, 0}, {0, 5, 2}, {4, 5, 2}}), 0);
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
        cmocka_unit_test(planes_and_lines_are_signed),
        cmocka_unit_test(triangles_apart_and_through_each_other),
        cmocka_unit_test(random_and_degenerate_features_prove_their_distance),
        cmocka_unit_test(distances_at_any_size),
        cmocka_unit_test(the_largest_coordinates),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
