// SPDX-License-Identifier: Apache-2.0
// O-Sets and assignment together: every pair of features that share no vertex is in one place, on any mesh there is.
#include "cull/volume/orphan_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "cull/shared.h"
#include "cull/volume/assignment.h"
#include "support/grid.h"
#include "support/test.h"

// The cells of one body, made from scratch.
typedef struct world {
    toc_cells cells;
    toc_features *features;
    toc_orphan_pairs orphans;
} world;

static void open_world(toc_mesh *mesh, world *w) {
    const toc_allocator memory = toc_allocator_or_default(NULL);
    const size_t count = toc_mesh_get_element_count(mesh);
    w->cells = (toc_cells){.count = count, .body_count = 1};
    w->cells.at = calloc(count + 1, sizeof *w->cells.at);
    w->cells.bodies = calloc(1, sizeof *w->cells.bodies);
    assert_ok(toc_mesh_find_features(mesh, &w->features));
    assert_ok(toc_incidence_make(mesh, w->features, &w->cells.bodies[0].incidence));
    for (size_t e = 0; e < count; e++) {
        w->cells.at[e].element = (uint32_t)e;
        toc_cell_set(mesh, 0, &w->cells.at[e]);
    }
    assert_ok(toc_cells_join(&memory, &w->cells));
    assert_ok(toc_orphan_pairs_make(&memory, &w->cells, 0, &w->orphans));
}

static void close_world(world *w) {
    toc_orphan_pairs_free(&w->orphans);
    toc_incidence_free(&w->cells.bodies[0].incidence);
    toc_features_destroy(w->features);
    free(w->cells.bodies);
    free(w->cells.at);
}

// How often the O-Set has a pair, which must be the same from both sides.
static int count_orphans(const toc_orphan_list *orphans, uint32_t a, uint32_t b) {
    int count = 0, back = 0;
    size_t items;
    const uint32_t *seconds = toc_adjacency_items(&orphans->seconds, a, &items);
    for (size_t i = 0; i < items; i++) count += seconds[i] == b;
    const uint32_t *firsts = toc_adjacency_items(&orphans->firsts, b, &items);
    for (size_t i = 0; i < items; i++) back += firsts[i] == a;
    assert_int_equal(count, back);
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

static void assert_once(const world *w, const toc_orphan_list *orphans, uint32_t a, uint32_t b, const toc_around *x,
                        const toc_around *y, size_t *orphaned) {
    const int listed = count_orphans(orphans, a, b), cells = count_cells(w, x, y);
    const bool inner = !cells && toc_common_element(x, y) != UINT32_MAX;
    assert_int_equal(listed + cells + inner, 1);
    assert_int_equal(count_static(x, y), 1);
    *orphaned += (size_t)listed;
}

static bool is_lower(const uint32_t a[2], const uint32_t b[2]) { return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1]; }

// @return the number of orphans; all of them must be listed.
static size_t check_world(const world *w) {
    const toc_cell_body *body = &w->cells.bodies[0];
    const toc_incidence *in = &body->incidence;
    size_t orphaned = 0;
    for (uint32_t v = 0; v < in->vertex_elements.runs.count; v++)
        for (uint32_t f = 0; f < in->faces.count; f++) {
            const toc_around a = toc_around_of(body, &in->vertex_elements, v);
            const toc_around b = toc_around_of(body, &in->face_elements, f);
            if (!a.count || !b.count || toc_vertex_in_face(v, in->faces.at[f])) continue;
            assert_once(w, &w->orphans.vf, v, f, &a, &b, &orphaned);
        }
    for (uint32_t e = 0; e < in->edges.count; e++)
        for (uint32_t g = e + 1; g < in->edges.count; g++) {
            const toc_around a = toc_around_of(body, &in->edge_elements, e);
            const toc_around b = toc_around_of(body, &in->edge_elements, g);
            if (!a.count || !b.count || toc_edges_share(in->edges.at[e], in->edges.at[g])) continue;
            const bool lower = is_lower(in->edges.at[e], in->edges.at[g]);
            assert_once(w, &w->orphans.ee, lower ? e : g, lower ? g : e, lower ? &a : &b, lower ? &b : &a, &orphaned);
        }
    assert_int_equal(orphaned, w->orphans.vf.count + w->orphans.ee.count);
    return orphaned;
}

static size_t check_mesh(toc_mesh *mesh) {
    world w;
    open_world(mesh, &w);
    const size_t orphans = check_world(&w);
    close_world(&w);
    toc_mesh_destroy(mesh);
    return orphans;
}

// Which features a cell is the first one around, told by the lists.
static void assert_firsts(const world *w) {
    const toc_incidence *in = &w->cells.bodies[0].incidence;
    for (uint32_t e = 0; e < in->element_edges.runs.count; e++) {
        size_t edges, around;
        const uint32_t *ids = toc_adjacency_items(&in->element_edges, e, &edges);
        for (size_t i = 0; i < edges; i++)
            assert_int_equal(w->cells.at[e].first >> (TOC_FIRST_EDGE + i) & 1,
                             *toc_adjacency_items(&in->edge_elements, ids[i], &around) == e);
    }
}

// Every pair is in one place after any edits, and no pair of a removed feature is left.
static void a_thousand_random_edits(void **state) {
    (void)state;
    enum { ROOM = 4000 };
    test_random random = test_random_make(0);
    toc_mesh *mesh = test_grid_volume(TOC_TET, 2, 1, 1);
    world w;
    open_world(mesh, &w);
    w.cells.at = realloc(w.cells.at, ROOM * sizeof *w.cells.at);
    assert_non_null(w.cells.at);
    for (size_t e = w.cells.count; e < ROOM; e++)
        w.cells.at[e] = (toc_cell){.element = (uint32_t)e, .leaf = UINT32_MAX, .piece = (uint32_t)e};
    for (int i = 0; i < 1000; i++) {
        test_random_edit(mesh, &random);
        if (i % 4) continue; // several edits at a time
        toc_changes changes;
        memset(&changes, 0, sizeof changes);
        assert_ok(toc_incidence_follow(&w.cells.bodies[0].incidence, mesh, &changes));
        toc_cells_follow(&w.cells, mesh, 0, &changes);
        assert_ok(toc_orphan_pairs_follow(&w.orphans, &w.cells, 0, &changes));
        toc_changes_free(&w.orphans.allocator, &changes);
        if (i % 50 == 0) check_world(&w);
        if (i % 50 == 0) assert_firsts(&w);
    }
    close_world(&w);
    toc_mesh_destroy(mesh);
}

// Neighbours on all sides, quads split alike, and so few cells that some pairs have no other place.
static void grids_of_every_shape(void **state) {
    (void)state;
    const toc_shape shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    for (int i = 0; i < 4; i++) {
        check_mesh(test_grid_volume(shapes[i], 1, 1, 1));
        assert_true(check_mesh(test_grid_volume(shapes[i], 3, 2, 1)) > 0);
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

static toc_status make_orphans(const toc_allocator *allocator, void *user) {
    const world *w = user;
    toc_orphan_pairs orphans;
    const toc_status status = toc_orphan_pairs_make(allocator, &w->cells, 0, &orphans);
    toc_orphan_pairs_free(&orphans);
    return status;
}

// Tets around one edge: more of them than an integer has bits.
static void a_crowded_edge(void **state) {
    (void)state;
    for (uint32_t size = 62; size < 68; size++) {
        toc_mesh *mesh;
        double x[3 * 70] = {0};
        assert_ok(toc_mesh_create(NULL, &mesh));
        assert_ok(toc_mesh_add_vertices(mesh, size + 2, x, NULL));
        for (uint32_t i = 0; i < size; i++)
            assert_ok(
                toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){0, 1, 2 + i, 2 + (i + 1) % size}, NULL));
        assert_true(check_mesh(mesh) > size);
    }
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    world w;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    open_world(mesh, &w);
    assert_true(test_every_allocation(make_orphans, &w) > 2);
    close_world(&w);
    toc_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_of_every_shape),    cmocka_unit_test(soups),
        cmocka_unit_test(a_thousand_random_edits), cmocka_unit_test(duplicated_and_hanging_nodes),
        cmocka_unit_test(a_crowded_edge),          cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
