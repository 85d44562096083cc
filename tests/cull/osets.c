// SPDX-License-Identifier: Apache-2.0
// O-Sets and assignment together: every pair of features that share no vertex is in one place, on any mesh there is.
#include "cull/osets.h"

#include <stdlib.h>
#include <string.h>

#include "cull/assignment.h"
#include "cull/shared.h"
#include "mesh/shape.h"
#include "support/grid.h"
#include "support/test.h"

// The cells of one body, made from scratch.
typedef struct world {
    toc_cells cells;
    toc_features *features;
    toc_oset oset;
} world;

static void set_cell(const toc_mesh *mesh, uint32_t element, toc_cell *cell) {
    const toc_element e = toc_mesh_element(mesh, element);
    uint32_t distinct[TOC_CELL_CORNERS];
    const int count = toc_ids_distinct(e.corners, e.corner_count, distinct);
    *cell = (toc_cell){.element = element, .corners = (uint8_t)count, .blocks = count > 4 ? 2 : 1};
    for (int i = 0; i < TOC_CELL_CORNERS && count; i++) cell->v[i] = distinct[i < count ? i : 0];
}

static void open_world(toc_mesh *mesh, world *w) {
    const toc_allocator memory = toc_allocator_or_default(NULL);
    const size_t count = toc_mesh_element_count(mesh);
    w->cells = (toc_cells){.count = count, .body_count = 1};
    w->cells.at = calloc(count + 1, sizeof *w->cells.at);
    w->cells.bodies = calloc(1, sizeof *w->cells.bodies);
    assert_ok(toc_mesh_find_features(mesh, &w->features));
    assert_ok(toc_incidence_make(mesh, w->features, &w->cells.bodies[0].incidence));
    for (size_t e = 0; e < count; e++) set_cell(mesh, (uint32_t)e, &w->cells.at[e]);
    assert_ok(toc_cells_join(&memory, &w->cells));
    assert_ok(toc_oset_make(&memory, &w->cells, 0, &w->oset));
}

static void close_world(world *w) {
    toc_oset_free(&w->oset);
    toc_incidence_free(&w->cells.bodies[0].incidence);
    toc_features_destroy(w->features);
    free(w->cells.bodies);
    free(w->cells.at);
}

// How often the O-Set has a pair.
static int count_orphans(const toc_orphans *orphans, uint32_t a, uint32_t b) {
    int count = 0;
    for (size_t i = 0; i < orphans->count; i++) count += orphans->at[i].a == a && orphans->at[i].b == b;
    return count;
}

// How many pairs of cells that share no vertex a pair of features belongs to.
static int count_cells(const world *w, const toc_around *a, const toc_around *b) {
    int count = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            count += toc_assigned(&w->cells, a, b, a->elements[i], b->elements[j]) &&
                     !toc_cells_adjacent(&w->cells.at[a->elements[i]], &w->cells.at[b->elements[j]]);
    return count;
}

static int count_static(const toc_around *a, const toc_around *b) {
    int count = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) count += toc_assigned_statically(a, b, a->elements[i], b->elements[j]);
    return count;
}

static void assert_once(const world *w, const toc_orphans *orphans, uint32_t a, uint32_t b, const toc_around *x,
                        const toc_around *y, size_t *orphaned) {
    const int in_oset = count_orphans(orphans, a, b);
    assert_int_equal(in_oset + count_cells(w, x, y), 1);
    assert_int_equal(count_static(x, y), 1);
    *orphaned += (size_t)in_oset;
}

// @return how many orphans there are, which must be all that the O-Set holds.
static size_t check_mesh(toc_mesh *mesh) {
    world w;
    open_world(mesh, &w);
    const toc_cell_body *body = &w.cells.bodies[0];
    const toc_incidence *in = &body->incidence;
    size_t orphaned = 0;
    for (uint32_t i = 0; i < w.features->vertex_count; i++)
        for (uint32_t f = 0; f < in->faces.count; f++) {
            const uint32_t v = w.features->vertices[i];
            const toc_around a = toc_around_of(body, &in->vertex_elements, v);
            const toc_around b = toc_around_of(body, &in->face_elements, f);
            if (!toc_vertex_in_face(v, in->faces.at[f])) assert_once(&w, &w.oset.vf, v, f, &a, &b, &orphaned);
        }
    for (uint32_t e = 0; e < in->edges.count; e++)
        for (uint32_t g = e + 1; g < in->edges.count; g++) {
            const toc_around a = toc_around_of(body, &in->edge_elements, e);
            const toc_around b = toc_around_of(body, &in->edge_elements, g);
            if (!toc_edges_share(in->edges.at[e], in->edges.at[g]))
                assert_once(&w, &w.oset.ee, e, g, &a, &b, &orphaned);
        }
    assert_int_equal(orphaned, w.oset.vf.count + w.oset.ee.count);
    close_world(&w);
    toc_mesh_destroy(mesh);
    return orphaned;
}

// Neighbours on all sides, quads split alike, and so few cells that some pairs have no other place.
static void grids_of_every_shape(void **state) {
    (void)state;
    const toc_shape shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    for (int i = 0; i < 4; i++) {
        assert_true(check_mesh(test_grid_volume(shapes[i], 1, 1, 1)) > 0);
        check_mesh(test_grid_volume(shapes[i], 3, 2, 1));
    }
    check_mesh(test_grid_sheet(TOC_QUAD, 4, 3));
    check_mesh(test_grid_sheet(TOC_TRIANGLE, 4, 3));
    check_mesh(test_grid_sheet(TOC_EDGE, 3, 3));
}

// Non-manifold, corners used twice, elements twice, all shapes at once.
static void soups(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t orphans = 0;
    for (int round = 0; round < 40; round++) {
        const uint32_t vertices = 6 + test_random_below(&random, 20);
        orphans += check_mesh(test_soup(&random, (toc_shape)(round % TOC_SHAPE_COUNT), 12, vertices));
    }
    assert_true(orphans > 100);
}

// Vertices in one place that are not the same vertex, and a corner that hangs in the middle of another element's edge:
// connectivity is by vertices alone.
static void duplicated_and_hanging_nodes(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_HEX, 2, 2, 1);
    uint32_t twin;
    assert_ok(toc_mesh_split_vertex(mesh, 4, 2, (const uint32_t[]){1, 2}, &twin));
    const double middle[] = {0.5, 0, 0, 0.5, -1, 0, 0.2, -1, 0.5};
    uint32_t first;
    assert_ok(toc_mesh_add_vertices(mesh, 3, middle, &first));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){0, first, first + 1, first + 2}, NULL));
    assert_true(check_mesh(mesh) > 0);
}

static toc_status make_oset(const toc_allocator *allocator, void *user) {
    const world *w = user;
    toc_oset oset;
    const toc_status status = toc_oset_make(allocator, &w->cells, 0, &oset);
    toc_oset_free(&oset);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    world w;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    open_world(mesh, &w);
    assert_true(test_every_allocation(make_oset, &w) > 2);
    close_world(&w);
    toc_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_of_every_shape),
        cmocka_unit_test(soups),
        cmocka_unit_test(duplicated_and_hanging_nodes),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
