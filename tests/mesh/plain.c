// SPDX-License-Identifier: Apache-2.0
// Features of plain meshes: the same as those of the walk over all elements, bit for bit.
#include "mesh/plain.h"

#include <string.h>

#include "support/test.h"

enum { VERTICES = 40, TRIANGLES = 60 };

static toc_mesh *mesh_of(const toc_allocator *allocator, size_t vertices, size_t count, const uint32_t *corners) {
    static const double origin[3 * 200];
    toc_mesh *mesh;
    assert_true(vertices <= 200);
    assert_ok(toc_mesh_create(allocator, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, vertices, origin, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, count, corners, NULL));
    return mesh;
}

static void assert_same_lists(const toc_lists *a, const toc_lists *b) {
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->first, b->first, (a->count + 1) * sizeof *a->first);
    assert_memory_equal(a->items, b->items, a->first[a->count] * sizeof *a->items);
}

#define assert_same_array(a, b, count)                                     \
    do {                                                                   \
        if ((count) > 0) assert_memory_equal(a, b, (count) * sizeof *(a)); \
    } while (0)

static void assert_same_features(const toc_features *a, const toc_features *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_same_array(a->vertices, b->vertices, a->vertex_count);
    assert_same_array(a->edges, b->edges, a->edge_count);
    assert_same_array(a->faces, b->faces, a->face_count);
    assert_same_array(a->vertex_flags, b->vertex_flags, a->vertex_count);
    assert_same_array(a->edge_flags, b->edge_flags, a->edge_count);
    assert_same_array(a->face_flags, b->face_flags, a->face_count);
    for (size_t i = 0; i < a->edge_count; i++)
        assert_int_equal(toc_features_find_edge(a, a->edges[i][1], a->edges[i][0]), i);
}

// Compare the bare features of a mesh with all of its features. @return whether they had no lists of elements.
static bool assert_bare_like_all(const toc_mesh *mesh) {
    toc_features *bare, *all;
    assert_ok(toc_features_make_bare(mesh, 1, &bare));
    assert_ok(toc_features_make(mesh, false, 1, &all));
    const bool plain = !toc_features_have_elements(bare);
    assert_same_features(bare, all);
    const uint32_t(*edges)[2] = bare->edges;
    assert_ok(toc_features_list_elements(bare, mesh, 1));
    assert_true(toc_features_have_elements(bare) && bare->edges == edges);
    assert_same_features(bare, all);
    assert_same_lists(&bare->vertex_elements, &all->vertex_elements);
    assert_same_lists(&bare->edge_elements, &all->edge_elements);
    assert_same_lists(&bare->face_elements, &all->face_elements);
    toc_features_destroy(bare);
    toc_features_destroy(all);
    return plain;
}

static bool check_corners(size_t vertices, size_t count, const uint32_t *corners) {
    toc_mesh *mesh = mesh_of(NULL, vertices, count, corners);
    const bool plain = assert_bare_like_all(mesh);
    toc_mesh_destroy(mesh);
    return plain;
}

static void pick_corners(test_random *random, uint32_t vertices, bool distinct, uint32_t v[3]) {
    do
        for (int k = 0; k < 3; k++) v[k] = test_random_below(random, vertices);
    while (distinct && (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]));
}

// Random corners: edges with many triangles, vertices in none, repeated triangles, triangles that collapsed.
static void any_triangles(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int plain = 0, others = 0;
    for (int round = 0; round < 400; round++) {
        uint32_t corners[3 * TRIANGLES];
        const uint32_t vertices = 4 + test_random_below(&random, VERTICES),
                       count = test_random_below(&random, TRIANGLES);
        for (size_t i = 0; i < count; i++) pick_corners(&random, vertices, round % 8 > 0, corners + 3 * i);
        if (check_corners(vertices, count, corners))
            plain++;
        else
            others++;
    }
    assert_true(plain > 100 && others > 10);
}

static void a_repeated_triangle_is_one_face(void **state) {
    (void)state;
    assert_true(check_corners(6, 4, (const uint32_t[]){5, 2, 3, 1, 2, 3, 2, 3, 5, 3, 5, 2}));
}

// The first triangle gives the face its winding, which two passes of the walk find; it is left to them.
static void both_sides_of_a_face(void **state) {
    (void)state;
    assert_false(check_corners(4, 3, (const uint32_t[]){0, 2, 1, 1, 2, 0, 1, 2, 3}));
}

static void a_collapsed_triangle_is_no_face(void **state) {
    (void)state;
    assert_false(check_corners(4, 2, (const uint32_t[]){0, 2, 1, 3, 3, 1}));
    assert_false(check_corners(4, 2, (const uint32_t[]){0, 2, 1, 1, 1, 1}));
}

// A fan around a vertex: sorted by insertion while it is small, by the walk beyond.
static void a_crowded_vertex(void **state) {
    (void)state;
    for (uint32_t size = 30; size < 36; size++) {
        uint32_t corners[3 * 40];
        for (uint32_t i = 0; i < size; i++) {
            corners[3 * i] = 0;
            corners[3 * i + 1] = 199 - i;
            corners[3 * i + 2] = 198 - i;
        }
        assert_int_equal(check_corners(200, size, corners), 2 * size <= 64);
    }
}

static void a_removed_triangle_has_no_features(void **state) {
    (void)state;
    toc_mesh *mesh = mesh_of(NULL, 5, 2, (const uint32_t[]){0, 1, 2, 2, 1, 3});
    assert_ok(toc_mesh_remove_element(mesh, 0));
    assert_false(assert_bare_like_all(mesh));
    toc_mesh_destroy(mesh);
}

static void quads_and_nothing(void **state) {
    (void)state;
    toc_mesh *mesh = mesh_of(NULL, 5, 1, (const uint32_t[]){0, 1, 2});
    assert_ok(toc_mesh_add_elements(mesh, TOC_QUAD, 1, (const uint32_t[]){1, 2, 3, 4}, NULL));
    assert_false(assert_bare_like_all(mesh));
    toc_mesh_destroy(mesh);
    mesh = mesh_of(NULL, 0, 0, NULL);
    assert_bare_like_all(mesh);
    toc_mesh_destroy(mesh);
}

static toc_status make_bare(const toc_allocator *allocator, void *user) {
    toc_mesh *mesh = user, copy = *mesh;
    toc_features *f;
    copy.allocator = *allocator;
    TOC_TRY(toc_features_make_bare(&copy, 1, &f));
    const toc_status status = toc_features_list_elements(f, &copy, 1);
    assert_true(status == TOC_OK || !toc_features_have_elements(f));
    toc_features_destroy(f);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    toc_mesh *mesh = mesh_of(NULL, 6, 3, (const uint32_t[]){5, 2, 3, 1, 2, 3, 2, 3, 4});
    test_every_allocation(make_bare, mesh);
    toc_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_triangles),        cmocka_unit_test(a_repeated_triangle_is_one_face),
        cmocka_unit_test(both_sides_of_a_face), cmocka_unit_test(a_collapsed_triangle_is_no_face),
        cmocka_unit_test(a_crowded_vertex),     cmocka_unit_test(a_removed_triangle_has_no_features),
        cmocka_unit_test(quads_and_nothing),    cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
