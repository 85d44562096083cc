// SPDX-License-Identifier: Apache-2.0
// Near pairs over the step of accelerated bodies, against every pair of features at many times.
#include <math.h>
#include <string.h>

#include "pair/distance.h"
#include "support/answers.h"
#include "support/test.h"

enum { LOOKS = 256 };

typedef struct truth {
    toc_scene *bodies;
    double thickness;
    const toc_near *got;
    size_t at, sure, between; // pairs found, certainly near, and near in between only
} truth;

static toc_vec place(const truth *t, uint32_t body, uint32_t v, double time) {
    const toc_mesh *mesh = toc_scene_edit_mesh(t->bodies, body);
    const double *x0 = toc_mesh_get_x0(mesh) + 3 * (size_t)v, *x1 = toc_mesh_get_x1(mesh) + 3 * (size_t)v;
    const double *a = toc_mesh_get_acceleration(mesh);
    double x[3];
    for (int k = 0; k < 3; k++) {
        const double bend = a ? a[3 * (size_t)v + (size_t)k] / 2 * time * (1 - time) : 0;
        x[k] = (1 - time) * x0[k] + time * x1[k] - bend;
    }
    return toc_vec_of(x);
}

static double distance_at(const truth *t, toc_kind kind, const uint32_t body[2], const uint32_t v[4], double time) {
    toc_vec x[4];
    for (int i = 0; i < 4; i++) x[i] = place(t, body[i >= (kind == TOC_VF ? 1 : 2)], v[i], time);
    return kind == TOC_VF ? toc_closest_vf(x).distance : toc_closest_ee(x).distance;
}

// An upper bound of the speed of a vertex: that at an end of the step.
static double speed_of(const truth *t, uint32_t body, uint32_t v) {
    const toc_mesh *mesh = toc_scene_edit_mesh(t->bodies, body);
    const size_t at = 3 * (size_t)v;
    const double *a = toc_mesh_get_acceleration(mesh);
    const toc_vec along = toc_vec_sub(toc_vec_of(toc_mesh_get_x1(mesh) + at), toc_vec_of(toc_mesh_get_x0(mesh) + at));
    return toc_vec_length(along) + (a ? toc_vec_length(toc_vec_of(a + at)) / 2 : 0);
}

// The smallest distance of many times, and how much less it can be between two of them.
static double least_of(const truth *t, toc_kind kind, const uint32_t body[2], const uint32_t v[4], double *slack) {
    double least = INFINITY, speed[2] = {0, 0};
    const int second = kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < 4; i++) speed[i >= second] = fmax(speed[i >= second], speed_of(t, body[i >= second], v[i]));
    for (int i = 0; i <= LOOKS; i++) least = fmin(least, distance_at(t, kind, body, v, (double)i / LOOKS));
    *slack = (speed[0] + speed[1]) / (2 * LOOKS);
    return least;
}

static void check_found(const truth *t, const toc_near_pair *pair, double least, double slack) {
    const double off = 1e-12;
    assert_true(pair->distance <= least + 0x1p-12 * t->thickness + off);
    assert_true(pair->distance >= least - slack - off);
    assert_true(pair->time >= 0 && pair->time <= 1);
    assert_double_near(distance_at(t, pair->kind, pair->body, pair->v, pair->time), pair->distance, off);
    const toc_vec gap = toc_vec_sub(toc_vec_of(pair->points[0]), toc_vec_of(pair->points[1]));
    assert_double_near(toc_vec_length(gap), pair->distance, off);
}

// The answer has the pair next, or the pair does not come that near.
static void measure(truth *t, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < second && body[0] == body[1]; i++)
        for (int j = second; j < 4; j++)
            if (v[i] == v[j]) return;
    double slack;
    const double least = least_of(t, kind, body, v, &slack);
    const toc_near_pair *pair = t->at < t->got->count ? &t->got->pairs[t->at] : NULL;
    const bool there = pair && pair->kind == kind && memcmp(pair->body, body, sizeof pair->body) == 0 &&
                       memcmp(pair->v, v, sizeof pair->v) == 0;
    if (least <= t->thickness - 1e-12) assert_true(there);
    if (least - slack > t->thickness + 1e-12) assert_false(there);
    t->at += there;
    t->sure += least <= t->thickness;
    t->between += least <= t->thickness && distance_at(t, kind, body, v, 0) > t->thickness &&
                  distance_at(t, kind, body, v, 1) > t->thickness;
    if (there) check_found(t, pair, least, slack);
}

static void measure_bodies(truth *t, toc_kind kind, const uint32_t body[2], const toc_features *a,
                           const toc_features *b) {
    const size_t count_a = kind == TOC_VF ? a->vertex_count : a->edge_count;
    const size_t count_b = kind == TOC_VF ? b->face_count : b->edge_count;
    const size_t first = kind == TOC_VF ? 1 : 2;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = kind == TOC_EE && a == b ? i + 1 : 0; j < count_b; j++) {
            uint32_t v[4];
            memcpy(v, kind == TOC_VF ? &a->vertices[i] : a->edges[i], first * sizeof *v);
            memcpy(v + first, kind == TOC_VF ? b->faces[j] : b->edges[j], (4 - first) * sizeof *v);
            measure(t, kind, body, v);
        }
}

static toc_near *near_of(toc_scene *bodies, const char *preset, int threads, double thickness) {
    toc_query query = toc_query_default();
    toc_near *near;
    query.preset = preset;
    query.threads = threads;
    assert_ok(test_find_near_in_step(bodies, &query, thickness, &near));
    return near;
}

static void assert_same(const toc_near *wanted, toc_near *got) {
    assert_int_equal(got->count, wanted->count);
    if (got->count) assert_memory_equal(got->pairs, wanted->pairs, got->count * sizeof *got->pairs);
    toc_near_destroy(got);
}

static truth check_all(toc_scene *bodies, double thickness) {
    toc_near *got = near_of(bodies, "auto", 1, thickness);
    const uint32_t count = (uint32_t)toc_scene_get_body_count(bodies);
    toc_features *f[2];
    assert_same(got, near_of(bodies, "auto", 3, thickness));
    assert_same(got, near_of(bodies, "voxel-safe", 2, thickness));
    assert_same(got, near_of(bodies, "voxel", 1, thickness));
    truth t = {.bodies = bodies, .thickness = thickness, .got = got};
    for (uint32_t i = 0; i < count; i++) assert_ok(toc_mesh_find_features(toc_scene_edit_mesh(bodies, i), &f[i]));
    for (int kind = TOC_VF; kind <= TOC_EE; kind++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = kind == TOC_EE ? a : 0; b < count; b++)
                measure_bodies(&t, (toc_kind)kind, (const uint32_t[]){a, b}, f[a], f[b]);
    assert_int_equal(t.at, got->count);
    for (uint32_t i = 0; i < count; i++) toc_features_destroy(f[i]);
    toc_near_destroy(got);
    return t;
}

static void accelerate(toc_mesh *mesh, test_random *random, double most) {
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double a[3 * 64];
    assert_true(count <= 3 * 64);
    for (size_t i = 0; i < count; i++) a[i] = most * test_random_between(random, -1, 1);
    assert_ok(test_mesh_accelerate(mesh, a));
}

static void soups_against_every_pair(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t sure = 0, between = 0;
    for (int round = 0; round < test_less(8, 2); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, round % 2 ? TOC_TRIANGLE : TOC_TET, 3, 12, 0.4);
        accelerate(toc_scene_edit_mesh(bodies, 0), &random, 2);
        if (round % 3) accelerate(toc_scene_edit_mesh(bodies, 1), &random, 2);
        const truth t = check_all(bodies, 0.04);
        sure += t.sure, between += t.between;
        toc_scene_destroy(bodies);
    }
    assert_true(sure > test_less(300u, 30u) && between > test_less(100u, 10u));
}

// A sheet that is thrown towards another and falls back: near at the top of its path, far on the straight one.
static void near_at_the_top_of_the_path_only(void **state) {
    (void)state;
    toc_mesh *low = test_grid_sheet(TOC_TRIANGLE, 2, 2), *high = test_grid_sheet(TOC_TRIANGLE, 2, 2);
    double x[3 * 9], a[3 * 9] = {0};
    memcpy(x, toc_mesh_get_x0(high), sizeof x);
    for (size_t v = 0; v < 9; v++) x[3 * v] += 0.3, x[3 * v + 1] += 0.2, x[3 * v + 2] = 1, a[3 * v + 2] = -7.2;
    assert_ok(test_mesh_set_motion(high, x, x));
    toc_scene *bodies = test_scene_of(low, high);
    for (uint32_t b = 0; b < 2; b++) assert_ok(toc_scene_set_self_contact(bodies, b, false));
    for (int kind = 0; kind < 2; kind++) {
        toc_near *near = near_of(bodies, kind ? "voxel-safe" : "auto", 1, 0.2);
        assert_int_equal(near->count, 0);
        toc_near_destroy(near);
    }
    assert_ok(test_mesh_accelerate(low, a)); // down, and so up at first: the top is 7.2 / 8 = 0.9 high
    toc_near *near = near_of(bodies, "auto", 1, 0.2), *closer = near_of(bodies, "auto", 1, 0.0999);
    assert_true(near->count > 20);
    assert_int_equal(closer->count, 0);
    for (size_t i = 0; i < near->count; i++) assert_true(near->pairs[i].distance > 0.1 - 1e-6);
    toc_near_destroy(near);
    toc_near_destroy(closer);
    assert_ok(test_mesh_accelerate(high, a)); // both alike: as far apart as without
    near = near_of(bodies, "auto", 1, 0.2);
    assert_int_equal(near->count, 0);
    toc_near_destroy(near);
    toc_scene_destroy(bodies);
}

// Without a distance, near pairs are the contacts of exact arithmetic.
static void no_thickness_means_contacts(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t touching = 0;
    for (int round = 0; round < test_less(6, 2); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 5, 20, 0.5);
        accelerate(toc_scene_edit_mesh(bodies, 0), &random, 3);
        toc_query query = toc_query_default();
        toc_contacts *contacts;
        query.preset = "brute";
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        toc_near *near = near_of(bodies, "auto", 2, 0);
        assert_int_equal(near->count, contacts->count);
        for (size_t i = 0; i < near->count; i++) {
            assert_int_equal(near->pairs[i].kind, contacts->contacts[i].kind);
            assert_memory_equal(near->pairs[i].v, contacts->contacts[i].v, sizeof near->pairs[i].v);
        }
        touching += near->count;
        toc_near_destroy(near);
        toc_contacts_destroy(contacts);
        toc_scene_destroy(bodies);
    }
    assert_true(touching > test_less(60u, 10u));
}

// Thick bodies and any unit of length: the same pairs.
static void thickness_and_scale(void **state) {
    (void)state;
    size_t counts[4];
    const double scales[] = {0x1p-900, 1, 0x1p900, 1};
    for (int i = 0; i < 4; i++) {
        test_random random = {11};
        toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 4, 16, 0.4);
        for (uint32_t b = 0; b < 2; b++) {
            toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
            double x0[3 * 64], x1[3 * 64], a[3 * 64];
            const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
            for (size_t j = 0; j < count; j++) {
                x0[j] = toc_mesh_get_x0(mesh)[j] * scales[i], x1[j] = toc_mesh_get_x1(mesh)[j] * scales[i];
                a[j] = test_random_between(&random, -1, 1) * scales[i];
            }
            assert_ok(test_mesh_set_motion(mesh, x0, x1));
            assert_ok(test_mesh_accelerate(mesh, a));
            if (i == 3) assert_ok(toc_scene_set_body_thickness(bodies, b, 0.05));
        }
        toc_near *near = near_of(bodies, "auto", 1, i == 3 ? 0 : 0.05 * scales[i]);
        counts[i] = near->count;
        toc_near_destroy(near);
        toc_scene_destroy(bodies);
    }
    assert_true(counts[0] > 20);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[1], counts[2]);
    assert_int_equal(counts[1], counts[3]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_against_every_pair),
        cmocka_unit_test(near_at_the_top_of_the_path_only),
        cmocka_unit_test(no_thickness_means_contacts),
        cmocka_unit_test(thickness_and_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
