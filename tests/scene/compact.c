// SPDX-License-Identifier: Apache-2.0
// Endless editing: elements are replaced step by step, ids never change, and the scene works with the living ones.
// Every answer is that of a new scene with a copy of the mesh, to the last bit.
#include <string.h>

#include "scene/scene.h"
#include "support/answers.h"

enum { ALIVE = 60, PLACES = 40 };

// Tets around places of a line, each with vertices of its own.
static uint32_t add_tet(toc_mesh *mesh, test_random *random) {
    double x[12];
    uint32_t first, element;
    const double at = 0.1 * test_random_below(random, PLACES);
    for (int i = 0; i < 12; i++) x[i] = test_random_between(random, 0, 0.3) + (i % 3 == 0 ? at : 0);
    assert_ok(toc_mesh_add_vertices(mesh, 4, x, &first));
    const uint32_t v[4] = {first, first + 1, first + 2, first + 3};
    assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, v, &element));
    assert_ok(toc_mesh_set_group(mesh, element, (int32_t)(element % 5)));
    return element;
}

typedef struct editor {
    test_random random;
    uint32_t alive[ALIVE];
} editor;

static toc_mesh *begin_editing(editor *e, uint64_t seed) {
    toc_mesh *mesh;
    *e = (editor){.random = {seed}};
    assert_ok(toc_mesh_create(NULL, &mesh));
    for (int i = 0; i < ALIVE; i++) e->alive[i] = add_tet(mesh, &e->random);
    return mesh;
}

// Replace some tets, sew one to another now and then, tear one off again, and move all.
static void edit(editor *e, toc_mesh *mesh, int replaced) {
    for (int i = 0; i < replaced; i++) {
        uint32_t *at = &e->alive[test_random_below(&e->random, ALIVE)];
        uint32_t v[4];
        memcpy(v, toc_mesh_get_element(mesh, *at).corners, sizeof v);
        assert_ok(toc_mesh_remove_element(mesh, *at));
        for (int k = 0; k < 4 && i % 2; k++) (void)!toc_mesh_remove_vertex(mesh, v[k]); // unless another tet has it
        *at = add_tet(mesh, &e->random);
    }
    const uint32_t a = e->alive[test_random_below(&e->random, ALIVE)],
                   b = e->alive[test_random_below(&e->random, ALIVE)];
    const uint32_t kept = toc_mesh_get_element(mesh, a).corners[0], gone = toc_mesh_get_element(mesh, b).corners[3];
    (void)!toc_mesh_merge_vertices(mesh, kept, gone); // refused within one tet
    const uint32_t torn = e->alive[test_random_below(&e->random, ALIVE)];
    assert_ok(toc_mesh_split_vertex(mesh, toc_mesh_get_element(mesh, torn).corners[1], 1, &torn, NULL));
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *x1 = test_malloc(count * sizeof *x1);
    for (size_t i = 0; i < count; i++) x1[i] = toc_mesh_get_x1(mesh)[i] + test_random_between(&e->random, -0.02, 0.02);
    assert_ok(test_mesh_move(mesh, x1));
    test_free(x1);
}

static bool is_compact(const toc_scene *scene) { return scene->bodies.at[0].mesh != scene->bodies.at[0].own; }

static void assert_same_bits(const toc_contacts *got, const toc_contacts *wanted) {
    assert_int_equal(got->count, wanted->count);
    if (wanted->count) assert_memory_equal(got->contacts, wanted->contacts, wanted->count * sizeof *wanted->contacts);
}

static toc_scene *new_scene_of(const toc_mesh *mesh) {
    toc_mesh *copy;
    assert_ok(toc_mesh_copy(mesh, &copy));
    return test_scene_of(copy, NULL);
}

static void every_preset_follows_endless_edits(void **state) {
    (void)state;
    enum { STEPS = 24 };
    for (size_t p = 0; toc_preset_get(p).name; p++) {
        const char *preset = toc_preset_get(p).name;
        if (strcmp(preset, "voxel") == 0 || strcmp(preset, "brute") == 0) continue;
        editor e;
        toc_mesh *mesh = begin_editing(&e, 3);
        toc_scene *scene = test_scene_of(mesh, NULL);
        for (int step = 0; step < STEPS; step++) {
            edit(&e, mesh, 30);
            toc_contacts *got = test_find_contacts(scene, preset, TOC_ANSWER_ALL, 0, 1);
            if (step % 6 == 5) {
                toc_scene *fresh = new_scene_of(mesh);
                toc_contacts *wanted = test_find_contacts(fresh, "volccd", TOC_ANSWER_ALL, 0, 1);
                assert_true(wanted->count > 0);
                assert_same_bits(got, wanted);
                toc_contacts_destroy(wanted);
                toc_scene_destroy(fresh);
            }
            toc_contacts_destroy(got);
        }
        assert_true(is_compact(scene));
        assert_true(toc_mesh_get_element_count(scene->bodies.at[0].mesh) < 2 * ALIVE + 300);
        toc_scene_destroy(scene);
    }
}

// The last answers of a compact scene beside exact arithmetic on every pair.
static void a_compact_scene_is_right(void **state) {
    (void)state;
    editor e;
    toc_mesh *mesh = begin_editing(&e, 5);
    toc_scene *scene = test_scene_of(mesh, NULL);
    for (int step = 0; step < 20; step++) {
        edit(&e, mesh, 30);
        toc_contacts_destroy(test_find_contacts(scene, "auto", TOC_ANSWER_FIRST, 0, 1));
    }
    assert_true(is_compact(scene));
    toc_scene *fresh = new_scene_of(mesh);
    toc_contacts *got = test_find_contacts(scene, "auto", TOC_ANSWER_ALL, 0, 1), *wanted = test_find_truth(fresh, 0);
    test_assert_same_pairs(got, wanted);
    toc_contacts_destroy(got);
    toc_contacts_destroy(wanted);
    const toc_query query = toc_query_default();
    toc_overlaps *overlaps[2];
    toc_near *near[2];
    assert_ok(toc_scene_find_element_overlaps(scene, &query, TOC_AT_END, NULL, &overlaps[0]));
    assert_ok(toc_scene_find_element_overlaps(fresh, &query, TOC_AT_END, NULL, &overlaps[1]));
    assert_true(overlaps[1]->count > 0 && overlaps[0]->count == overlaps[1]->count);
    assert_memory_equal(overlaps[0]->pairs, overlaps[1]->pairs, overlaps[1]->count * sizeof *overlaps[1]->pairs);
    assert_ok(test_find_near(scene, &query, TOC_AT_START, 0.01, &near[0]));
    assert_ok(test_find_near(fresh, &query, TOC_AT_START, 0.01, &near[1]));
    assert_true(near[1]->count > 0 && near[0]->count == near[1]->count);
    assert_memory_equal(near[0]->pairs, near[1]->pairs, near[1]->count * sizeof *near[1]->pairs);
    for (int i = 0; i < 2; i++) {
        toc_overlaps_destroy(overlaps[i]);
        toc_near_destroy(near[i]);
    }
    toc_scene_destroy(fresh);
    toc_scene_destroy(scene);
}

// Elements come and go between vertices that stay, so that vertices without elements are used again.
static void vertices_are_used_again(void **state) {
    (void)state;
    toc_mesh *mesh = test_grid_volume(TOC_TET, 3, 3, 3);
    toc_scene *scene = test_scene_of(mesh, NULL);
    test_random random = {7};
    for (int step = 0; step < 30; step++) {
        for (uint32_t e = 0, left = 40; left > 0; e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            if (element.shape == TOC_REMOVED) continue;
            uint32_t v[4];
            memcpy(v, element.corners, sizeof v);
            assert_ok(toc_mesh_remove_element(mesh, e));
            assert_ok(toc_mesh_add_elements(mesh, TOC_TET, 1, v, NULL));
            left--;
        }
        test_step_body(scene, 0, &random, 0.2);
        toc_contacts *got = test_find_contacts(scene, "volccd", TOC_ANSWER_ALL, 0, 1);
        if (step % 10 == 9) {
            toc_scene *fresh = new_scene_of(mesh);
            toc_contacts *wanted = test_find_contacts(fresh, "bvh", TOC_ANSWER_ALL, 0, 1);
            assert_same_bits(got, wanted);
            toc_contacts_destroy(wanted);
            toc_scene_destroy(fresh);
        }
        toc_contacts_destroy(got);
    }
    assert_true(is_compact(scene));
    toc_scene_destroy(scene);
}

static void events_may_be_forgotten(void **state) {
    (void)state;
    editor e;
    toc_mesh *mesh = begin_editing(&e, 11), *back;
    toc_scene *scene = test_scene_of(mesh, NULL);
    for (int step = 0; step < 20; step++) {
        edit(&e, mesh, 30);
        assert_ok(toc_mesh_forget_events(mesh, toc_mesh_get_revision(mesh)));
        toc_contacts_destroy(test_find_contacts(scene, "auto", TOC_ANSWER_ALL, 0, 1));
    }
    assert_true(is_compact(scene));
    assert_ptr_equal(toc_scene_get_mesh(scene, 0), mesh);
    assert_ptr_equal(toc_scene_edit_mesh(scene, 0), mesh);
    assert_ok(toc_scene_remove_body(scene, 0, &back));
    assert_ptr_equal(back, mesh);
    toc_mesh_destroy(back);
    toc_scene_destroy(scene);
}

static toc_status edit_for_long(const toc_allocator *allocator, void *user) {
    (void)user;
    editor e;
    toc_mesh *mesh = begin_editing(&e, 13);
    toc_scene *scene;
    toc_status status = toc_scene_create(allocator, &scene);
    if (status != TOC_OK) {
        toc_mesh_destroy(mesh);
        return status;
    }
    status = toc_scene_add_body(scene, mesh, NULL);
    if (status != TOC_OK) toc_mesh_destroy(mesh);
    for (int step = 0; step < 8 && status == TOC_OK; step++) {
        toc_query query = toc_query_default();
        toc_contacts *contacts = NULL;
        query.threads = 1;
        query.preset = "volccd";
        edit(&e, mesh, step == 0 ? 500 : 3);
        status = toc_scene_find_contacts(scene, &query, NULL, &contacts);
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(scene);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    if (TEST_BRIEF) return;
    assert_true(test_every_allocation(edit_for_long, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_follows_endless_edits),
        cmocka_unit_test(a_compact_scene_is_right),
        cmocka_unit_test(vertices_are_used_again),
        cmocka_unit_test(events_may_be_forgotten),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
