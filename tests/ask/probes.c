// SPDX-License-Identifier: Apache-2.0
// Closest points and first hits against every face, measured one by one.
#include <math.h>
#include <string.h>

#include "support/answers.h"

enum { PROBES = 24 };

static const double *positions(const toc_scene *bodies, uint32_t body, toc_end end) {
    const toc_mesh *mesh = toc_scene_get_mesh(bodies, body);
    return end == TOC_AT_START ? toc_mesh_get_x0(mesh) : toc_mesh_get_x1(mesh);
}

// Visit all faces, loose edges and loose points as faces, with repeated vertices.
static void every_primitive(const toc_scene *bodies, void (*visit)(void *, uint32_t, const uint32_t[3]), void *user) {
    for (uint32_t b = 0; b < toc_scene_get_body_count(bodies); b++) {
        toc_features *f;
        assert_ok(toc_mesh_find_features(toc_scene_get_mesh(bodies, b), &f));
        for (size_t i = 0; i < f->face_count; i++) visit(user, b, f->faces[i]);
        for (size_t i = 0; i < f->edge_count; i++)
            visit(user, b, (const uint32_t[]){f->edges[i][0], f->edges[i][1], f->edges[i][1]});
        for (size_t i = 0; i < f->vertex_count; i++)
            visit(user, b, (const uint32_t[]){f->vertices[i], f->vertices[i], f->vertices[i]});
        toc_features_destroy(f);
    }
}

typedef struct probe_truth {
    const toc_scene *bodies;
    toc_end end;
    uint64_t mask_body; // only this body, or UINT64_MAX
    const double *at;
    double best;
} probe_truth;

static void measure_distance(void *user, uint32_t body, const uint32_t v[3]) {
    probe_truth *t = user;
    const double *x = positions(t->bodies, body, t->end);
    double corners[12];
    toc_distance found;
    if (t->mask_body != UINT64_MAX && t->mask_body != body) return;
    memcpy(corners, t->at, 3 * sizeof *corners);
    for (int i = 0; i < 3; i++) memcpy(corners + 3 + 3 * i, x + 3 * (size_t)v[i], 3 * sizeof *corners);
    assert_ok(toc_distance_find(TOC_VF, corners, &found));
    t->best = fmin(t->best, found.distance);
}

static void measure_hit(void *user, uint32_t body, const uint32_t v[3]) {
    probe_truth *t = user;
    const double *x = positions(t->bodies, body, t->end);
    toc_pair pair;
    toc_hit hit;
    toc_pair_test test = toc_pair_test_default();
    if (t->mask_body != UINT64_MAX && t->mask_body != body) return;
    test.method = TOC_METHOD_EXACT;
    memcpy(pair.x0[0], t->at, sizeof pair.x0[0]);
    for (int i = 0; i < 3; i++) memcpy(pair.x0[1 + i], x + 3 * (size_t)v[i], sizeof pair.x0[1 + i]);
    memcpy(pair.x1, pair.x0, sizeof pair.x1);
    memcpy(pair.x1[0], t->at + 3, sizeof pair.x1[0]);
    assert_ok(toc_pair_find(TOC_VF, &pair, &test, &hit));
    if (hit.verdict == TOC_HIT) t->best = fmin(t->best, hit.toc);
}

static void assert_point(const toc_scene *bodies, toc_end end, const toc_scene_point *found, const double *at) {
    const double *x = positions(bodies, found->body, end);
    double point[3] = {0, 0, 0}, sum = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        sum += found->weights[i];
        for (int k = 0; k < 3 && found->v[i] != UINT32_MAX; k++)
            point[k] += found->weights[i] * x[3 * (size_t)found->v[i] + (size_t)k];
    }
    for (int k = 0; k < 3; k++) {
        assert_double_near(point[k], found->point[k], 1e-12);
        square += (point[k] - at[k]) * (point[k] - at[k]);
    }
    assert_double_near(sum, 1, 1e-12);
    assert_double_near(sqrt(square), found->distance, 1e-9);
}

// All probes against all primitives. @return how many segments hit.
static int assert_probes(toc_scene *bodies, toc_end end, const double *at, const toc_probe *probe, uint64_t body) {
    toc_query query = toc_query_default();
    static toc_scene_point points[PROBES], same[PROBES];
    static toc_segment_hit hits[PROBES], same_hits[PROBES];
    toc_probe segments = *probe;
    int hit = 0;
    segments.count = probe->count / 2;
    query.threads = 1;
    assert_ok(toc_scene_find_closest(bodies, &query, end, probe, points));
    assert_ok(toc_scene_find_hits(bodies, &query, end, &segments, hits));
    for (query.threads = 2; query.threads <= 8; query.threads += 2) {
        assert_ok(toc_scene_find_closest(bodies, &query, end, probe, same));
        assert_memory_equal(points, same, probe->count * sizeof *points);
        assert_ok(toc_scene_find_hits(bodies, &query, end, &segments, same_hits));
        assert_memory_equal(hits, same_hits, segments.count * sizeof *hits);
    }
    for (size_t i = 0; i < probe->count; i++) {
        probe_truth t = {bodies, end, body, at + 3 * i, INFINITY};
        every_primitive(bodies, measure_distance, &t);
        if (t.best > probe->reach + 1e-9) assert_int_equal(points[i].body, UINT32_MAX);
        if (t.best < probe->reach - 1e-9) assert_double_near(points[i].distance, t.best, 1e-10);
        if (points[i].body != UINT32_MAX) assert_point(bodies, end, &points[i], at + 3 * i);
    }
    for (size_t i = 0; i < segments.count; i++) {
        probe_truth t = {bodies, end, body, at + 6 * i, INFINITY};
        every_primitive(bodies, measure_hit, &t);
        assert_int_equal(t.best <= 1, hits[i].body != UINT32_MAX);
        if (t.best <= 1) assert_double_near(hits[i].time, t.best, 2e-9 * t.best);
        hit += t.best <= 1;
    }
    return hit;
}

static void soups_of_every_shape(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int hits = 0;
    for (int shape = TOC_POINT; shape < TOC_SHAPE_COUNT; shape++) {
        toc_scene *bodies = test_scene_of_soups(&random, (toc_shape)shape, 16, 40, 0.3);
        double at[3 * PROBES];
        for (int i = 0; i < 3 * PROBES; i++) at[i] = test_random_between(&random, -0.5, 1.5);
        toc_probe probe = {.count = PROBES, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
        hits += assert_probes(bodies, TOC_AT_START, at, &probe, UINT64_MAX);
        probe.reach = 0.1;
        hits += assert_probes(bodies, TOC_AT_END, at, &probe, UINT64_MAX);
        assert_ok(toc_scene_set_body_layers(bodies, 1, 4, UINT64_MAX));
        probe.mask = 4;
        hits += assert_probes(bodies, TOC_AT_END, at, &probe, 1);
        toc_scene_destroy(bodies);
    }
    assert_true(hits > 20);
}

// The face of the lowest ids at a vertex.
static void assert_lowest_face(const toc_scene *bodies, uint32_t vertex, const uint32_t v[3]) {
    const uint32_t *lowest = NULL;
    toc_features *features;
    assert_ok(toc_mesh_find_features(toc_scene_get_mesh(bodies, 0), &features));
    for (size_t i = 0; i < features->face_count; i++) {
        const uint32_t *f = features->faces[i];
        if (f[0] != vertex && f[1] != vertex && f[2] != vertex) continue;
        if (!lowest || f[0] < lowest[0] ||
            (f[0] == lowest[0] && (f[1] < lowest[1] || (f[1] == lowest[1] && f[2] < lowest[2]))))
            lowest = f;
    }
    assert_non_null(lowest);
    assert_memory_equal(v, lowest, 3 * sizeof *v);
    toc_features_destroy(features);
}

// Probes on vertices, edges and faces of a grid, along its edges and planes: exact decisions, lowest ids.
static void probes_that_meet_edges_and_corners(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_grid_sheet(TOC_TRIANGLE, 3, 3), NULL);
    const double at[] = {1,  1, 1, 1, 1, -1, /* through a vertex */ 0.5,     0, 1, 0.5, 0, -1, /* through an edge */
                         -1, 1, 0, 9, 1, 0,  /* along a line of edges */ -1, 7, 0, 9,   7, 0 /* beside it */};
    const toc_probe probe = {.count = 4, .at = at, .mask = UINT64_MAX};
    const toc_query query = toc_query_default();
    toc_segment_hit hits[4];
    assert_ok(toc_scene_find_hits(bodies, &query, TOC_AT_START, &probe, hits));
    assert_double_near(hits[0].time, 0.5, 1e-9);
    assert_double_near(hits[1].time, 0.5, 1e-9);
    assert_double_near(hits[2].time, 0.1, 1e-9);
    assert_true(hits[0].time <= 0.5 && hits[2].time <= 0.1 && hits[3].body == UINT32_MAX && isinf(hits[3].time));
    assert_true(hits[0].normal[2] == 1);
    assert_lowest_face(bodies, 5, hits[0].v);
    assert_lowest_face(bodies, 4, hits[2].v);
    toc_scene_point closest[2];
    const toc_probe points = {
        .count = 2, .at = (const double[]){1, 1, 1, 2, 2, 0}, .reach = INFINITY, .mask = UINT64_MAX};
    assert_ok(toc_scene_find_closest(bodies, &query, TOC_AT_START, &points, closest));
    assert_lowest_face(bodies, 5, closest[0].v);
    assert_lowest_face(bodies, 10, closest[1].v);
    toc_scene_destroy(bodies);
}

static void far_and_huge(void **state) {
    (void)state;
    const double scales[] = {0x1p-500, 1, 0x1p500};
    for (int s = 0; s < 3; s++) {
        toc_mesh *mesh = test_grid_sheet(TOC_TRIANGLE, 2, 2);
        double x[27];
        for (int i = 0; i < 27; i++) x[i] = toc_mesh_get_x0(mesh)[i] * scales[s];
        assert_ok(test_mesh_set_motion(mesh, x, x));
        toc_scene *bodies = test_scene_of(mesh, NULL);
        const double at[] = {scales[s], scales[s], 3 * scales[s], scales[s], scales[s], -scales[s]};
        const toc_probe probe = {.count = 1, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
        const toc_query query = toc_query_default();
        toc_scene_point point;
        toc_segment_hit hit;
        assert_ok(toc_scene_find_closest(bodies, &query, TOC_AT_END, &probe, &point));
        assert_double_same(point.distance, 3 * scales[s]);
        assert_ok(toc_scene_find_hits(bodies, &query, TOC_AT_END, &probe, &hit));
        assert_double_near(hit.time, 0.75, 1e-9);
        toc_scene_destroy(bodies);
    }
}

static toc_mesh *one_triangle(const double x[9]) {
    const uint32_t corners[] = {0, 1, 2};
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, corners, NULL));
    return mesh;
}

// Faces of length 2^30 and width 1: weights from areas would put the point far beside the closest one.
static void points_of_long_faces_with_a_short_side(void **state) {
    (void)state;
    const double x[] = {0, -1073741822, 0, -0.25, -1073741823.9990234, 0, -1073741822, 0, 0};
    const double largest = 1073741824;
    test_random random = test_random_make(0);
    const toc_query query = toc_query_default();
    for (int round = 0; round < 200; round++) {
        const double scale = ldexp(1, (int)test_random_below(&random, 1600) - 850);
        double moved[9], at[3] = {0, 0, test_random_between(&random, 0, 1)}, square = 0;
        toc_scene_point found;
        const double u = test_random_between(&random, 0, 0.5), w = test_random_between(&random, 0, 0.5);
        for (int k = 0; k < 2; k++) at[k] = (1 - u - w) * x[k] + u * x[3 + k] + w * x[6 + k];
        for (int i = 0; i < 9; i++) moved[i] = x[i] * scale;
        for (int k = 0; k < 3; k++) at[k] *= scale;
        toc_scene *bodies = test_scene_of(one_triangle(moved), NULL);
        const toc_probe probe = {.count = 1, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
        assert_ok(toc_scene_find_closest(bodies, &query, TOC_AT_START, &probe, &found));
        for (int k = 0; k < 3; k++) square += pow((found.point[k] - at[k]) / scale, 2);
        assert_double_near(sqrt(square), found.distance / scale, 0x1p-36 * largest);
        toc_scene_destroy(bodies);
    }
}

// Coordinates of few subnormal units: halves and products of them must not turn the normal.
static void normals_of_subnormal_hits(void **state) {
    (void)state;
    enum { SEGMENTS = 40 };
    test_random random = test_random_make(0);
    const toc_query query = toc_query_default();
    int hits = 0;
    for (int round = 0; round < 100; round++) {
        double x[9], at[6 * SEGMENTS];
        toc_segment_hit found[SEGMENTS];
        for (int i = 0; i < 9; i++) x[i] = (double)test_random_below(&random, 12) * 0x1p-1074;
        for (int i = 0; i < 6 * SEGMENTS; i++) at[i] = (double)test_random_below(&random, 12) * 0x1p-1074;
        toc_scene *bodies = test_scene_of(one_triangle(x), NULL);
        const toc_probe probe = {.count = SEGMENTS, .at = at, .mask = UINT64_MAX};
        assert_ok(toc_scene_find_hits(bodies, &query, TOC_AT_START, &probe, found));
        for (int i = 0; i < SEGMENTS; i++) {
            double along = 0;
            if (found[i].body == UINT32_MAX) continue;
            for (int k = 0; k < 3; k++)
                along += (at[6 * i + 3 + k] * 0x1p1000 - at[6 * i + k] * 0x1p1000) * found[i].normal[k];
            assert_true(along <= 0x1p-110);
            hits++;
        }
        toc_scene_destroy(bodies);
    }
    assert_true(hits > 100);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    toc_scene *empty;
    const toc_query query = toc_query_default();
    double at[6] = {0};
    toc_probe probe = {.count = 1, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
    toc_scene_point point;
    toc_segment_hit hit;
    assert_ok(toc_scene_create(NULL, &empty));
    assert_ok(toc_scene_find_closest(empty, &query, TOC_AT_END, &probe, &point));
    assert_true(point.body == UINT32_MAX && isinf(point.distance));
    assert_ok(toc_scene_find_hits(empty, &query, TOC_AT_END, &probe, &hit));
    assert_int_equal(hit.body, UINT32_MAX);
    assert_fails(toc_scene_find_closest(NULL, &query, TOC_AT_END, &probe, &point), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_closest(empty, &query, TOC_AT_END, NULL, &point), TOC_BAD_INPUT, "probe is NULL");
    assert_fails(toc_scene_find_closest(empty, &query, TOC_AT_END, &probe, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_scene_find_hits(empty, &query, (toc_end)3, &probe, &hit), TOC_BAD_INPUT, "end number 3");
    at[4] = NAN;
    assert_fails(toc_scene_find_hits(empty, &query, TOC_AT_END, &probe, &hit), TOC_BAD_INPUT, "y of probe 0");
    probe.reach = -1;
    assert_fails(toc_scene_find_closest(empty, &query, TOC_AT_END, &probe, &point), TOC_BAD_INPUT, "reach");
    probe.at = NULL;
    assert_fails(toc_scene_find_closest(empty, &query, TOC_AT_END, &probe, &point), TOC_BAD_INPUT, "NULL");
    probe.count = 0;
    assert_ok(toc_scene_find_closest(empty, &query, TOC_AT_END, &probe, NULL));
    toc_scene_destroy(empty);
}

static toc_status ask_probes(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies;
    toc_mesh *mesh;
    const toc_query query = toc_query_default();
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, at[] = {0.1, 0.1, 1, 0.1, 0.1, -1};
    const uint32_t corners[] = {0, 1, 2};
    const toc_probe probe = {.count = 1, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
    toc_scene_point point;
    toc_segment_hit hit;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status != TOC_OK) return status;
    status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) {
        status = toc_mesh_add_vertices(mesh, 3, x, NULL);
        if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, corners, NULL);
        if (status == TOC_OK) status = toc_scene_add_body(bodies, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK) status = toc_scene_find_closest(bodies, &query, TOC_AT_START, &probe, &point);
    if (status == TOC_OK) status = toc_scene_find_hits(bodies, &query, TOC_AT_START, &probe, &hit);
    toc_scene_destroy(bodies);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    test_every_allocation(ask_probes, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_of_every_shape),
        cmocka_unit_test(probes_that_meet_edges_and_corners),
        cmocka_unit_test(far_and_huge),
        cmocka_unit_test(points_of_long_faces_with_a_short_side),
        cmocka_unit_test(normals_of_subnormal_hits),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
