// SPDX-License-Identifier: Apache-2.0
// Bodies that become one, and bodies that become two, while queries keep their structures.
#include <string.h>

#include "base/status.h"

#include "support/grid.h"
#include "support/test.h"

enum { PIECE = 8 };

static toc_scene *two_soups(toc_shape shape, uint64_t seed) {
    test_random random = test_random_make(seed);
    toc_mesh *a = test_soup(&random, shape, 16, 30), *b = test_soup(&random, shape, 16, 30);
    test_shake(a, &random, 0.1, 0.2);
    test_shake(b, &random, 0.1, 0.2);
    return test_scene_of(a, b);
}

static toc_contacts *contacts_of(toc_scene *scene, const char *preset) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    return contacts;
}

// The contacts must be those of a scene whose bodies have the same meshes and have had no other past.
static void assert_as_anew(toc_scene *scene, const char *preset) {
    toc_scene *anew;
    assert_ok(toc_scene_create(NULL, &anew));
    for (uint32_t body = 0; body < toc_scene_get_body_count(scene); body++) {
        toc_mesh *copy;
        if (toc_scene_has_body(scene, body))
            assert_ok(toc_mesh_copy(toc_scene_get_mesh(scene, body), &copy));
        else
            assert_ok(toc_mesh_create(NULL, &copy));
        assert_ok(toc_scene_add_body(anew, copy, NULL));
    }
    toc_contacts *got = contacts_of(scene, preset), *wanted = contacts_of(anew, preset);
    assert_true(got->count > 0);
    assert_int_equal(got->count, wanted->count);
    assert_memory_equal(got->contacts, wanted->contacts, got->count * sizeof *got->contacts);
    toc_contacts_destroy(got);
    toc_contacts_destroy(wanted);
    toc_scene_destroy(anew);
}

/// Elements of body 0 become a body of their own.
static toc_status part(toc_scene *scene, size_t count, const uint32_t *elements, uint32_t *body) {
    toc_mesh *piece;
    TOC_TRY(toc_mesh_extract(toc_scene_edit_mesh(scene, 0), count, elements, &piece));
    const toc_status status = toc_scene_add_body(scene, piece, body);
    if (status != TOC_OK) toc_mesh_destroy(piece);
    return status;
}

static void glue_and_part(const char *preset, toc_shape shape, uint64_t seed) {
    toc_scene *scene = two_soups(shape, seed);
    toc_contacts_destroy(contacts_of(scene, preset));
    uint32_t first_vertex, first_element, body, elements[PIECE];
    assert_ok(toc_scene_merge_bodies(scene, 0, 1, &first_vertex, &first_element));
    assert_int_equal(first_vertex, 30);
    assert_int_equal(first_element, 16);
    assert_false(toc_scene_has_body(scene, 1));
    assert_as_anew(scene, preset);
    assert_ok(toc_mesh_merge_vertices(toc_scene_edit_mesh(scene, 0), 0, first_vertex));
    assert_as_anew(scene, preset);
    for (uint32_t i = 0; i < PIECE; i++) elements[i] = first_element + i;
    assert_ok(part(scene, PIECE, elements, &body));
    assert_int_equal(body, 2);
    assert_int_equal(toc_mesh_get_element_count(toc_scene_get_mesh(scene, 2)), PIECE);
    assert_as_anew(scene, preset);
    toc_scene_destroy(scene);
}

static void contacts_are_those_of_the_new_bodies(void **state) {
    (void)state;
    for (size_t i = 0; toc_preset_get(i).name; i++) {
        if (!toc_preset_get(i).is_complete) continue;
        glue_and_part(toc_preset_get(i).name, TOC_TRIANGLE, 3);
        glue_and_part(toc_preset_get(i).name, TOC_TET, 4);
    }
}

static void bodies_that_cannot_be_glued(void **state) {
    (void)state;
    toc_scene *scene = two_soups(TOC_TRIANGLE, 6);
    toc_world *world;
    assert_ok(toc_world_create(NULL, test_grid_sheet(TOC_TRIANGLE, 2, 2), &world));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    assert_fails(toc_scene_merge_bodies(scene, 0, 0, NULL, NULL), TOC_BAD_INPUT, "body 0 cannot be merged with itself");
    assert_fails(toc_scene_merge_bodies(scene, 0, 2, NULL, NULL), TOC_BAD_INPUT, "body 2 is a world");
    assert_fails(toc_scene_merge_bodies(scene, 2, 0, NULL, NULL), TOC_BAD_INPUT, "body 2 is a world");
    assert_fails(toc_scene_merge_bodies(scene, 0, 9, NULL, NULL), TOC_BAD_INPUT, "there is no body 9");
    assert_fails(toc_scene_merge_bodies(NULL, 0, 1, NULL, NULL), TOC_BAD_INPUT, "NULL");
    assert_int_equal(toc_scene_get_body_count(scene), 3);
    assert_true(toc_scene_has_body(scene, 1));
    toc_scene_destroy(scene);
    toc_world_destroy(world);
}

static toc_status fill(toc_scene *scene, const toc_allocator *allocator) {
    for (int i = 0; i < 2; i++) {
        toc_mesh *mesh;
        TOC_TRY(toc_mesh_create(allocator, &mesh));
        toc_status status =
            toc_mesh_add_vertices(mesh, 4, (const double[12]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, NULL);
        if (status == TOC_OK)
            status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 2, 1, 3}, NULL);
        if (status == TOC_OK) status = toc_scene_add_body(scene, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
        TOC_TRY(status);
    }
    return TOC_OK;
}

static toc_status glue_and_part_once(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *scene;
    TOC_TRY(toc_scene_create(allocator, &scene));
    toc_status status = fill(scene, allocator);
    if (status == TOC_OK) {
        status = toc_scene_merge_bodies(scene, 0, 1, NULL, NULL);
        assert_int_equal(toc_scene_has_body(scene, 1), status != TOC_OK);
        assert_int_equal(toc_mesh_get_element_count(toc_scene_get_mesh(scene, 0)), status == TOC_OK ? 4 : 2);
    }
    if (status == TOC_OK) {
        status = part(scene, 2, (const uint32_t[]){2, 3}, NULL);
        assert_int_equal(toc_scene_get_body_count(scene), status == TOC_OK ? 3 : 2);
    }
    toc_scene_destroy(scene);
    return status;
}

static void out_of_memory_leaves_the_bodies(void **state) {
    (void)state;
    assert_true(test_every_allocation(glue_and_part_once, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_the_new_bodies),
        cmocka_unit_test(bodies_that_cannot_be_glued),
        cmocka_unit_test(out_of_memory_leaves_the_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
