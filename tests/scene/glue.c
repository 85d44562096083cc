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
    assert_ok(toc_scene_find_contacts(scene, &query, &contacts));
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
    assert_ok(toc_scene_split_body(scene, 0, PIECE, elements, &body));
    assert_int_equal(body, 2);
    assert_int_equal(toc_mesh_get_element_count(toc_scene_get_mesh(scene, 2)), PIECE);
    assert_as_anew(scene, preset);
    toc_scene_destroy(scene);
}

static void contacts_are_those_of_the_new_bodies(void **state) {
    (void)state;
    for (size_t i = 0; toc_preset_get_name(i); i++) {
        if (!toc_preset_is_complete(i)) continue;
        glue_and_part(toc_preset_get_name(i), TOC_TRIANGLE, 3);
        glue_and_part(toc_preset_get_name(i), TOC_TET, 4);
    }
}

// The piece is as thick as its old body, has its filter and its pointer.
static void a_piece_inherits(void **state) {
    (void)state;
    toc_scene *scene = two_soups(TOC_TRIANGLE, 5);
    int user;
    assert_ok(toc_scene_set_body_user(scene, 0, &user));
    assert_ok(toc_scene_set_body_filter(scene, 0, 2, 4)); // it touches nothing but itself
    assert_ok(toc_scene_set_self_contact(scene, 0, false));
    assert_ok(toc_scene_split_body(scene, 0, 2, (const uint32_t[]){1, 0}, NULL));
    assert_ptr_equal(toc_scene_get_body_user(scene, 2), &user);
    toc_contacts *contacts = contacts_of(scene, "auto");
    for (size_t i = 0; i < contacts->count; i++) {
        assert_int_equal(contacts->contacts[i].body[0], 1);
        assert_int_equal(contacts->contacts[i].body[1], 1);
    }
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

static void bodies_that_cannot_be_glued_or_parted(void **state) {
    (void)state;
    toc_scene *scene = two_soups(TOC_TRIANGLE, 6);
    toc_world *world;
    assert_ok(toc_world_create(NULL, test_grid_sheet(TOC_TRIANGLE, 2, 2), &world));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    assert_fails(toc_scene_merge_bodies(scene, 0, 0, NULL, NULL), TOC_BAD_INPUT, "body 0 cannot be merged with itself");
    assert_fails(toc_scene_merge_bodies(scene, 0, 2, NULL, NULL), TOC_BAD_INPUT, "body 2 is a world");
    assert_fails(toc_scene_merge_bodies(scene, 2, 0, NULL, NULL), TOC_BAD_INPUT, "body 2 is a world");
    assert_fails(toc_scene_merge_bodies(scene, 0, 9, NULL, NULL), TOC_BAD_INPUT, "there is no body 9");
    assert_fails(toc_scene_split_body(scene, 2, 1, (const uint32_t[]){0}, NULL), TOC_BAD_INPUT, "body 2 is a world");
    assert_fails(toc_scene_split_body(scene, 0, 1, (const uint32_t[]){99}, NULL), TOC_BAD_INPUT, "element 99, but");
    assert_fails(toc_scene_split_body(scene, 0, 1, NULL, NULL), TOC_BAD_INPUT, "NULL");
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
        status = toc_scene_split_body(scene, 0, 2, (const uint32_t[]){2, 3}, NULL);
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
        cmocka_unit_test(a_piece_inherits),
        cmocka_unit_test(bodies_that_cannot_be_glued_or_parted),
        cmocka_unit_test(out_of_memory_leaves_the_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
