// SPDX-License-Identifier: Apache-2.0
// Bodies of a scene: a mesh belongs to one scene once, and a removed body leaves a hole that changes nothing else.
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

// Once destroyed twice: the scene freed the mesh for each body it stood for.
static void a_mesh_added_twice_is_refused(void **state) {
    (void)state;
    toc_scene *first, *second;
    toc_mesh *mesh;
    uint32_t body = 7;
    assert_ok(toc_scene_create(NULL, &first));
    assert_ok(toc_scene_create(NULL, &second));
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_scene_add_body(first, mesh, &body));
    assert_int_equal(body, 0);
    assert_fails(toc_scene_add_body(first, mesh, &body), TOC_BAD_INPUT, "a body of this scene");
    assert_fails(toc_scene_add_body(second, mesh, &body), TOC_BAD_INPUT, "a body of another scene");
    assert_int_equal(toc_scene_get_body_count(first), 1);
    assert_int_equal(toc_scene_get_body_count(second), 0);
    toc_mesh_destroy(mesh); // left alone: the scene owns it
    assert_ptr_equal(toc_scene_get_mesh(first, 0), mesh);
    toc_scene_destroy(first);
    toc_scene_destroy(second);
}

static void a_removed_mesh_is_the_callers_again(void **state) {
    (void)state;
    toc_scene *first, *second;
    toc_mesh *mesh, *back = NULL;
    assert_ok(toc_scene_create(NULL, &first));
    assert_ok(toc_scene_create(NULL, &second));
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_scene_add_body(first, mesh, NULL));
    assert_ok(toc_scene_remove_body(first, 0, &back));
    assert_ptr_equal(back, mesh);
    toc_scene_destroy(first);
    assert_ok(toc_scene_add_body(second, mesh, NULL));
    assert_ok(toc_scene_remove_body(second, 0, NULL));
    toc_scene_destroy(second);
}

static void a_hole_has_no_body(void **state) {
    (void)state;
    toc_scene *scene;
    toc_mesh *mesh;
    uint32_t body;
    assert_ok(toc_scene_create(NULL, &scene));
    for (int i = 0; i < 3; i++) {
        assert_ok(toc_mesh_create(NULL, &mesh));
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
    }
    assert_ok(toc_scene_remove_body(scene, 1, NULL));
    assert_int_equal(toc_scene_get_body_count(scene), 3);
    assert_false(toc_scene_has_body(scene, 1));
    assert_false(toc_scene_has_body(scene, 3));
    assert_null(toc_scene_get_mesh(scene, 1));
    assert_null(toc_scene_edit_mesh(scene, 1));
    assert_fails(toc_scene_remove_body(scene, 1, NULL), TOC_BAD_INPUT, "body 1 was removed");
    assert_fails(toc_scene_remove_body(scene, 3, NULL), TOC_BAD_INPUT, "no body 3; the scene has 3");
    assert_fails(toc_scene_set_self_contact(scene, 1, true), TOC_BAD_INPUT, "body 1 was removed");
    assert_fails(toc_scene_set_body_thickness(scene, 1, 1), TOC_BAD_INPUT, "body 1 was removed");
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_scene_add_body(scene, mesh, &body));
    assert_int_equal(body, 3); // the id of the removed one is not given again
    toc_scene_destroy(scene);
}

// ---- contacts of the other bodies

enum { BODIES = 4, STEPS = 4 };

static toc_scene *make_soups(toc_shape shape) {
    test_random random = test_random_make(3);
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    for (int i = 0; i < BODIES; i++) {
        toc_mesh *mesh = test_soup(&random, shape, 16, 30);
        test_shake(mesh, &random, 0.1, 0.2);
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
    }
    return scene;
}

// The contacts must be those found before that do not name the removed bodies.
static void assert_without(const toc_contacts *got, const toc_contacts *before, const toc_scene *scene) {
    size_t kept = 0;
    for (size_t i = 0; i < before->count; i++) {
        const toc_contact *c = &before->contacts[i];
        if (!toc_scene_has_body(scene, c->body[0]) || !toc_scene_has_body(scene, c->body[1])) continue;
        assert_true(kept < got->count);
        assert_memory_equal(&got->contacts[kept++], c, sizeof *c);
    }
    assert_int_equal(got->count, kept);
}

// The structures of earlier steps must not remember the removed body, for any preset.
static void check_removal(const char *preset, toc_shape shape) {
    toc_query query = toc_query_default();
    query.preset = preset;
    toc_scene *scene = make_soups(shape);
    toc_contacts *all, *got;
    for (int i = 0; i < STEPS; i++) {
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &all));
        assert_true(all->count > 0);
        if (i + 1 < STEPS) toc_contacts_destroy(all);
    }
    for (uint32_t body = 1; body < BODIES; body += 2) {
        assert_ok(toc_scene_remove_body(scene, body, NULL));
        for (int i = 0; i < STEPS; i++) {
            assert_ok(toc_scene_find_contacts(scene, &query, NULL, &got));
            assert_without(got, all, scene);
            toc_contacts_destroy(got);
        }
    }
    toc_contacts_destroy(all);
    toc_scene_destroy(scene);
}

static void contacts_of_others_stay(void **state) {
    (void)state;
    for (size_t i = 0; toc_preset_get(i).name; i++) {
        check_removal(toc_preset_get(i).name, TOC_TRIANGLE);
        check_removal(toc_preset_get(i).name, TOC_TET);
    }
}

// A body that begins anew: the scene must not remember its old mesh. Contacts are those of a new scene.
static void check_emptied(const char *preset, toc_shape shape, bool steady) {
    test_random random = test_random_make(5);
    toc_query query = toc_query_default();
    toc_scene *scene = make_soups(shape), *fresh;
    toc_contacts *got, *wanted;
    query.preset = preset;
    assert_ok(toc_scene_set_steady(scene, steady));
    assert_ok(toc_scene_set_self_contact(scene, 2, false));
    for (uint32_t round = 0; round < 3; round++) {
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &got));
        toc_contacts_destroy(got);
        toc_mesh *soup = test_soup(&random, shape, 16, 30 - round);
        test_shake(soup, &random, 0.1, 0.2);
        assert_ok(toc_scene_empty_body(scene, 2));
        assert_int_equal(toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, 2)), 0);
        assert_ok(toc_mesh_append(toc_scene_edit_mesh(scene, 2), soup, NULL, NULL));
        toc_mesh_destroy(soup);
        assert_ok(toc_scene_create(NULL, &fresh));
        for (uint32_t b = 0; b < BODIES; b++) {
            toc_mesh *copy;
            assert_ok(toc_mesh_copy(toc_scene_get_mesh(scene, b), &copy));
            assert_ok(toc_scene_add_body(fresh, copy, NULL));
        }
        assert_ok(toc_scene_set_self_contact(fresh, 2, false));
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &got));
        assert_ok(toc_scene_find_contacts(fresh, &query, NULL, &wanted));
        assert_true(wanted->count > 0 && got->count == wanted->count);
        assert_memory_equal(got->contacts, wanted->contacts, got->count * sizeof *got->contacts);
        toc_contacts_destroy(got);
        toc_contacts_destroy(wanted);
        toc_scene_destroy(fresh);
    }
    toc_scene_destroy(scene);
}

static void an_emptied_body_begins_anew(void **state) {
    (void)state;
    for (size_t i = 0; toc_preset_get(i).name; i++) {
        if (!toc_preset_get(i).is_complete) continue;
        check_emptied(toc_preset_get(i).name, TOC_TRIANGLE, i % 2 == 0);
        check_emptied(toc_preset_get(i).name, TOC_TET, i % 2 == 0);
    }
}

static void a_removed_body_cannot_be_emptied(void **state) {
    (void)state;
    toc_scene *scene = make_soups(TOC_TRIANGLE);
    assert_ok(toc_scene_remove_body(scene, 1, NULL));
    assert_fails(toc_scene_empty_body(scene, 1), TOC_BAD_INPUT, "body 1 was removed");
    assert_fails(toc_scene_empty_body(scene, 7), TOC_BAD_INPUT, "no body 7");
    toc_scene_destroy(scene);
}

static void overlaps_and_near_pairs_of_others_stay(void **state) {
    (void)state;
    toc_scene *scene = make_soups(TOC_TRIANGLE);
    const toc_query query = toc_query_default();
    toc_near *before, *after;
    assert_ok(test_find_near(scene, &query, TOC_AT_START, 0.01, &before));
    assert_ok(toc_scene_remove_body(scene, 0, NULL));
    assert_ok(test_find_near(scene, &query, TOC_AT_START, 0.01, &after));
    size_t kept = 0;
    for (size_t i = 0; i < before->count; i++) {
        const toc_near_pair *pair = &before->pairs[i];
        if (pair->body[0] == 0 || pair->body[1] == 0) continue;
        assert_true(kept < after->count);
        assert_memory_equal(after->pairs[kept].v, pair->v, sizeof pair->v);
        assert_memory_equal(after->pairs[kept++].body, pair->body, sizeof pair->body);
    }
    assert_int_equal(after->count, kept);
    toc_near_destroy(before);
    toc_near_destroy(after);
    toc_scene_destroy(scene);
}

static void a_scene_of_holes_only(void **state) {
    (void)state;
    toc_scene *scene = make_soups(TOC_TET);
    const toc_query query = toc_query_default();
    toc_contacts *contacts;
    for (uint32_t body = 0; body < BODIES; body++) assert_ok(toc_scene_remove_body(scene, body, NULL));
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

// Out of memory leaves the body where it was.
static toc_status add_and_remove(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *scene;
    toc_mesh *mesh;
    toc_status status = toc_scene_create(allocator, &scene);
    if (status != TOC_OK) return status;
    status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) {
        status = toc_scene_add_body(scene, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK) {
        status = toc_scene_remove_body(scene, 0, NULL);
        if (status != TOC_OK) assert_ptr_equal(toc_scene_get_mesh(scene, 0), mesh);
    }
    toc_scene_destroy(scene);
    return status;
}

static void out_of_memory_leaves_the_body(void **state) {
    (void)state;
    assert_true(test_every_allocation(add_and_remove, NULL) >= 4);
}

// The features of the step counted as gathered although gathering them had failed: the next query used the old ones.
static void a_failed_query_leaves_no_stale_features(void **state) {
    (void)state;
    toc_status status = TOC_OUT_OF_MEMORY;
    for (uint64_t fail_at = 1; status == TOC_OUT_OF_MEMORY; fail_at++) {
        test_allocator memory;
        toc_scene *scene;
        toc_mesh *sheets[2] = {test_grid_sheet(TOC_TRIANGLE, 2, 2), test_grid_sheet(TOC_TRIANGLE, 2, 2)};
        toc_contacts *contacts;
        test_allocator_make(&memory, 0);
        assert_ok(toc_scene_create(&memory.allocator, &scene));
        for (int i = 0; i < 2; i++) assert_ok(toc_scene_add_body(scene, sheets[i], NULL));
        const toc_query query = toc_query_default();
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
        assert_true(contacts->count > 0);
        toc_contacts_destroy(contacts);
        assert_ok(toc_scene_remove_body(scene, 1, NULL));
        memory.fail_at = memory.calls + fail_at;
        status = toc_scene_find_contacts(scene, &query, NULL, &contacts);
        if (status == TOC_OK) toc_contacts_destroy(contacts);
        memory.fail_at = 0;
        assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
        assert_int_equal(contacts->count, 0);
        toc_contacts_destroy(contacts);
        toc_scene_destroy(scene);
        assert_int_equal(memory.alive, 0);
    }
    assert_ok(status);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_added_twice_is_refused),
        cmocka_unit_test(a_removed_mesh_is_the_callers_again),
        cmocka_unit_test(a_hole_has_no_body),
        cmocka_unit_test(contacts_of_others_stay),
        cmocka_unit_test(an_emptied_body_begins_anew),
        cmocka_unit_test(a_removed_body_cannot_be_emptied),
        cmocka_unit_test(overlaps_and_near_pairs_of_others_stay),
        cmocka_unit_test(a_scene_of_holes_only),
        cmocka_unit_test(out_of_memory_leaves_the_body),
        cmocka_unit_test(a_failed_query_leaves_no_stale_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
