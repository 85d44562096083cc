// SPDX-License-Identifier: Apache-2.0
// Primitives, representatives, rings and components of a large set of features: each feature has one representative,
// and threads do not show.
#include "cull/surface/representatives.h"

#include <stdlib.h>
#include <string.h>

#include "cull/surface/components.h"
#include "cull/surface/flat_rings.h"
#include "mesh/features.h"
#include "support/test.h"

enum { SIDE = 140 };

// A sheet with holes, whose vertices are numbered at random, beside loose edges, loose points, and edges that hang on
// vertices of the sheet.
static toc_mesh *make_sheet(test_random *random) {
    enum { VERTICES = SIDE * SIDE };
    static uint32_t ids[VERTICES];
    static double x[3 * VERTICES];
    toc_mesh *mesh;
    for (uint32_t i = 0; i < VERTICES; i++) {
        const uint32_t j = test_random_below(random, i + 1);
        ids[i] = ids[j];
        ids[j] = i;
    }
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, VERTICES, x, NULL));
    for (uint32_t i = 0; i + 1 < SIDE; i++)
        for (uint32_t j = 0; j + 1 < SIDE; j++) {
            const uint32_t a = ids[SIDE * i + j], b = ids[SIDE * i + j + 1], c = ids[SIDE * (i + 1) + j],
                           d = ids[SIDE * (i + 1) + j + 1], kind = test_random_below(random, 100);
            if (kind < 2) continue;
            if (kind == 2) assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, (uint32_t[]){a, d}, NULL));
            if (kind == 3) assert_ok(toc_mesh_add_elements(mesh, TOC_POINT, 1, &b, NULL));
            if (kind == 2 || kind == 3) continue;
            assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (uint32_t[]){a, b, c, d, c, b}, NULL));
        }
    return mesh;
}

typedef struct derived {
    toc_arena arena;
    toc_primitives primitives;
    toc_representatives plain, ordered;
    toc_flat_rings rings;
    uint32_t *lowest;
} derived;

static derived derive_all(const toc_feature_set *set, const uint32_t *order, int threads) {
    derived d = {.arena = toc_arena_make(NULL)};
    assert_ok(toc_primitives_list(&d.arena, set, threads, &d.primitives));
    assert_ok(toc_representatives_assign(&d.arena, set, &d.primitives, NULL, threads, &d.plain));
    if (order) assert_ok(toc_representatives_assign(&d.arena, set, &d.primitives, order, threads, &d.ordered));
    assert_ok(toc_flat_rings_find(&d.arena, set, &d.primitives, threads, &d.rings));
    d.lowest = toc_arena_new(&d.arena, set->vertex_count, sizeof *d.lowest);
    assert_non_null(d.lowest);
    toc_components_find(&d.primitives, set->vertex_count, threads, d.lowest);
    return d;
}

static void assert_same_representative(const toc_representative *a, const toc_representative *b) {
    assert_memory_equal(a->face, b->face, sizeof a->face);
    assert_int_equal(a->first_edge, b->first_edge);
    assert_int_equal(a->first_point, b->first_point);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->point_count, b->point_count);
}

static void assert_same_representatives(const toc_representatives *a, const toc_representatives *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_same_representative(&a->at[i], &b->at[i]);
        assert_same_representative(&a->of[i], &b->of[i]);
    }
    assert_memory_equal(a->edges, b->edges, a->edge_count * sizeof *a->edges);
    assert_memory_equal(a->points, b->points, a->point_count * sizeof *a->points);
}

static void assert_same_derived(const derived *a, const derived *b, const toc_feature_set *set) {
    assert_int_equal(a->primitives.count, b->primitives.count);
    assert_memory_equal(a->primitives.at, b->primitives.at, a->primitives.count * sizeof *a->primitives.at);
    assert_same_representatives(&a->plain, &b->plain);
    assert_same_representatives(&a->ordered, &b->ordered);
    for (size_t size = TOC_RING_LEAST; size <= TOC_RING_MOST; size++) {
        const size_t count = a->rings.of[size].count;
        assert_int_equal(count, b->rings.of[size].count);
        if (count == 0) continue;
        assert_memory_equal(a->rings.of[size].rings, b->rings.of[size].rings, count * (1 + size) * sizeof(uint32_t));
    }
    assert_memory_equal(a->lowest, b->lowest, set->vertex_count * sizeof *a->lowest);
}

// Each feature belongs to the first primitive of the order that has it; points of faces and edges are no primitives.
static void assert_complete(const derived *d, const toc_feature_set *set, const uint32_t *order) {
    uint8_t *edges = calloc(set->edge_count + 1, 1), *points = calloc(set->vertex_count + 1, 1);
    size_t at_edge = 0, at_point = 0;
    for (size_t i = 0; i < d->primitives.count; i++) {
        const toc_primitive *p = &d->primitives.at[order[i]];
        assert_int_equal(d->ordered.at[i].first_edge, at_edge);
        assert_int_equal(d->ordered.at[i].first_point, at_point);
        for (int j = 0; j < 3; j++) {
            if (p->edges[j] != UINT32_MAX && !edges[p->edges[j]]++)
                assert_memory_equal(d->ordered.edges[at_edge++], set->edges[p->edges[j]], sizeof *set->edges);
            if (p->vertices[j] != UINT32_MAX && !points[p->vertices[j]]++)
                assert_int_equal(d->ordered.points[at_point++], p->vertices[j]);
        }
    }
    assert_int_equal(at_edge, set->edge_count);
    assert_int_equal(at_point, set->point_count);
    free(edges);
    free(points);
}

static void threads_do_not_show(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *mesh = make_sheet(&random);
    toc_features *f;
    assert_ok(toc_features_make(mesh, false, 2, &f));
    const toc_feature_set set = {toc_mesh_get_vertex_count(mesh),
                                 f->vertex_count,
                                 f->edge_count,
                                 f->face_count,
                                 f->vertices,
                                 f->edges,
                                 f->faces};
    derived alone = derive_all(&set, NULL, 1);
    const uint32_t count = (uint32_t)alone.primitives.count;
    assert_true(count > set.face_count + 100);
    uint32_t *order = malloc(count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = test_random_below(&random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    toc_arena_free(&alone.arena);
    alone = derive_all(&set, order, 1);
    assert_complete(&alone, &set, order);
    for (int threads = 2; threads <= 6; threads += 2) {
        derived many = derive_all(&set, order, threads);
        assert_same_derived(&alone, &many, &set);
        toc_arena_free(&many.arena);
    }
    toc_arena_free(&alone.arena);
    free(order);
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
}

static toc_status derive_with(const toc_allocator *allocator, void *user) {
    const toc_feature_set *set = user;
    toc_arena arena = toc_arena_make(allocator);
    toc_primitives primitives;
    toc_representatives representatives;
    toc_flat_rings rings;
    toc_status status = toc_primitives_list(&arena, set, 2, &primitives);
    if (status == TOC_OK) status = toc_flat_rings_find(&arena, set, &primitives, 2, &rings);
    if (status == TOC_OK) status = toc_representatives_assign(&arena, set, &primitives, NULL, 2, &representatives);
    toc_arena_free(&arena);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    const uint32_t points[] = {0, 1, 2, 3, 4}, edges[][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}}, faces[][3] = {{0, 1, 2}};
    toc_feature_set set = {5, 5, 4, 1, points, edges, faces};
    assert_true(test_every_allocation(derive_with, &set) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
