// SPDX-License-Identifier: Apache-2.0
// Incidence that followed edits against incidence that was made from scratch.
#include "mesh/incidence.h"

#include <stdlib.h>
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

static void assert_lists_equal(const toc_adjacency *adjacency, uint32_t list, const toc_lists *lists, size_t i) {
    size_t count;
    const uint32_t *items = toc_adjacency_items(adjacency, list, &count);
    assert_int_equal(count, lists->first[i + 1] - lists->first[i]);
    if (count) assert_memory_equal(items, lists->items + lists->first[i], count * sizeof *items);
}

// The place of an edge or a face that exists, by its vertices.
static uint32_t place_of(const uint32_t *all, size_t count, const toc_adjacency *around, const uint32_t *v,
                         int corners) {
    for (uint32_t i = 0; i < count; i++)
        if (around->runs.at[i].count && memcmp(all + (size_t)corners * i, v, (size_t)corners * sizeof *v) == 0)
            return i;
    fail_msg("a feature is missing");
    return 0;
}

static size_t count_used(const toc_adjacency *adjacency) {
    size_t used = 0;
    for (size_t i = 0; i < adjacency->runs.count; i++) used += adjacency->runs.at[i].count > 0;
    return used;
}

// Every list of a feature's elements against that of the other direction.
static void assert_inverse(const toc_adjacency *own, const toc_adjacency *around) {
    size_t pairs = 0, others = 0;
    for (uint32_t e = 0; e < own->runs.count; e++) pairs += own->runs.at[e].count;
    for (uint32_t i = 0; i < around->runs.count; i++) {
        size_t count, features;
        const uint32_t *elements = toc_adjacency_items(around, i, &count);
        for (size_t j = 0; j < count; j++) {
            const uint32_t *ids = toc_adjacency_items(own, elements[j], &features);
            size_t k = 0;
            while (k < features && ids[k] != i) k++;
            assert_true(k < features);
        }
        others += count;
    }
    assert_int_equal(pairs, others);
}

static void assert_equal_to_scratch(const toc_incidence *in, const toc_mesh *mesh) {
    toc_features *f;
    assert_ok(toc_features_make(mesh, false, 1, &f));
    assert_int_equal(count_used(&in->vertex_elements), f->vertex_count);
    assert_int_equal(count_used(&in->edge_elements), f->edge_count);
    assert_int_equal(count_used(&in->face_elements), f->face_count);
    for (size_t i = 0; i < f->vertex_count; i++) {
        assert_lists_equal(&in->vertex_elements, f->vertices[i], &f->vertex_elements, i);
        assert_int_equal(in->vertex_flags.at[f->vertices[i]], f->vertex_flags[i]);
    }
    for (size_t i = 0; i < f->edge_count; i++) {
        const uint32_t at =
            place_of((const uint32_t *)in->edges.at, in->edges.count, &in->edge_elements, f->edges[i], 2);
        assert_lists_equal(&in->edge_elements, at, &f->edge_elements, i);
        assert_int_equal(in->edge_flags.at[at], f->edge_flags[i]);
    }
    for (size_t i = 0; i < f->face_count; i++) {
        const uint32_t at =
            place_of((const uint32_t *)in->faces.at, in->faces.count, &in->face_elements, f->faces[i], 3);
        assert_lists_equal(&in->face_elements, at, &f->face_elements, i);
        assert_int_equal(in->face_flags.at[at], f->face_flags[i]);
    }
    assert_inverse(&in->element_vertices, &in->vertex_elements);
    assert_inverse(&in->element_edges, &in->edge_elements);
    assert_inverse(&in->element_faces, &in->face_elements);
    toc_features_destroy(f);
}

static toc_incidence make(const toc_mesh *mesh) {
    toc_features *f;
    toc_incidence in;
    assert_ok(toc_features_make(mesh, false, 1, &f));
    assert_ok(toc_incidence_make(mesh, f, &in));
    toc_features_destroy(f);
    return in;
}

static void follow(toc_incidence *in, const toc_mesh *mesh) {
    toc_changes changes;
    memset(&changes, 0, sizeof changes);
    assert_ok(toc_incidence_follow(in, mesh, &changes));
    toc_changes_free(&in->allocator, &changes);
}

static void a_thousand_random_edits(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *mesh = test_grid_volume(TOC_TET, 2, 2, 2);
    toc_incidence in = make(mesh);
    for (int i = 0; i < 1000; i++) {
        test_random_edit(mesh, &random);
        if (i % 3) continue; // several edits at a time
        follow(&in, mesh);
        if (i % 5 == 0) assert_equal_to_scratch(&in, mesh);
    }
    follow(&in, mesh);
    assert_equal_to_scratch(&in, mesh);
    toc_incidence_free(&in);
    toc_mesh_destroy(mesh);
}

static uint64_t work_of_a_tear(uint32_t cells) {
    toc_mesh *mesh = test_grid_volume(TOC_HEX, cells, cells, cells);
    toc_incidence in = make(mesh);
    const uint32_t middle = cells / 2, side = cells + 1;
    const uint32_t vertex = middle + side * (middle + side * middle);
    size_t count;
    const uint32_t torn = *toc_adjacency_items(&in.vertex_elements, vertex, &count);
    assert_ok(toc_mesh_split_vertex(mesh, vertex, 1, &torn, NULL));
    follow(&in, mesh);
    const uint64_t work = in.work;
    toc_incidence_free(&in);
    toc_mesh_destroy(mesh);
    return work;
}

// The same tear costs the same in a mesh of eight times as many elements.
static void work_is_that_of_the_change(void **state) {
    (void)state;
    const uint64_t small = work_of_a_tear(6), large = work_of_a_tear(12);
    print_message("%llu features looked at\n", (unsigned long long)small);
    assert_int_equal(small, large);
    assert_true(small < 10000);
}

static void forgotten_events_are_told(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    toc_incidence in = make(mesh);
    toc_changes changes;
    memset(&changes, 0, sizeof changes);
    assert_ok(toc_mesh_remove_element(mesh, 0));
    toc_mesh_forget_events(mesh, toc_mesh_get_revision(mesh));
    assert_int_equal(toc_incidence_follow(&in, mesh, &changes), TOC_BAD_INPUT);
    toc_changes_free(&in.allocator, &changes);
    toc_incidence_free(&in);
    toc_mesh_destroy(mesh);
}

static toc_status edit_and_follow(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_mesh *mesh = NULL;
    toc_features *f = NULL;
    toc_incidence in = {.allocator = *allocator};
    toc_changes changes;
    memset(&changes, 0, sizeof changes);
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    toc_status status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) status = toc_mesh_add_vertices(mesh, 5, x, NULL);
    if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){0, 1, 2, 3}, NULL);
    if (status == TOC_OK) status = toc_features_make(mesh, false, 1, &f);
    if (status == TOC_OK) status = toc_incidence_make(mesh, f, &in);
    if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TET, 1, (const uint32_t[]){4, 1, 2, 3}, NULL);
    if (status == TOC_OK) status = toc_incidence_follow(&in, mesh, &changes);
    toc_changes_free(allocator, &changes);
    toc_incidence_free(&in);
    toc_features_destroy(f);
    toc_mesh_destroy(mesh);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    assert_true(test_every_allocation(edit_and_follow, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_random_edits),
        cmocka_unit_test(work_is_that_of_the_change),
        cmocka_unit_test(forgotten_events_are_told),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
