// SPDX-License-Identifier: Apache-2.0
// Near pairs against every pair of features, measured one by one.
#include <float.h>
#include <math.h>
#include <string.h>

#include "pair/distance.h"
#include "support/answers.h"
#include "support/test.h"

typedef struct truth {
    toc_scene *bodies;
    toc_end end;
    double thickness, slack; // what rounding may be off by
    const toc_near *got;
    size_t at, sure;
} truth;

static toc_vec vertex(const truth *t, uint32_t body, uint32_t v) {
    const toc_mesh *mesh = toc_scene_edit_mesh(t->bodies, body);
    return toc_vec_of((t->end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh)) + 3 * (size_t)v);
}

// The answer has the pair next, or the pair is not that near.
static void measure(truth *t, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    toc_vec x[4];
    for (int i = 0; i < second && body[0] == body[1]; i++)
        for (int j = second; j < 4; j++)
            if (v[i] == v[j]) return;
    for (int i = 0; i < 4; i++) x[i] = vertex(t, body[i >= second], v[i]);
    const double distance = kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
    const toc_near_pair *pair = t->at < t->got->count ? &t->got->pairs[t->at] : NULL;
    const bool there = pair && pair->kind == kind && memcmp(pair->body, body, sizeof pair->body) == 0 &&
                       memcmp(pair->v, v, sizeof pair->v) == 0;
    t->at += there;
    t->sure += distance <= t->thickness - t->slack;
    if (distance <= t->thickness - t->slack) assert_true(there);
    if (distance > t->thickness + t->slack) assert_false(there);
    if (!there) return;
    assert_double_near(pair->distance, distance, t->slack + 1e-15);
    const toc_vec gap = toc_vec_sub(toc_vec_of(pair->points[0]), toc_vec_of(pair->points[1]));
    assert_double_near(toc_vec_length(gap), pair->distance, t->slack + 1e-15);
    if (pair->distance > 1e-9)
        assert_double_near(toc_vec_dot(gap, toc_vec_of(pair->normal)), pair->distance, t->slack + 1e-15);
}

static void measure_bodies(truth *t, toc_kind kind, const uint32_t body[2], const toc_features *a,
                           const toc_features *b) {
    const size_t count_a = kind == TOC_VF ? a->vertex_count : a->edge_count;
    const size_t count_b = kind == TOC_VF ? b->face_count : b->edge_count;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = kind == TOC_EE && a == b ? i + 1 : 0; j < count_b; j++) {
            uint32_t v[4];
            memcpy(v, kind == TOC_VF ? &a->vertices[i] : a->edges[i], (kind == TOC_VF ? 1 : 2) * sizeof *v);
            memcpy(v + (kind == TOC_VF ? 1 : 2), kind == TOC_VF ? b->faces[j] : b->edges[j],
                   (kind == TOC_VF ? 3 : 2) * sizeof *v);
            measure(t, kind, body, v);
        }
}

static size_t check(toc_scene *bodies, toc_end end, double thickness, double slack) {
    toc_near *got, *same;
    toc_query query = toc_query_default();
    toc_features *f[2];
    const uint32_t count = (uint32_t)toc_scene_get_body_count(bodies);
    query.threads = 1;
    assert_ok(toc_scene_find_near(bodies, &query, end, thickness, &got));
    query.threads = 3;
    assert_ok(toc_scene_find_near(bodies, &query, end, thickness, &same));
    assert_int_equal(got->count, same->count);
    if (got->count) assert_memory_equal(got->pairs, same->pairs, got->count * sizeof *got->pairs);
    toc_near_destroy(same);
    truth t = {bodies, end, thickness, slack, got, 0, 0};
    for (uint32_t i = 0; i < count; i++) assert_ok(toc_mesh_find_features(toc_scene_edit_mesh(bodies, i), &f[i]));
    for (int kind = TOC_VF; kind <= TOC_EE; kind++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = kind == TOC_EE ? a : 0; b < count; b++)
                measure_bodies(&t, (toc_kind)kind, (const uint32_t[]){a, b}, f[a], f[b]);
    assert_int_equal(t.at, got->count);
    for (uint32_t i = 0; i < count; i++) toc_features_destroy(f[i]);
    toc_near_destroy(got);
    return t.sure;
}

static void soups_of_every_shape(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t found = 0;
    for (int shape = 0; shape < TOC_SHAPE_COUNT; shape++) {
        toc_scene *bodies = test_scene_of_soups(&random, (toc_shape)shape, 12, 30, 0.2);
        found += check(bodies, TOC_AT_START, 0.02, 1e-12);
        found += check(bodies, TOC_AT_END, 0.1, 1e-12);
        toc_scene_destroy(bodies);
    }
    assert_true(found > 1000);
}

// Grids: parallel edges and coplanar faces, distances of exactly 0 and 1.
static void grids_at_whole_distances(void **state) {
    (void)state;
    const double thickness[] = {0, 0.5, 1};
    for (int i = 0; i < 3; i++) {
        toc_scene *bodies = test_scene_of(test_grid_volume(TOC_HEX, 2, 2, 1), test_grid_sheet(TOC_TRIANGLE, 2, 2));
        assert_true(check(bodies, TOC_AT_START, thickness[i], 0) > 50);
        toc_scene_destroy(bodies);
    }
}

// Whatever the unit of length, the same pairs.
static void tiny_and_huge(void **state) {
    (void)state;
    size_t counts[3];
    const double scales[] = {0x1p-1000, 1, 0x1p1000};
    for (int i = 0; i < 3; i++) {
        test_random random = {7};
        toc_mesh *soup = test_soup(&random, TOC_TRIANGLE, 40, 60);
        double x[3 * 60];
        for (size_t j = 0; j < 3 * 60; j++) x[j] = toc_mesh_get_x0(soup)[j] * scales[i];
        assert_ok(toc_mesh_set_motion(soup, x, x));
        toc_scene *bodies = test_scene_of(soup, NULL);
        const toc_query query = toc_query_default();
        toc_near *near;
        assert_ok(toc_scene_find_near(bodies, &query, TOC_AT_START, 0.05 * scales[i], &near));
        counts[i] = near->count;
        toc_near_destroy(near);
        toc_scene_destroy(bodies);
    }
    assert_true(counts[0] > 100);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[1], counts[2]);
}

// ---- over the step

// The smallest distance of 201 moments.
static double sampled(const toc_scene *bodies, const toc_near_pair *pair) {
    const int second = pair->kind == TOC_VF ? 1 : 2;
    double least = INFINITY;
    for (int step = 0; step <= 200; step++) {
        toc_vec x[4];
        for (int i = 0; i < 4; i++) {
            const toc_mesh *mesh = toc_scene_edit_mesh((toc_scene *)bodies, pair->body[i >= second]);
            const double *x0 = toc_mesh_get_x0(mesh) + 3 * (size_t)pair->v[i],
                         *x1 = toc_mesh_get_x1(mesh) + 3 * (size_t)pair->v[i];
            x[i] = toc_vec_mix(toc_vec_of(x0), toc_vec_of(x1), step / 200.0);
        }
        const double distance = pair->kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
        least = distance < least ? distance : least;
    }
    return least;
}

static int by_pair(const toc_near_pair *a, const toc_near_pair *b) {
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    const int bodies = memcmp(a->body, b->body, sizeof a->body);
    return bodies ? bodies : memcmp(a->v, b->v, sizeof a->v);
}

static bool holds(const toc_near *near, const toc_near_pair *pair) {
    for (size_t i = 0; i < near->count; i++)
        if (by_pair(&near->pairs[i], pair) == 0) return true;
    return false;
}

// What is near at an end is near in the step; what comes near in between only is there as well, and nothing else.
static void any_time_of_the_step(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t between = 0;
    for (int round = 0; round < 12; round++) {
        toc_scene *bodies = test_scene_of_soups(&random, round % 2 ? TOC_TRIANGLE : TOC_TET, 8, 24, 0.6);
        toc_query query = toc_query_default();
        toc_near *all, *wide, *same, *ends[2];
        query.threads = 1;
        assert_ok(toc_scene_find_near_in_step(bodies, &query, 0.03, &all));
        assert_ok(toc_scene_find_near_in_step(bodies, &query, 10, &wide)); // every pair there is
        query.threads = 3;
        assert_ok(toc_scene_find_near_in_step(bodies, &query, 0.03, &same));
        assert_int_equal(all->count, same->count);
        assert_memory_equal(all->pairs, same->pairs, all->count * sizeof *all->pairs);
        for (toc_end end = TOC_AT_START; end <= TOC_AT_END; end++) {
            assert_ok(toc_scene_find_near(bodies, &query, end, 0.03, &ends[end]));
            for (size_t i = 0; i < ends[end]->count; i++) {
                assert_true(holds(all, &ends[end]->pairs[i]));
                assert_double_same(ends[end]->pairs[i].time, end == TOC_AT_START ? 0 : 1);
            }
        }
        for (size_t i = 0; i < wide->count; i++) {
            const double least = sampled(bodies, &wide->pairs[i]);
            if (least <= 0.03 - 1e-15) assert_true(holds(all, &wide->pairs[i]));
        }
        for (size_t i = 0; i < all->count; i++) {
            const toc_near_pair *pair = &all->pairs[i];
            const double least = sampled(bodies, pair);
            assert_true(pair->distance <= 0.03 * (1 + 0x1p-20) + 1e-12);
            assert_true(pair->distance <= least + 0.03 * 0x1p-20 + 1e-12);
            assert_true(pair->time >= 0 && pair->time <= 1);
            assert_double_same(pair->thickness, 0.03);
            const toc_vec gap = toc_vec_sub(toc_vec_of(pair->points[0]), toc_vec_of(pair->points[1]));
            assert_double_near(toc_vec_length(gap), pair->distance, 1e-12);
            between += !holds(ends[0], pair) && !holds(ends[1], pair);
        }
        toc_near_destroy(all);
        toc_near_destroy(wide);
        toc_near_destroy(same);
        toc_near_destroy(ends[0]);
        toc_near_destroy(ends[1]);
        toc_scene_destroy(bodies);
    }
    assert_true(between > 300);
}

static size_t count_near(toc_scene *bodies, bool step, double thickness) {
    const toc_query query = toc_query_default();
    toc_near *near;
    assert_ok(step ? toc_scene_find_near_in_step(bodies, &query, thickness, &near)
                   : toc_scene_find_near(bodies, &query, TOC_AT_START, thickness, &near));
    const size_t count = near->count;
    toc_near_destroy(near);
    return count;
}

// Two sheets half a unit apart: what is thick counts half on either side, a body as a whole and an element by itself.
static void bodies_and_elements_that_are_thick(void **state) {
    (void)state;
    for (int step = 0; step < 2; step++) {
        toc_mesh *low = test_grid_sheet(TOC_TRIANGLE, 3, 3), *high = test_grid_sheet(TOC_TRIANGLE, 3, 3);
        double x[3 * 16];
        memcpy(x, toc_mesh_get_x0(high), sizeof x);
        for (size_t v = 0; v < 16; v++) x[3 * v + 2] = 0.5;
        assert_ok(toc_mesh_set_motion(high, x, x));
        toc_scene *bodies = test_scene_of(low, high);
        for (uint32_t b = 0; b < 2; b++) assert_ok(toc_scene_set_self_contact(bodies, b, false));
        const size_t all = count_near(bodies, step, 0.51);
        assert_true(all > 100);
        assert_int_equal(count_near(bodies, step, 0.49), 0);
        assert_ok(toc_scene_set_body_thickness(bodies, 0, 0.4));
        assert_int_equal(count_near(bodies, step, 0.29), 0);
        assert_int_equal(count_near(bodies, step, 0.31), all);
        assert_ok(toc_scene_set_body_thickness(bodies, 1, 0.4));
        assert_int_equal(count_near(bodies, step, 0.11), all);
        assert_ok(toc_mesh_set_thickness(high, 4, 0.6));
        const size_t some = count_near(bodies, step, 0.01);
        assert_true(0 < some && some < all / 2);
        toc_scene_destroy(bodies);
    }
}

// A sheet that glides over another, tilted: near is what comes within the thickness, and hardly more.
static void passing_by_at_just_the_thickness(void **state) {
    (void)state;
    toc_mesh *low = test_grid_sheet(TOC_TRIANGLE, 3, 3), *high = test_grid_sheet(TOC_TRIANGLE, 3, 3);
    double x0[3 * 16], x1[3 * 16];
    for (size_t v = 0; v < 16; v++) {
        const double *x = toc_mesh_get_x0(high) + 3 * v;
        x0[3 * v] = x[0] - 7, x0[3 * v + 1] = x[1] + 0.3, x0[3 * v + 2] = 0.5 + 0.1 * x[0];
        x1[3 * v] = x[0] + 9, x1[3 * v + 1] = x[1] + 0.1, x1[3 * v + 2] = 0.5 + 0.1 * x[0];
    }
    assert_ok(toc_mesh_set_motion(high, x0, x1));
    toc_scene *bodies = test_scene_of(low, high);
    for (uint32_t b = 0; b < 2; b++) assert_ok(toc_scene_set_self_contact(bodies, b, false));
    assert_int_equal(count_near(bodies, true, 0.5 * (1 - 1e-5)), 0);
    assert_true(count_near(bodies, true, 0.5 * (1 + 1e-5)) > 50);
    toc_scene_destroy(bodies);
}

static bool wants(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    (void)user, (void)body;
    return (v[0] + v[3] + kind) % 2 == 0;
}

static void filters_are_heard(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of(test_soup(&random, TOC_TRIANGLE, 20, 40), NULL);
    toc_query query = toc_query_default();
    toc_near *all, *some;
    assert_ok(toc_scene_find_near(bodies, &query, TOC_AT_START, 0.1, &all));
    query.filter.wants = wants;
    assert_ok(toc_scene_find_near(bodies, &query, TOC_AT_START, 0.1, &some));
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!wants(NULL, all->pairs[i].kind, all->pairs[i].body, all->pairs[i].v)) continue;
        assert_true(kept < some->count);
        assert_memory_equal(&some->pairs[kept++], &all->pairs[i], sizeof *all->pairs);
    }
    assert_int_equal(kept, some->count);
    assert_true(0 < kept && kept < all->count);
    toc_near_destroy(all);
    toc_near_destroy(some);
    toc_scene_destroy(bodies);
}

static void wrong_settings(void **state) {
    (void)state;
    toc_scene *bodies;
    toc_near *near = NULL;
    const toc_query query = toc_query_default();
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_fails(toc_scene_find_near(bodies, &query, TOC_AT_START, -1, &near), TOC_BAD_INPUT, "thickness is -1");
    assert_fails(toc_scene_find_near(bodies, &query, TOC_AT_START, NAN, &near), TOC_BAD_INPUT, "thickness");
    assert_fails(toc_scene_find_near(bodies, &query, TOC_AT_START, INFINITY, &near), TOC_BAD_INPUT, "thickness");
    assert_fails(toc_scene_find_near(bodies, NULL, TOC_AT_START, 1, &near), TOC_BAD_INPUT, "toc_query_init");
    assert_fails(toc_scene_find_near_in_step(bodies, &query, -1, &near), TOC_BAD_INPUT, "thickness is -1");
    assert_fails(toc_scene_set_body_thickness(bodies, 0, 1), TOC_BAD_INPUT, "no body 0");
    assert_null(near);
    assert_ok(toc_scene_find_near(bodies, &query, TOC_AT_START, 1, &near));
    assert_int_equal(near->count, 0);
    toc_near_destroy(near);
    toc_near_destroy(NULL);
    toc_scene_destroy(bodies);
}

static toc_status search(const toc_allocator *allocator, void *user) {
    (void)user;
    test_random random = {5};
    toc_mesh *soup = test_soup(&random, TOC_TET, 12, 30);
    toc_scene *bodies = NULL;
    toc_near *near = NULL;
    toc_query query = toc_query_default();
    query.threads = 1;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status == TOC_OK) status = toc_scene_add_body(bodies, soup, NULL);
    if (status != TOC_OK) toc_mesh_destroy(soup);
    if (status == TOC_OK) status = toc_scene_find_near(bodies, &query, TOC_AT_START, 0.1, &near);
    toc_near_destroy(near);
    near = NULL;
    if (status == TOC_OK) status = toc_scene_find_near_in_step(bodies, &query, 0.1, &near);
    toc_near_destroy(near);
    toc_scene_destroy(bodies);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    assert_true(test_every_allocation(search, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_of_every_shape),
        cmocka_unit_test(grids_at_whole_distances),
        cmocka_unit_test(tiny_and_huge),
        cmocka_unit_test(any_time_of_the_step),
        cmocka_unit_test(bodies_and_elements_that_are_thick),
        cmocka_unit_test(passing_by_at_just_the_thickness),
        cmocka_unit_test(filters_are_heard),
        cmocka_unit_test(wrong_settings),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
