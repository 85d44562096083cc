// SPDX-License-Identifier: Apache-2.0
// Positions in memory of the caller: the answers of every question are those of the same positions in the mesh.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/twins.h"

enum { CELLS = TEST_TWIN_CELLS, BODIES = TEST_TWIN_BODIES };

static void free_twins(test_twins *t) { test_twins_free(t, free); }

// Write positions with a stride behind an offset that spoils the alignment.
static toc_shared_positions lay_out(test_twins *t, int body, int end, toc_scalar scalar, size_t stride, size_t offset) {
    char **memory = &t->memory[body][end];
    free(*memory);
    *memory = calloc(t->count + 1, test_twins_stride(scalar, stride) + 16);
    test_twins_write(t, body, end, scalar, stride, *memory + offset);
    return (toc_shared_positions){*memory + offset, stride, scalar};
}

static void share_all(test_twins *t, toc_scalar scalar, size_t stride, size_t offset) {
    for (int b = 0; b < BODIES; b++) {
        const toc_shared_positions x0 = lay_out(t, b, 0, scalar, stride, offset),
                                   x1 = lay_out(t, b, 1, scalar, stride, offset);
        assert_ok(toc_scene_share_positions(t->shared, (uint32_t)b, t->count, &x0, &x1));
        test_twins_copy(t, b);
    }
}

static void assert_same_answers(const test_twins *t, int threads) {
    test_twins_assert_same(t, TOC_DEVICE_AUTO, threads);
}

// Doubles and floats, without a gap, with one, and at odd addresses; the memory changes from step to step.
static void any_layout_gives_the_same_answers(void **state) {
    (void)state;
    static const struct {
        toc_scalar scalar;
        size_t stride, offset;
    } layouts[] = {{TOC_DOUBLE, 0, 0}, {TOC_DOUBLE, 24, 1}, {TOC_DOUBLE, 32, 0}, {TOC_DOUBLE, 57, 3},
                   {TOC_FLOAT, 0, 0},  {TOC_FLOAT, 16, 0},  {TOC_FLOAT, 13, 1},  {TOC_FLOAT, 80, 7}};
    test_random random = test_random_make(0);
    test_twins t;
    test_twins_make(&t);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        test_twins_place(&t, &random);
        share_all(&t, layouts[i].scalar, layouts[i].stride, layouts[i].offset);
        assert_same_answers(&t, 1 + (int)(i % 3));
    }
    free_twins(&t);
}

// The memory is read by each question; the mesh's own positions do not count until sharing ends.
static void the_memory_is_read_anew(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    test_twins_make(&t);
    test_twins_place(&t, &random);
    share_all(&t, TOC_DOUBLE, 0, 0);
    assert_same_answers(&t, 1);
    test_twins_place(&t, &random);
    for (int b = 0; b < BODIES; b++) {
        toc_mesh *ignored = toc_scene_edit_mesh(t.shared, (uint32_t)b);
        assert_ok(test_mesh_move(ignored, toc_mesh_get_x0(ignored)));
        test_twins_copy(&t, b);
        for (int end = 0; end < 2; end++) memcpy(t.memory[b][end], t.x[b][end], 3 * t.count * sizeof(double));
    }
    assert_same_answers(&t, 1);
    test_twins_place(&t, &random);
    for (uint32_t b = 0; b < BODIES; b++) {
        assert_ok(toc_scene_share_positions(t.shared, b, 0, NULL, NULL));
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.copied, b), t.x[b][0], t.x[b][1]));
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.shared, b), t.x[b][0], t.x[b][1]));
    }
    assert_same_answers(&t, 2);
    free_twins(&t);
}

// A scene with a world finds its patch from the memory; a method with a tolerance takes the extent of the scene.
static void worlds_and_tolerances_see_the_memory(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    test_twins_make(&t);
    toc_world *world;
    assert_ok(toc_world_create(NULL, test_sheet_at(CELLS, 0.05), &world));
    test_twins_place(&t, &random);
    share_all(&t, TOC_FLOAT, 20, 1);
    toc_contacts *a, *b;
    toc_query query = toc_query_default();
    query.test.method = TOC_METHOD_CUBIC;
    assert_ok(toc_scene_find_contacts(t.copied, &query, NULL, &a));
    assert_ok(toc_scene_find_contacts(t.shared, &query, NULL, &b));
    assert_int_equal(a->count, b->count);
    toc_contacts_destroy(a);
    toc_contacts_destroy(b);
    assert_ok(toc_scene_add_world(t.copied, world, NULL));
    assert_ok(toc_scene_add_world(t.shared, world, NULL));
    assert_same_answers(&t, 1);
    toc_world_destroy(world);
    free_twins(&t);
}

// In a scene with a world, too, the meshes keep their own positions: a refused NaN does not come back after sharing.
static void meshes_keep_their_positions_beside_a_world(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    toc_world *world;
    toc_contacts *contacts = NULL;
    const toc_query query = toc_query_default();
    test_twins_make(&t);
    assert_ok(toc_world_create(NULL, test_sheet_at(CELLS, 0.05), &world));
    assert_ok(toc_scene_add_world(t.copied, world, NULL));
    assert_ok(toc_scene_add_world(t.shared, world, NULL));
    test_twins_place(&t, &random);
    for (uint32_t b = 0; b < BODIES; b++)
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(t.shared, b), t.x[b][0], t.x[b][1]));
    share_all(&t, TOC_DOUBLE, 0, 0);
    double *at = (double *)t.memory[1][1] + 3 * 17 + 2;
    const double kept = *at;
    *at = NAN;
    assert_fails(toc_scene_find_contacts(t.shared, &query, NULL, &contacts), TOC_BAD_INPUT,
                 "body 1: shared x1, vertex 17: coordinate z");
    *at = kept + 100;
    assert_ok(toc_scene_find_contacts(t.shared, &query, NULL, &contacts));
    toc_contacts_destroy(contacts);
    for (uint32_t b = 0; b < BODIES; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(t.shared, b);
        assert_ok(toc_scene_share_positions(t.shared, b, 0, NULL, NULL));
        assert_memory_equal(toc_mesh_get_x0(mesh), t.x[b][0], 3 * t.count * sizeof(double));
        assert_memory_equal(toc_mesh_get_x1(mesh), t.x[b][1], 3 * t.count * sizeof(double));
    }
    assert_same_answers(&t, 1);
    toc_world_destroy(world);
    free_twins(&t);
}

// Most elements of the sheets are gone: queries see a compact copy, whose vertices have other numbers.
static void compact_copies_read_the_ids_of_the_mesh(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *scenes[2];
    toc_mesh *mesh = test_sheet_at(60, 0);
    const size_t count = toc_mesh_get_vertex_count(mesh), elements = toc_mesh_get_element_count(mesh);
    for (uint32_t e = 0; e < elements; e++)
        if (e % 8 > 1) assert_ok(toc_mesh_remove_element(mesh, e));
    double *x = calloc(6 * count, sizeof *x);
    for (size_t i = 0; i < 6 * count; i++)
        x[i] = toc_mesh_get_x0(mesh)[i % (3 * count)] + test_random_between(&random, -1.5, 1.5);
    toc_contacts *contacts[2];
    const toc_shared_positions x0 = {x, 0, TOC_DOUBLE}, x1 = {x + 3 * count, 0, TOC_DOUBLE};
    for (int s = 0; s < 2; s++) {
        const toc_query query = toc_query_default();
        toc_mesh *copy;
        assert_ok(toc_mesh_copy(mesh, &copy));
        assert_ok(toc_scene_create(NULL, &scenes[s]));
        assert_ok(toc_scene_add_body(scenes[s], copy, NULL));
        if (s == 0)
            assert_ok(test_mesh_set_motion(copy, x, x + 3 * count));
        else
            assert_ok(toc_scene_share_positions(scenes[s], 0, count, &x0, &x1));
        assert_ok(toc_scene_find_contacts(scenes[s], &query, NULL, &contacts[s]));
    }
    assert_true(contacts[0]->count > 0);
    assert_int_equal(contacts[0]->count, contacts[1]->count);
    for (size_t i = 0; i < contacts[0]->count; i++)
        assert_memory_equal(&contacts[0]->contacts[i], &contacts[1]->contacts[i], sizeof(toc_contact));
    for (int s = 0; s < 2; s++) {
        toc_contacts_destroy(contacts[s]);
        toc_scene_destroy(scenes[s]);
    }
    toc_mesh_destroy(mesh);
    free(x);
}

static void mistakes_are_told(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    test_twins t;
    const toc_query query = toc_query_default();
    toc_contacts *contacts = NULL;
    test_twins_make(&t);
    test_twins_place(&t, &random);
    share_all(&t, TOC_DOUBLE, 0, 0);
    toc_shared_positions x0 = {t.memory[0][0], 0, TOC_DOUBLE}, x1 = {t.memory[0][1], 0, TOC_DOUBLE}, bad = x0;
    assert_fails(toc_scene_share_positions(t.shared, 7, t.count, &x0, &x1), TOC_BAD_INPUT, "no body 7");
    assert_fails(toc_scene_share_positions(t.shared, 0, t.count, &x0, NULL), TOC_BAD_INPUT, "x1 is NULL");
    bad.stride = 23;
    assert_fails(toc_scene_share_positions(t.shared, 0, t.count, &bad, &x1), TOC_BAD_INPUT, "23 bytes");
    bad = (toc_shared_positions){NULL, 0, TOC_DOUBLE};
    assert_fails(toc_scene_share_positions(t.shared, 0, t.count, &x0, &bad), TOC_BAD_INPUT, "x1: no positions");
    bad = (toc_shared_positions){t.memory[0][0], 0, (toc_scalar)7};
    assert_fails(toc_scene_share_positions(t.shared, 0, t.count, &bad, &x1), TOC_BAD_INPUT, "scalar is 7");
    assert_fails(toc_scene_merge_bodies(t.shared, 0, 1, NULL, NULL), TOC_BAD_INPUT, "shares positions");
    assert_same_answers(&t, 1); // nothing has changed
    assert_ok(toc_scene_share_positions(t.shared, 0, t.count - 1, &x0, &x1));
    assert_fails(toc_scene_find_contacts(t.shared, &query, NULL, &contacts), TOC_BAD_INPUT, "shares the positions of");
    assert_ok(toc_scene_share_positions(t.shared, 0, t.count, &x0, &x1));
    assert_same_answers(&t, 1);
    ((double *)t.memory[1][1])[3 * 17 + 2] = NAN;
    assert_fails(toc_scene_find_contacts(t.shared, &query, NULL, &contacts), TOC_BAD_INPUT,
                 "shared x1, vertex 17: coordinate z");
    ((double *)t.memory[1][0])[3 * 5 + 1] = INFINITY;
    assert_fails(toc_scene_find_contacts(t.shared, &query, NULL, &contacts), TOC_BAD_INPUT,
                 "shared x0, vertex 5: coordinate y");
    assert_null(contacts);
    for (int end = 0; end < 2; end++) memcpy(t.memory[1][end], t.x[1][end], 3 * t.count * sizeof(double));
    assert_same_answers(&t, 1);
    free_twins(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_layout_gives_the_same_answers),
        cmocka_unit_test(the_memory_is_read_anew),
        cmocka_unit_test(worlds_and_tolerances_see_the_memory),
        cmocka_unit_test(meshes_keep_their_positions_beside_a_world),
        cmocka_unit_test(compact_copies_read_the_ids_of_the_mesh),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
