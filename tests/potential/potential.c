// SPDX-License-Identifier: Apache-2.0
// Potentials of scenes: sums over pairs, derivatives of the sums, threads, worlds, settings, mistakes.
#include <math.h>
#include <string.h>

#include "potential/terms.h"
#include "support/answers.h"
#include "support/grid.h"

enum { VERTICES_MOST = 200 };
static const double DISTANCE = 0.2;

// Two soups of triangles whose vertices move a little, the second one thick, above a sheet that rests for ever.
static toc_scene *make_scene(bool world) {
    test_random random = {7};
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = test_soup(&random, TOC_TRIANGLE, 12, 12);
        test_shake(mesh, &random, 0, 0.02);
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
        assert_ok(toc_scene_set_body_thickness(scene, b, 1e-3 * b));
    }
    if (world) {
        toc_world *sheet;
        assert_ok(toc_world_create(NULL, test_sheet_at(12, -0.05), &sheet));
        assert_ok(toc_scene_add_world(scene, sheet, NULL));
        toc_world_destroy(sheet);
    }
    return scene;
}

static toc_near *near_of(toc_scene *scene, toc_end end) {
    const toc_query query = toc_query_default();
    toc_near *near;
    assert_ok(test_find_near(scene, &query, end, DISTANCE, &near));
    return near;
}

static toc_potential_query asked(toc_potential_kind kind, toc_end end) {
    toc_potential_query query = toc_potential_query_default();
    query.kind = kind;
    query.end = end;
    query.distance = DISTANCE;
    query.stiffness = 1e4;
    query.slip = 0.01;
    return query;
}

static toc_potential *potential_of(toc_scene *scene, const toc_near *near, const toc_potential_query *query,
                                   int threads) {
    toc_query settings = toc_query_default();
    toc_potential *found;
    settings.threads = threads;
    assert_ok(toc_scene_find_potential(scene, &settings, near, query, &found));
    return found;
}

static double value_at(const toc_potential *p, size_t row, size_t column) {
    for (size_t i = p->rows[row]; i < p->rows[row + 1]; i++)
        if (p->columns[i] == column) return p->values[i];
    return 0;
}

// The sum over all pairs, one by one, in a dense matrix.
static void sums_are_those_of_the_pairs(void **state) {
    (void)state;
    static double dense[3 * VERTICES_MOST][3 * VERTICES_MOST];
    toc_scene *scene = make_scene(false);
    toc_near *near = near_of(scene, TOC_AT_START);
    const toc_potential_query query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    toc_potential *found = potential_of(scene, near, &query, 0);
    double energy = 0, gradient[3 * VERTICES_MOST] = {0}, largest = 0;
    size_t counts[TOC_PAIR_CLASS_COUNT] = {0};
    assert_true(found->vertex_count <= VERTICES_MOST && found->body_count == 2);
    for (size_t i = 0; i < near->count; i++) {
        const toc_near_pair *p = &near->pairs[i];
        toc_vec x[4];
        size_t row[4];
        for (int k = 0; k < 4; k++) {
            const uint32_t body = p->body[k >= (p->kind == TOC_VF ? 1 : 2)];
            row[k] = 3 * (found->body_first[body] + p->v[k]);
            x[k] = toc_vec_of(toc_mesh_get_x0(toc_scene_edit_mesh(scene, body)) + 3 * (size_t)p->v[k]);
        }
        const toc_terms_query one = {.order = TOC_HESSIAN,
                                     .distance = DISTANCE,
                                     .minimum = p->thickness - DISTANCE,
                                     .stiffness = query.stiffness};
        toc_terms terms;
        toc_terms_place place;
        const double limit = p->kind == TOC_EE ? toc_mollifier_limit(x) : 0;
        if (toc_terms_barrier(&one, p->kind, x, limit, &place, &terms) == TOC_TERMS_NONE) continue;
        energy += terms.energy;
        counts[place.class]++;
        for (int r = 0; r < 12; r++) {
            gradient[row[r / 3] + (size_t)r % 3] += terms.gradient[r / 3][r % 3];
            for (int c = 0; c < 12; c++) {
                double value = 0;
                for (int k = 0; k < terms.count; k++) {
                    const toc_square *q = &terms.squares[k];
                    value += q->scale * q->z[r / 3][r % 3] * q->z[c / 3][c % 3];
                }
                dense[row[r / 3] + (size_t)r % 3][row[c / 3] + (size_t)c % 3] += value;
                largest = fmax(largest, fabs(value));
            }
        }
    }
    assert_double_same(found->energy, energy);
    assert_memory_equal(found->counts, counts, sizeof counts);
    for (int k = 0; k < TOC_PAIR_CLASS_COUNT; k++) assert_true(counts[k] > 0);
    assert_memory_equal(found->gradient, gradient, 3 * found->vertex_count * sizeof *gradient);
    assert_int_equal(found->rows[3 * found->vertex_count], found->value_count);
    for (size_t r = 0; r < 3 * found->vertex_count; r++) {
        for (size_t i = found->rows[r] + 1; i < found->rows[r + 1]; i++)
            assert_true(found->columns[i - 1] < found->columns[i]);
        for (size_t c = 0; c < 3 * found->vertex_count; c++)
            assert_double_near(value_at(found, r, c), dense[r][c], 1e-12 * largest);
    }
    toc_potential_destroy(found);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

// ---- derivatives of a scene

static void move_by(toc_scene *scene, uint32_t body, size_t k, double by) {
    double x0[3 * VERTICES_MOST], x1[3 * VERTICES_MOST];
    toc_mesh *mesh = toc_scene_edit_mesh(scene, body);
    const size_t bytes = 3 * toc_mesh_get_vertex_count(mesh) * sizeof *x0;
    memcpy(x0, toc_mesh_get_x0(mesh), bytes);
    memcpy(x1, toc_mesh_get_x1(mesh), bytes);
    x1[k] += by;
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
}

// The near pairs of the barrier are found anew at the moved positions, those of friction stay.
static toc_potential *moved_potential(toc_scene *scene, const toc_near *lagged, const toc_potential_query *query,
                                      uint32_t body, size_t k, double by) {
    move_by(scene, body, k, by);
    toc_near *near = lagged ? NULL : near_of(scene, TOC_AT_END);
    toc_potential *found = potential_of(scene, lagged ? lagged : near, query, 1);
    toc_near_destroy(near);
    move_by(scene, body, k, -by);
    return found;
}

static void check_derivatives(toc_potential_kind kind) {
    const double h = 1e-7;
    toc_scene *scene = make_scene(true);
    toc_near *near = near_of(scene, kind == TOC_POTENTIAL_BARRIER ? TOC_AT_END : TOC_AT_START);
    const toc_near *lagged = kind == TOC_POTENTIAL_FRICTION ? near : NULL;
    toc_potential_query query = asked(kind, TOC_AT_END);
    query.indefinite = true;
    toc_potential *found = potential_of(scene, near, &query, 1);
    double scale[2] = {0, 0}, worst[2] = {0, 0};
    for (size_t i = 0; i < found->value_count; i++) scale[1] = fmax(scale[1], fabs(found->values[i]));
    for (size_t i = 0; i < 3 * found->vertex_count; i++) scale[0] = fmax(scale[0], fabs(found->gradient[i]));
    assert_int_equal(found->body_first[2], found->body_first[3]); // the world
    for (uint32_t body = 0; body < 2; body++)
        for (size_t k = 0; k < 36; k += (size_t)test_less(1, 7)) {
            const size_t column = 3 * found->body_first[body] + k;
            toc_potential *after = moved_potential(scene, lagged, &query, body, k, h);
            toc_potential *before = moved_potential(scene, lagged, &query, body, k, -h);
            const double slope = (after->energy - before->energy) / (2 * h);
            worst[0] = fmax(worst[0], fabs(slope - found->gradient[column]) / scale[0]);
            for (size_t row = 0; row < 3 * found->vertex_count; row++) {
                const double bend = (after->gradient[row] - before->gradient[row]) / (2 * h);
                worst[1] = fmax(worst[1], fabs(bend - value_at(found, row, column)) / scale[1]);
            }
            toc_potential_destroy(after);
            toc_potential_destroy(before);
        }
    print_message("largest relative differences: gradient %.1e, Hessian %.1e\n", worst[0], worst[1]);
    assert_true(scale[0] > 0 && worst[0] < 1e-6);
    assert_true(scale[1] > 0 && worst[1] < 1e-6);
    toc_potential_destroy(found);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

static void derivatives_of_the_barrier(void **state) {
    (void)state;
    check_derivatives(TOC_POTENTIAL_BARRIER);
}

static void derivatives_of_friction(void **state) {
    (void)state;
    check_derivatives(TOC_POTENTIAL_FRICTION);
}

// Without a world nothing pushes the whole: forces and torques sum to 0.
static void forces_balance(void **state) {
    (void)state;
    toc_scene *scene = make_scene(false);
    toc_near *near = near_of(scene, TOC_AT_START);
    const toc_potential_query query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    toc_potential *found = potential_of(scene, near, &query, 0);
    toc_vec force = {0, 0, 0}, torque = {0, 0, 0};
    double largest = 0;
    for (uint32_t b = 0; b < 2; b++)
        for (size_t v = found->body_first[b]; v < found->body_first[b + 1]; v++) {
            const double *x = toc_mesh_get_x0(toc_scene_edit_mesh(scene, b)) + 3 * (v - found->body_first[b]);
            const toc_vec pull = toc_vec_of(found->gradient + 3 * v);
            force = toc_vec_add(force, pull);
            torque = toc_vec_add(torque, toc_vec_cross(toc_vec_of(x), pull));
            largest = fmax(largest, toc_vec_max(pull));
        }
    assert_true(largest > 0);
    assert_double_near(toc_vec_max(force), 0, 1e-11 * largest);
    assert_double_near(toc_vec_max(torque), 0, 1e-10 * largest);
    toc_potential_destroy(found);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

static void the_same_bytes_with_any_number_of_threads(void **state) {
    (void)state;
    toc_scene *scene = make_scene(true);
    toc_near *near = near_of(scene, TOC_AT_START);
    for (int kind = TOC_POTENTIAL_BARRIER; kind <= TOC_POTENTIAL_FRICTION; kind++) {
        const toc_potential_query query = asked((toc_potential_kind)kind, TOC_AT_START);
        toc_potential *one = potential_of(scene, near, &query, 1);
        for (int threads = 2; threads < 5; threads++) {
            toc_potential *many = potential_of(scene, near, &query, threads);
            assert_double_same(many->energy, one->energy);
            assert_int_equal(many->value_count, one->value_count);
            assert_memory_equal(many->values, one->values, one->value_count * sizeof *one->values);
            assert_memory_equal(many->columns, one->columns, one->value_count * sizeof *one->columns);
            assert_memory_equal(many->gradient, one->gradient, 3 * one->vertex_count * sizeof *one->gradient);
            toc_potential_destroy(many);
        }
        toc_potential_destroy(one);
    }
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

static void less_is_found_on_request(void **state) {
    (void)state;
    toc_scene *scene = make_scene(true);
    toc_near *near = near_of(scene, TOC_AT_START);
    toc_potential_query query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    toc_potential *all = potential_of(scene, near, &query, 1);
    query.order = TOC_GRADIENT;
    toc_potential *some = potential_of(scene, near, &query, 1);
    assert_null(some->values);
    assert_memory_equal(some->gradient, all->gradient, 3 * all->vertex_count * sizeof *all->gradient);
    toc_potential_destroy(some);
    query.order = TOC_ENERGY;
    some = potential_of(scene, near, &query, 1);
    assert_null(some->gradient);
    assert_double_same(some->energy, all->energy);
    toc_potential_destroy(some);
    // Longer edges at rest: more pairs count as nearly parallel.
    static double rest[3 * VERTICES_MOST];
    for (size_t i = 0; i < 3 * VERTICES_MOST; i++) rest[i] = 1e3 * sin((double)i);
    query.rest = rest;
    some = potential_of(scene, near, &query, 1);
    assert_true(some->mollified > all->mollified && some->energy < all->energy);
    toc_potential_destroy(some);
    toc_potential_destroy(all);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

// ---- mistakes

static void assert_potential_refused(toc_scene *scene, const toc_near *near, const toc_potential_query *query,
                                     const char *words) {
    const toc_query settings = toc_query_default();
    toc_potential *found = NULL;
    assert_fails(toc_scene_find_potential(scene, &settings, near, query, &found), TOC_BAD_INPUT, words);
    assert_null(found);
}

static void mistakes_of_the_caller(void **state) {
    (void)state;
    toc_scene *scene = make_scene(false);
    toc_near *near = near_of(scene, TOC_AT_START);
    toc_potential_query query = asked(TOC_POTENTIAL_FRICTION, TOC_AT_START);
    assert_potential_refused(scene, NULL, &query, "near is NULL");
    assert_potential_refused(scene, near, NULL, "toc_potential_query_init");
    query.slip = 0;
    assert_potential_refused(scene, near, &query, "slip");
    query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    query.distance = NAN;
    assert_potential_refused(scene, near, &query, "distance");
    query.distance = 2 * DISTANCE;
    assert_potential_refused(scene, near, &query, "smaller distance");
    query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    query.stiffness = -1;
    assert_potential_refused(scene, near, &query, "stiffness");
    query = asked((toc_potential_kind)7, TOC_AT_START);
    assert_potential_refused(scene, near, &query, "number 7");
    query = asked(TOC_POTENTIAL_BARRIER, (toc_end)9);
    assert_potential_refused(scene, near, &query, "end number 9");
    query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    toc_near_pair pair = near->pairs[0];
    pair.v[3] = 1000;
    toc_near *other;
    assert_ok(toc_near_create(NULL, 1, &pair, &other));
    assert_potential_refused(scene, other, &query, "is not of this scene");
    toc_near_destroy(other);
    pair.v[3] = near->pairs[0].v[3];
    pair.body[0] = 99;
    assert_ok(toc_near_create(NULL, 1, &pair, &other));
    assert_potential_refused(scene, other, &query, "is not of this scene");
    toc_near_destroy(other);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
    toc_potential_destroy(NULL);
}

// A vertex on a face: the barrier has no value there.
static void features_that_touch(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 0};
    toc_mesh *mesh;
    toc_scene *scene;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 4, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, (const uint32_t[]){0, 1, 2}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_POINT, 1, (const uint32_t[]){3}, NULL));
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, mesh, NULL));
    toc_near *near = near_of(scene, TOC_AT_START);
    const toc_potential_query query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    assert_int_equal(near->count, 1);
    assert_potential_refused(scene, near, &query, "at its minimum distance");
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

// Two parallel triangles, 0.1 apart.
static toc_status add_triangles(toc_scene *scene, const toc_allocator *allocator) {
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 0.1, 1.2, 0.2, 0.1, 0.2, 1.2, 0.1};
    toc_mesh *mesh = NULL;
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) status = toc_mesh_add_vertices(mesh, 6, x, NULL);
    if (status == TOC_OK)
        status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 3, 4, 5}, NULL);
    if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    return status;
}

static toc_status find_with(const toc_allocator *allocator, void *user) {
    toc_scene *scene = NULL;
    toc_near *near = NULL;
    toc_potential *found = NULL;
    toc_query settings = toc_query_default();
    (void)user;
    settings.threads = 1;
    toc_status status = toc_scene_create(allocator, &scene);
    if (status == TOC_OK) status = add_triangles(scene, allocator);
    if (status == TOC_OK) status = test_find_near(scene, &settings, TOC_AT_START, DISTANCE, &near);
    const toc_potential_query query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    if (status == TOC_OK) status = toc_scene_find_potential(scene, &settings, near, &query, &found);
    if (status == TOC_OK) assert_true(found->value_count > 0);
    toc_potential_destroy(found);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
    return status;
}

static void every_allocation_fails(void **state) {
    (void)state;
    assert_true(test_every_allocation(find_with, NULL) > 10);
}

static int stop(void *user, double done) {
    (void)user;
    (void)done;
    return 1;
}

static void progress_stops_it(void **state) {
    (void)state;
    toc_scene *scene = make_scene(false);
    toc_near *near = near_of(scene, TOC_AT_START);
    const toc_potential_query query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    toc_query settings = toc_query_default();
    toc_potential *found = NULL;
    settings.progress.report = stop;
    assert_fails(toc_scene_find_potential(scene, &settings, near, &query, &found), TOC_STOPPED, "");
    assert_null(found);
    toc_near_destroy(near);
    toc_scene_destroy(scene);
}

static void no_pairs_no_potential(void **state) {
    (void)state;
    toc_scene *scene = make_scene(false);
    toc_near *none;
    assert_ok(toc_near_create(NULL, 0, NULL, &none));
    const toc_potential_query query = asked(TOC_POTENTIAL_BARRIER, TOC_AT_START);
    toc_potential *found = potential_of(scene, none, &query, 0);
    assert_double_same(found->energy, 0);
    assert_int_equal(found->value_count, 0);
    for (size_t i = 0; i < 3 * found->vertex_count; i++) assert_double_same(found->gradient[i], 0);
    toc_potential_destroy(found);
    toc_near_destroy(none);
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_pairs),
        cmocka_unit_test(derivatives_of_the_barrier),
        cmocka_unit_test(derivatives_of_friction),
        cmocka_unit_test(forces_balance),
        cmocka_unit_test(the_same_bytes_with_any_number_of_threads),
        cmocka_unit_test(less_is_found_on_request),
        cmocka_unit_test(mistakes_of_the_caller),
        cmocka_unit_test(features_that_touch),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(progress_stops_it),
        cmocka_unit_test(no_pairs_no_potential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
