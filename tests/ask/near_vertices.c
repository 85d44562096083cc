// SPDX-License-Identifier: Apache-2.0
// Vertices near each other, against every pair of vertices.
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/grid.h"
#include "support/test.h"

enum { MOST = 400 };

typedef struct place {
    uint32_t body, v;
    const double *x;
    double thickness; // of the body and the elements around
    bool boundary;
} place;

static bool uses(const toc_element e, uint32_t v) {
    for (int i = 0; i < e.corner_count; i++)
        if (e.corners[i] == v) return true;
    return false;
}

static bool share_element(const toc_mesh *mesh, uint32_t a, uint32_t b) {
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        if (uses(toc_mesh_get_element(mesh, e), a) && uses(toc_mesh_get_element(mesh, e), b)) return true;
    return false;
}

static double thickness_around(const toc_mesh *mesh, uint32_t v) {
    double most = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        if (uses(toc_mesh_get_element(mesh, e), v)) most = fmax(most, toc_mesh_get_element(mesh, e).thickness);
    return most;
}

static size_t list_places(const toc_scene *scene, toc_end end, const double *body_thickness, place *out) {
    size_t count = 0;
    for (uint32_t body = 0; body < toc_scene_get_body_count(scene); body++) {
        const toc_mesh *mesh = toc_scene_get_mesh(scene, body);
        const double *x = end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh);
        toc_features *f;
        assert_ok(toc_mesh_find_features(mesh, &f));
        for (size_t i = 0; i < f->vertex_count; i++) {
            const uint32_t v = f->vertices[i];
            assert_true(count < MOST);
            out[count++] = (place){body, v, x + 3 * (size_t)v, fmax(body_thickness[body], thickness_around(mesh, v)),
                                   f->vertex_flags[i] & TOC_FEATURE_ON_BOUNDARY};
        }
        toc_features_destroy(f);
    }
    return count;
}

static double distance_of(const place *a, const place *b) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a->x[k] - b->x[k]) * (a->x[k] - b->x[k]);
    return sqrt(sum);
}

static size_t check_truth(toc_scene *scene, const toc_query *query, toc_end end, double thickness,
                          const double *body_thickness) {
    static place places[MOST];
    const size_t count = list_places(scene, end, body_thickness, places);
    toc_vertex_pairs *got;
    size_t next = 0;
    assert_ok(test_find_near_vertices(scene, query, end, thickness, &got));
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            const place *a = &places[i], *b = &places[j];
            if (query->surface_only && !(a->boundary && b->boundary)) continue;
            const double limit = thickness + (query->thin ? 0 : a->thickness / 2 + b->thickness / 2);
            if (distance_of(a, b) > limit) continue;
            if (a->body == b->body && share_element(toc_scene_get_mesh(scene, a->body), a->v, b->v)) continue;
            next++;
        }
    assert_int_equal(got->count, next);
    for (size_t i = 0; i < got->count; i++) {
        const toc_vertex_pair *p = &got->pairs[i], *before = i > 0 ? p - 1 : NULL;
        assert_true(p->body[0] < p->body[1] || (p->body[0] == p->body[1] && p->v[0] < p->v[1]));
        if (before) assert_true(memcmp(before, p, 4 * sizeof(uint32_t)) != 0);
    }
    toc_vertex_pairs_destroy(got);
    return next;
}

static toc_scene *soups(toc_shape shape, uint64_t seed) {
    test_random random = test_random_make(seed);
    toc_mesh *a = test_soup(&random, shape, 40, 60), *b = test_soup(&random, shape, 40, 60);
    test_shake(a, &random, 0.1, 0.2);
    test_shake(b, &random, 0.1, 0.2);
    assert_ok(toc_mesh_set_thickness(a, 3, 0.1));
    return test_scene_of(a, b);
}

static void every_near_pair_of_vertices_is_found(void **state) {
    (void)state;
    size_t found = 0;
    for (int i = 0; i < 4; i++) {
        const toc_shape shapes[] = {TOC_TRIANGLE, TOC_TET, TOC_EDGE, TOC_POINT};
        const double thick[2] = {0.02, 0}, none[2] = {0, 0};
        toc_scene *scene = soups(shapes[i], 10 + (uint64_t)i);
        toc_query query = toc_query_default();
        for (int end = TOC_AT_START; end <= TOC_AT_END; end++) {
            found += check_truth(scene, &query, (toc_end)end, 0.15, none);
            found += check_truth(scene, &query, (toc_end)end, 0, none);
        }
        assert_ok(toc_scene_set_body_thickness(scene, 0, 0.02));
        query.surface_only = true;
        found += check_truth(scene, &query, TOC_AT_END, 0.15, thick);
        query.thin = true;
        found += check_truth(scene, &query, TOC_AT_END, 0.15, thick);
        toc_scene_destroy(scene);
    }
    assert_true(found > 300);
}

// Two sheets with the same vertices: each vertex has its twin at distance 0, at any scale.
static void twins_are_at_distance_0(void **state) {
    (void)state;
    const double scales[] = {1, 0x1p-1060, 0x1p900};
    for (int s = 0; s < 3; s++) {
        toc_mesh *sheets[2];
        for (int i = 0; i < 2; i++) {
            sheets[i] = test_grid_sheet(TOC_QUAD, 4, 4);
            double x[75];
            for (int k = 0; k < 75; k++) x[k] = toc_mesh_get_x0(sheets[i])[k] * scales[s];
            assert_ok(test_mesh_set_motion(sheets[i], x, x));
        }
        toc_scene *scene = test_scene_of(sheets[0], sheets[1]);
        const toc_query query = toc_query_default();
        toc_vertex_pairs *got;
        assert_ok(test_find_near_vertices(scene, &query, TOC_AT_START, 0, &got));
        assert_int_equal(got->count, 25);
        for (uint32_t i = 0; i < 25; i++) {
            assert_int_equal(got->pairs[i].v[0], i);
            assert_int_equal(got->pairs[i].v[1], i);
            assert_double_same(got->pairs[i].distance, 0);
        }
        toc_vertex_pairs_destroy(got);
        toc_scene_destroy(scene);
    }
}

// The answer is the same for any number of threads, and heeds the filters of bodies and groups.
static void threads_and_filters(void **state) {
    (void)state;
    toc_scene *scene = soups(TOC_TRIANGLE, 20);
    toc_query query = toc_query_default();
    toc_vertex_pairs *one, *three, *other;
    query.threads = 1;
    assert_ok(test_find_near_vertices(scene, &query, TOC_AT_START, 0.2, &one));
    query.threads = 3;
    assert_ok(test_find_near_vertices(scene, &query, TOC_AT_START, 0.2, &three));
    assert_true(one->count > 0);
    assert_int_equal(one->count, three->count);
    assert_memory_equal(one->pairs, three->pairs, one->count * sizeof *one->pairs);
    assert_ok(toc_scene_set_self_contact(scene, 0, false));
    assert_ok(toc_scene_set_self_contact(scene, 1, false));
    assert_ok(test_find_near_vertices(scene, &query, TOC_AT_START, 0.2, &other));
    assert_true(other->count > 0 && other->count < one->count);
    for (size_t i = 0; i < other->count; i++) assert_int_equal(other->pairs[i].body[0] + other->pairs[i].body[1], 1);
    toc_vertex_pairs_destroy(other);
    assert_ok(toc_scene_set_group_contact(scene, 0, 0, false));
    assert_ok(test_find_near_vertices(scene, &query, TOC_AT_START, 0.2, &other));
    assert_int_equal(other->count, 0);
    toc_vertex_pairs_destroy(other);
    toc_vertex_pairs_destroy(one);
    toc_vertex_pairs_destroy(three);
    toc_scene_destroy(scene);
}

static void bad_questions(void **state) {
    (void)state;
    toc_scene *scene = soups(TOC_TRIANGLE, 21);
    const toc_query query = toc_query_default();
    toc_vertex_pairs *got = NULL;
    assert_fails(test_find_near_vertices(scene, &query, TOC_AT_START, -1, &got), TOC_BAD_INPUT, "thickness is -1");
    assert_fails(test_find_near_vertices(scene, &query, TOC_AT_START, NAN, &got), TOC_BAD_INPUT, "thickness is");
    assert_fails(test_find_near_vertices(scene, &query, (toc_end)9, 1, &got), TOC_BAD_INPUT, "time number 9");
    assert_fails(test_find_near_vertices(scene, &query, TOC_AT_START, 1, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(test_find_near_vertices(NULL, &query, TOC_AT_START, 1, &got), TOC_BAD_INPUT, "NULL");
    assert_null(got);
    toc_vertex_pairs_destroy(NULL);
    toc_scene_destroy(scene);
}

static toc_status ask_once(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *scene;
    toc_mesh *mesh;
    toc_status status = toc_scene_create(allocator, &scene);
    if (status != TOC_OK) return status;
    status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) {
        status = toc_mesh_add_vertices(mesh, 3, (const double[]){0, 0, 0, 0, 0, 0, 0, 0, 1}, NULL);
        if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_POINT, 3, (const uint32_t[]){0, 1, 2}, NULL);
        if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK) {
        const toc_query query = toc_query_default();
        toc_vertex_pairs *got;
        status = test_find_near_vertices(scene, &query, TOC_AT_START, 0, &got);
        if (status == TOC_OK) {
            assert_int_equal(got->count, 1);
            toc_vertex_pairs_destroy(got);
        }
    }
    toc_scene_destroy(scene);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    assert_true(test_every_allocation(ask_once, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_near_pair_of_vertices_is_found),
        cmocka_unit_test(twins_are_at_distance_0),
        cmocka_unit_test(threads_and_filters),
        cmocka_unit_test(bad_questions),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
