// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"
#include "support/grid.h"
#include "support/meshes.h"

// ---- A second account of the elements, kept by hand.

enum { MOST = 4000 };

typedef struct model {
    struct {
        toc_shape shape;
        uint32_t corners[8];
    } elements[MOST];
    bool gone[MOST]; // vertices
    uint32_t element_count, vertex_count;
} model;

static void model_add_elements(model *m, const toc_mesh *mesh, uint32_t first, uint32_t count) {
    assert_int_equal(m->element_count, first);
    for (uint32_t i = first; i < first + count; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        m->elements[i].shape = e.shape;
        memcpy(m->elements[i].corners, e.corners, (size_t)e.corner_count * sizeof *e.corners);
    }
    m->element_count += count;
}

static model *model_of(const toc_mesh *mesh) {
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    model_add_elements(m, mesh, 0, (uint32_t)toc_mesh_get_element_count(mesh));
    m->vertex_count = (uint32_t)toc_mesh_get_vertex_count(mesh);
    for (uint32_t v = 0; v < m->vertex_count; v++) m->gone[v] = !toc_mesh_has_vertex(mesh, v);
    return m;
}

static void check_model(const model *m, const toc_mesh *mesh) {
    assert_int_equal(m->element_count, toc_mesh_get_element_count(mesh));
    assert_int_equal(m->vertex_count, toc_mesh_get_vertex_count(mesh));
    for (uint32_t i = 0; i < m->element_count; i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        assert_int_equal(e.shape, m->elements[i].shape);
        assert_memory_equal(e.corners, m->elements[i].corners, (size_t)e.corner_count * sizeof *e.corners);
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) assert_int_equal(!m->gone[v], toc_mesh_has_vertex(mesh, v));
}

static bool model_uses(const model *m, uint32_t element, uint32_t vertex) {
    for (int i = 0; i < toc_shape_count_corners(m->elements[element].shape); i++)
        if (m->elements[element].corners[i] == vertex) return true;
    return false;
}

static void model_replace(model *m, uint32_t element, uint32_t before, uint32_t after) {
    for (int i = 0; i < toc_shape_count_corners(m->elements[element].shape); i++)
        if (m->elements[element].corners[i] == before) m->elements[element].corners[i] = after;
}

// ---- Following events. A strict follower never falls behind, so every event must agree with its state.

static void follow_event(model *m, const toc_mesh *mesh, const toc_event *e, bool strict) {
    switch (e->kind) {
    case TOC_EVENT_VERTICES_ADDED:
        m->vertex_count += e->count;
        break;
    case TOC_EVENT_ELEMENTS_ADDED:
        model_add_elements(m, mesh, e->first, e->count);
        break;
    case TOC_EVENT_ELEMENT_REMOVED:
        m->elements[e->first].shape = TOC_REMOVED;
        break;
    case TOC_EVENT_VERTEX_REMOVED:
        m->gone[e->first] = true;
        break;
    case TOC_EVENT_CORNER_CHANGED:
        if (strict) assert_int_equal(m->elements[e->first].corners[e->corner], e->before);
        m->elements[e->first].corners[e->corner] = e->after;
        break;
    }
}

static uint64_t follow(model *m, const toc_mesh *mesh, uint64_t since, bool strict) {
    const toc_event *events;
    size_t count;
    assert_ok(toc_mesh_get_events(mesh, since, &events, &count));
    for (size_t i = 0; i < count; i++) follow_event(m, mesh, &events[i], strict);
    return since + count;
}

// ---- Random edits, done to the mesh and to the model.

static void edit_add(toc_mesh *mesh, model *m, test_random *random) {
    const toc_shape shape = (toc_shape)(1 + test_random_below(random, TOC_SHAPE_COUNT - 1));
    uint32_t first, corners[16];
    assert_ok(toc_mesh_add_vertices(mesh, 8, (const double[24]){0}, &first));
    m->vertex_count += 8;
    for (int i = 0; i < 16; i++) {
        do corners[i] = test_random_below(random, m->vertex_count);
        while (m->gone[corners[i]]);
    }
    assert_ok(toc_mesh_add_elements(mesh, shape, 2, corners, &first));
    model_add_elements(m, mesh, first, 2);
}

static void edit_remove_element(toc_mesh *mesh, model *m, test_random *random) {
    const uint32_t element = test_random_below(random, m->element_count);
    const bool there = m->elements[element].shape != TOC_REMOVED;
    if (!there)
        assert_fails(toc_mesh_remove_element(mesh, element), TOC_BAD_INPUT, "was removed");
    else
        assert_ok(toc_mesh_remove_element(mesh, element));
    m->elements[element].shape = TOC_REMOVED;
}

static void edit_remove_vertex(toc_mesh *mesh, model *m, test_random *random) {
    const uint32_t vertex = test_random_below(random, m->vertex_count);
    bool used = false;
    for (uint32_t e = 0; e < m->element_count; e++) used = used || model_uses(m, e, vertex);
    if (m->gone[vertex])
        assert_fails(toc_mesh_remove_vertex(mesh, vertex), TOC_BAD_INPUT, "was removed");
    else if (used)
        assert_fails(toc_mesh_remove_vertex(mesh, vertex), TOC_BAD_INPUT, "uses it");
    else {
        assert_ok(toc_mesh_remove_vertex(mesh, vertex));
        m->gone[vertex] = true;
    }
}

static void edit_split(toc_mesh *mesh, model *m, test_random *random) {
    const uint32_t vertex = test_random_below(random, m->vertex_count);
    if (m->gone[vertex]) return;
    uint32_t named[MOST], made;
    size_t count = 0;
    for (uint32_t e = 0; e < m->element_count; e++)
        if (model_uses(m, e, vertex) && test_random_below(random, 2)) named[count++] = e;
    if (count > 0) named[count++] = named[0]; // naming one twice does no harm
    assert_ok(toc_mesh_split_vertex(mesh, vertex, count, named, &made));
    assert_int_equal(made, m->vertex_count);
    m->vertex_count++;
    for (size_t i = 0; i < count; i++) model_replace(m, named[i], vertex, made);
}

static void edit_merge(toc_mesh *mesh, model *m, test_random *random) {
    const uint32_t kept = test_random_below(random, m->vertex_count), gone = test_random_below(random, m->vertex_count);
    if (m->gone[kept] || m->gone[gone] || kept == gone) return;
    bool both = false;
    for (uint32_t e = 0; e < m->element_count; e++) both = both || (model_uses(m, e, kept) && model_uses(m, e, gone));
    if (both) {
        assert_fails(toc_mesh_merge_vertices(mesh, kept, gone), TOC_BAD_INPUT, "uses both");
        return;
    }
    assert_ok(toc_mesh_merge_vertices(mesh, kept, gone));
    m->gone[gone] = true;
    for (uint32_t e = 0; e < m->element_count; e++) model_replace(m, e, gone, kept);
}

// Opposite corners of a side, and of the element. The edges of a reduced element are those of the tet it stands for.
static bool model_has_edge(const toc_mesh *mesh, uint32_t element, uint32_t a, uint32_t b) {
    toc_mesh *one;
    toc_features *features;
    bool found = false;
    const toc_element e = toc_mesh_get_element(mesh, element);
    assert_ok(toc_mesh_create(NULL, &one));
    assert_ok(toc_mesh_add_vertices(one, toc_mesh_get_vertex_count(mesh), toc_mesh_get_x0(mesh), NULL));
    assert_ok(toc_mesh_add_elements(one, e.shape, 1, e.corners, NULL));
    assert_ok(toc_mesh_find_features(one, &features));
    for (size_t i = 0; i < features->edge_count; i++)
        found = found || (features->edges[i][0] == (a < b ? a : b) && features->edges[i][1] == (a < b ? b : a) &&
                          !(features->edge_flags[i] & TOC_FEATURE_DIAGONAL));
    toc_features_destroy(features);
    toc_mesh_destroy(one);
    return found;
}

static void model_collapse(model *m, uint32_t element, uint32_t kept, uint32_t gone) {
    static const int needed[TOC_SHAPE_COUNT] = {0, 1, 2, 3, 3, 4, 4, 4, 4};
    const bool both = model_uses(m, element, kept) && model_uses(m, element, gone);
    model_replace(m, element, gone, kept);
    const uint32_t *corners = m->elements[element].corners;
    const int count = toc_shape_count_corners(m->elements[element].shape);
    int distinct = 0;
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < i && corners[k] != corners[i]) k++;
        distinct += k == i;
    }
    if (both && distinct < needed[m->elements[element].shape]) m->elements[element].shape = TOC_REMOVED;
}

static void edit_collapse(toc_mesh *mesh, model *m, test_random *random) {
    const uint32_t element = test_random_below(random, m->element_count);
    const int count = toc_shape_count_corners(m->elements[element].shape);
    if (count < 2) return;
    const uint32_t kept = m->elements[element].corners[test_random_below(random, (uint32_t)count)],
                   gone = m->elements[element].corners[test_random_below(random, (uint32_t)count)];
    bool edges = kept != gone;
    for (uint32_t e = 0; e < m->element_count && edges; e++)
        if (model_uses(m, e, kept) && model_uses(m, e, gone)) edges = model_has_edge(mesh, e, kept, gone);
    if (!edges) {
        assert_int_equal(toc_mesh_collapse_edge(mesh, kept, gone), TOC_BAD_INPUT);
        return;
    }
    assert_ok(toc_mesh_collapse_edge(mesh, kept, gone));
    m->gone[gone] = true;
    for (uint32_t e = 0; e < m->element_count; e++) model_collapse(m, e, kept, gone);
}

static void edit_at_random(toc_mesh *mesh, model *m, test_random *random) {
    static void (*const edits[])(toc_mesh *, model *, test_random *) = {
        edit_remove_element, edit_remove_vertex, edit_split, edit_merge, edit_merge, edit_collapse};
    const uint32_t choice = test_random_below(random, 24);
    if (choice == 0)
        edit_add(mesh, m, random);
    else
        edits[choice % 6](mesh, m, random);
}

// ---- The features of an edited mesh, against those of the same mesh made anew.

static toc_mesh *make_anew(const toc_mesh *mesh, uint32_t *new_ids) {
    toc_mesh *made;
    assert_ok(toc_mesh_create(NULL, &made));
    assert_ok(toc_mesh_add_vertices(made, toc_mesh_get_vertex_count(mesh), toc_mesh_get_x0(mesh), NULL));
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        if (e.shape != TOC_REMOVED) assert_ok(toc_mesh_add_elements(made, e.shape, 1, e.corners, &new_ids[i]));
    }
    return made;
}

static void check_lists(const toc_lists *edited, const toc_lists *anew, const uint32_t *new_ids) {
    assert_int_equal(edited->count, anew->count);
    assert_memory_equal(edited->first, anew->first, (edited->count + 1) * sizeof *edited->first);
    for (size_t i = 0; i < edited->first[edited->count]; i++)
        assert_int_equal(new_ids[edited->items[i]], anew->items[i]);
}

static void check_features_as_if_made_anew(const toc_mesh *mesh) {
    uint32_t new_ids[MOST];
    toc_mesh *made = make_anew(mesh, new_ids);
    toc_features *f, *g;
    assert_ok(toc_mesh_find_features(mesh, &f));
    assert_ok(toc_mesh_find_features(made, &g));
    test_assert_same_features(f, g);
    check_lists(&f->vertex_elements, &g->vertex_elements, new_ids);
    check_lists(&f->edge_elements, &g->edge_elements, new_ids);
    check_lists(&f->face_elements, &g->face_elements, new_ids);
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++)
        if (toc_mesh_get_element(mesh, i).shape == TOC_REMOVED)
            assert_int_equal(f->element_neighbours.first[i], f->element_neighbours.first[i + 1]);
    toc_features_destroy(f);
    toc_features_destroy(g);
    toc_mesh_destroy(made);
}

static void check_thousand_edits(toc_mesh *mesh, test_random *random) {
    toc_mesh *before;
    assert_ok(toc_mesh_copy(mesh, &before));
    model *done = model_of(mesh), *following = model_of(mesh), *late = model_of(before);
    const uint64_t start = toc_mesh_get_revision(mesh);
    uint64_t seen = start;
    for (int i = 0; i < 1000; i++) {
        edit_at_random(mesh, done, random);
        seen = follow(following, mesh, seen, true);
        check_model(done, mesh);
        check_model(following, mesh);
        if (i % 100 == 99) check_features_as_if_made_anew(mesh);
    }
    follow(late, mesh, start, false);
    check_model(late, mesh);
    toc_mesh_destroy(before);
    free(done);
    free(following);
    free(late);
}

static void a_thousand_random_edits_can_be_followed(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *meshes[] = {test_grid_volume(TOC_TET, 3, 3, 3), test_grid_sheet(TOC_QUAD, 10, 10),
                          test_soup(&random, TOC_REMOVED, 150, 120)};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        check_thousand_edits(meshes[i], &random);
        toc_mesh_destroy(meshes[i]);
    }
}

// ---- Single edits.

// Two triangles 0 1 2 and 2 1 3, which move apart.
static toc_mesh *two_triangles(void) {
    toc_mesh *mesh = test_grid_sheet(TOC_POINT, 0, 0);
    assert_ok(toc_mesh_remove_element(mesh, 0));
    const double x0[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, x1[12] = {0, 0, 1, 1, 0, 2, 0, 1, 3, 1, 1, 4};
    assert_ok(toc_mesh_add_vertices(mesh, 3, x0 + 3, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (uint32_t[]){0, 1, 2, 2, 1, 3}, NULL));
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
    return mesh;
}

static void a_torn_vertex_keeps_place_and_motion(void **state) {
    (void)state;
    toc_mesh *mesh = two_triangles();
    uint32_t made = 99;
    assert_ok(toc_mesh_split_vertex(mesh, 1, 1, (uint32_t[]){2}, &made));
    assert_int_equal(made, 4);
    assert_memory_equal(toc_mesh_get_x0(mesh) + 12, toc_mesh_get_x0(mesh) + 3, 3 * sizeof(double));
    assert_memory_equal(toc_mesh_get_x1(mesh) + 12, toc_mesh_get_x1(mesh) + 3, 3 * sizeof(double));
    assert_double_same(toc_mesh_get_x1(mesh)[14], 2);
    assert_memory_equal(toc_mesh_get_element(mesh, 1).corners, ((uint32_t[]){0, 1, 2}), 12);
    assert_memory_equal(toc_mesh_get_element(mesh, 2).corners, ((uint32_t[]){2, 4, 3}), 12);
    toc_mesh_destroy(mesh);
}

static void events_of_a_tear_and_a_weld_are_told_in_order(void **state) {
    (void)state;
    toc_mesh *mesh = two_triangles();
    const uint64_t start = toc_mesh_get_revision(mesh);
    assert_ok(toc_mesh_split_vertex(mesh, 2, 1, (uint32_t[]){1}, NULL));
    assert_ok(toc_mesh_merge_vertices(mesh, 2, 4));
    const toc_event *e;
    size_t count;
    assert_ok(toc_mesh_get_events(mesh, start, &e, &count));
    const toc_event expected[] = {{TOC_EVENT_VERTICES_ADDED, 4, 1, 0, 0, 0},
                                  {TOC_EVENT_CORNER_CHANGED, 1, 1, 2, 2, 4},
                                  {TOC_EVENT_CORNER_CHANGED, 1, 1, 2, 4, 2},
                                  {TOC_EVENT_VERTEX_REMOVED, 4, 1, 0, 0, 0}};
    assert_int_equal(count, 4);
    assert_memory_equal(e, expected, sizeof expected);
    assert_memory_equal(toc_mesh_get_element(mesh, 1).corners, ((uint32_t[]){0, 1, 2}), 12);
    toc_mesh_destroy(mesh);
}

// The triangles on the edge are gone, the others meet at the vertex that stays; a quad becomes a triangle.
static void an_edge_collapses_with_its_triangles(void **state) {
    (void)state;
    toc_mesh *mesh = two_triangles();
    uint32_t quad;
    assert_ok(toc_mesh_add_vertices(mesh, 2, (const double[]){2, 0, 0, 2, 1, 0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){1, 4, 5, 3}, &quad));
    assert_fails(toc_mesh_collapse_edge(mesh, 1, 5), TOC_BAD_INPUT,
                 "edge 1-5 cannot be collapsed: element 3 has no edge between the two");
    assert_fails(toc_mesh_collapse_edge(mesh, 0, 5), TOC_BAD_INPUT, "edge 0-5 cannot be collapsed: no element has it");
    assert_fails(toc_mesh_collapse_edge(mesh, 3, 3), TOC_BAD_INPUT, "vertex 3 cannot be merged with itself");
    assert_ok(toc_mesh_collapse_edge(mesh, 1, 3));
    assert_int_equal(toc_mesh_get_element(mesh, 2).shape, TOC_REMOVED);
    assert_memory_equal(toc_mesh_get_element(mesh, 1).corners, ((uint32_t[]){0, 1, 2}), 12);
    assert_memory_equal(toc_mesh_get_element(mesh, quad).corners, ((uint32_t[]){1, 4, 5, 1}), 16);
    assert_false(toc_mesh_has_vertex(mesh, 3));
    assert_double_same(toc_mesh_get_x1(mesh)[5], 2);
    toc_mesh_destroy(mesh);
}

static void impossible_edits_are_refused_with_the_reason(void **state) {
    (void)state;
    toc_mesh *mesh = two_triangles();
    uint32_t made = 99;
    const uint64_t revision = toc_mesh_get_revision(mesh);
    assert_fails(toc_mesh_remove_element(mesh, 3), TOC_BAD_INPUT, "element 3, but there are 3 elements");
    assert_fails(toc_mesh_remove_element(mesh, 0), TOC_BAD_INPUT, "element 0 was removed");
    assert_fails(toc_mesh_set_group(mesh, 0, 1), TOC_BAD_INPUT, "element 0 was removed");
    assert_fails(toc_mesh_remove_vertex(mesh, 4), TOC_BAD_INPUT, "vertex 4, but there are 4 vertices");
    assert_fails(toc_mesh_remove_vertex(mesh, 0), TOC_BAD_INPUT, "vertex 0 cannot be removed: element 1 uses it");
    assert_fails(toc_mesh_split_vertex(mesh, 4, 0, NULL, &made), TOC_BAD_INPUT, "vertex 4, but there are 4 vertices");
    assert_fails(toc_mesh_split_vertex(mesh, 0, 2, (uint32_t[]){1, 2}, &made), TOC_BAD_INPUT,
                 "vertex 0 cannot be split: element 2 does not use it");
    assert_fails(toc_mesh_split_vertex(mesh, 0, 1, (uint32_t[]){7}, &made), TOC_BAD_INPUT, "element 7, but there are");
    assert_fails(toc_mesh_merge_vertices(mesh, 1, 1), TOC_BAD_INPUT, "vertex 1 cannot be merged with itself");
    assert_fails(toc_mesh_merge_vertices(mesh, 0, 2), TOC_BAD_INPUT,
                 "vertices 0 and 2 cannot be merged: element 1 uses both");
    assert_fails(toc_mesh_merge_vertices(mesh, 0, 9), TOC_BAD_INPUT, "vertex 9, but there are 4 vertices");
    assert_fails(toc_mesh_merge_vertices(mesh, 9, 0), TOC_BAD_INPUT, "vertex 9, but there are 4 vertices");
    assert_int_equal(made, 99);
    assert_int_equal(toc_mesh_get_revision(mesh), revision);
    toc_mesh_destroy(mesh);
}

static void removed_vertices_cannot_be_used_again(void **state) {
    (void)state;
    toc_mesh *mesh = two_triangles();
    assert_ok(toc_mesh_merge_vertices(mesh, 0, 3));
    assert_false(toc_mesh_has_vertex(mesh, 3));
    assert_int_equal(toc_mesh_get_vertex_count(mesh), 4);
    assert_fails(toc_mesh_add_elements(mesh, TOC_EDGE, 1, (uint32_t[]){0, 3}, NULL), TOC_BAD_INPUT,
                 "element 3, corner 1: vertex 3 was removed");
    assert_fails(toc_mesh_split_vertex(mesh, 3, 0, NULL, NULL), TOC_BAD_INPUT, "vertex 3 was removed");
    assert_fails(toc_mesh_merge_vertices(mesh, 0, 3), TOC_BAD_INPUT, "vertex 3 was removed");
    assert_fails(toc_mesh_remove_vertex(mesh, 3), TOC_BAD_INPUT, "vertex 3 was removed");
    uint32_t next;
    assert_ok(toc_mesh_add_vertices(mesh, 1, toc_mesh_get_x0(mesh), &next));
    assert_int_equal(next, 4);
    assert_true(toc_mesh_has_vertex(mesh, 4));
    toc_mesh *copy;
    assert_ok(toc_mesh_copy(mesh, &copy));
    assert_false(toc_mesh_has_vertex(copy, 3));
    assert_ok(toc_mesh_remove_vertex(copy, 4));
    toc_mesh_destroy(copy);
    toc_mesh_destroy(mesh);
}

// An element that uses a vertex twice has both corners torn off, and both welded.
static void corners_used_twice_change_together(void **state) {
    (void)state;
    toc_mesh *mesh = two_triangles();
    uint32_t quad, made;
    assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (uint32_t[]){0, 3, 1, 3}, &quad));
    assert_ok(toc_mesh_split_vertex(mesh, 3, 1, &quad, &made));
    assert_memory_equal(toc_mesh_get_element(mesh, quad).corners, ((uint32_t[]){0, 4, 1, 4}), 16);
    assert_ok(toc_mesh_merge_vertices(mesh, 2, made));
    assert_memory_equal(toc_mesh_get_element(mesh, quad).corners, ((uint32_t[]){0, 2, 1, 2}), 16);
    toc_mesh_destroy(mesh);
}

// ---- Out of memory.

static toc_status edit_all_ways(toc_mesh *mesh) {
    uint32_t made;
    const double positions[30] = {0};
    const uint32_t corners[12] = {0, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8};
    TOC_TRY(toc_mesh_add_vertices(mesh, 10, positions, NULL));
    TOC_TRY(toc_mesh_add_elements(mesh, TOC_TET, 3, corners, NULL));
    for (int i = 0; i < 20; i++) {
        TOC_TRY(toc_mesh_split_vertex(mesh, 1, 1, (uint32_t[]){0}, &made));
        TOC_TRY(toc_mesh_merge_vertices(mesh, 1, made));
    }
    TOC_TRY(toc_mesh_collapse_edge(mesh, 7, 8));
    TOC_TRY(toc_mesh_remove_vertex(mesh, 9));
    return toc_mesh_remove_element(mesh, 1);
}

static toc_status make_and_edit(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh;
    TOC_TRY(toc_mesh_create(allocator, &mesh));
    const toc_status status = edit_all_ways(mesh);
    toc_mesh_destroy(mesh);
    return status;
}

static void any_failed_allocation_is_survived(void **state) {
    (void)state;
    assert_true(test_every_allocation(make_and_edit, NULL) > 10);
}

// Each edit, tried with the n-th allocation failing on a fresh copy: the mesh is as it was, and then it can be done.
static toc_status edit_number(toc_mesh *mesh, int number) {
    if (number == 0) return toc_mesh_remove_element(mesh, 1);
    if (number == 1) return toc_mesh_remove_vertex(mesh, 4);
    if (number == 2) return toc_mesh_split_vertex(mesh, 1, 2, (uint32_t[]){1, 2}, NULL);
    if (number == 3) return toc_mesh_collapse_edge(mesh, 1, 2);
    return toc_mesh_merge_vertices(mesh, 0, 3);
}

static toc_mesh *small_mesh(test_allocator *memory) {
    toc_mesh *mesh, *copy;
    assert_ok(toc_mesh_create(&memory->allocator, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 5, (const double[15]){0}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 3, (uint32_t[]){1, 2, 0, 0, 1, 2, 2, 1, 3}, NULL));
    assert_ok(toc_mesh_copy(mesh, &copy)); // no events, no lists yet
    toc_mesh_destroy(mesh);
    return copy;
}

static void failed_edits_change_nothing(void **state) {
    (void)state;
    for (int number = 0; number < 5; number++) {
        toc_status status = TOC_OUT_OF_MEMORY;
        for (uint64_t n = 1; status != TOC_OK; n++) {
            test_allocator memory;
            test_allocator_make(&memory, 0);
            toc_mesh *mesh = small_mesh(&memory);
            model *before = model_of(mesh);
            memory.fail_at = memory.calls + n;
            status = edit_number(mesh, number);
            if (status != TOC_OK) {
                assert_int_equal(status, TOC_OUT_OF_MEMORY);
                check_model(before, mesh);
                assert_int_equal(toc_mesh_get_revision(mesh), 0);
                assert_ok(edit_number(mesh, number));
            }
            free(before);
            toc_mesh_destroy(mesh);
            assert_int_equal(memory.alive, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_random_edits_can_be_followed),
        cmocka_unit_test(a_torn_vertex_keeps_place_and_motion),
        cmocka_unit_test(events_of_a_tear_and_a_weld_are_told_in_order),
        cmocka_unit_test(an_edge_collapses_with_its_triangles),
        cmocka_unit_test(impossible_edits_are_refused_with_the_reason),
        cmocka_unit_test(removed_vertices_cannot_be_used_again),
        cmocka_unit_test(corners_used_twice_change_together),
        cmocka_unit_test(any_failed_allocation_is_survived),
        cmocka_unit_test(failed_edits_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
