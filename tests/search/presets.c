// SPDX-License-Identifier: Apache-2.0
// Every preset against brute force: the same contacts at the same times, on soups, grids and every
// scene.
#include <math.h>
#include <string.h>

#include "scenes/scenes.h"
#include "support/answers.h"
#include "support/test.h"

// A preset whose own method can miss, or reports near pairs, is tested with the certified method.
static toc_contacts *find(toc_scene *bodies, const char *preset, toc_answer answer, int threads) {
    return test_find_contacts(bodies, preset, answer, 0, threads);
}

// The same pairs at the same times; floating point may find a time earlier by 2^-30 of itself.
static void assert_true_to(const char *preset, const toc_contacts *got, const toc_contacts *truth) {
    if (got->count != truth->count) print_error("%s: %zu contacts, not %zu\n", preset, got->count, truth->count);
    assert_int_equal(got->count, truth->count);
    for (size_t i = 0; i < truth->count; i++) {
        const toc_contact *a = &got->contacts[i], *b = &truth->contacts[i];
        assert_int_equal(a->kind, b->kind);
        assert_memory_equal(a->body, b->body, sizeof a->body);
        assert_memory_equal(a->v, b->v, sizeof a->v);
        assert_true(a->toc <= b->toc * (1 + 0x1p-31) && a->toc >= b->toc * (1 - 0x1p-29));
    }
}

// The complete answer is the same to the last bit for any number of threads and any previous queries: auto has a tree
// after a query for the first contact.
static void assert_agrees(toc_scene *bodies, const char *preset, const toc_contacts *truth) {
    toc_contacts *all = find(bodies, preset, TOC_ANSWER_ALL, 1), *many = find(bodies, preset, TOC_ANSWER_ALL, 3);
    assert_true_to(preset, all, truth);
    assert_int_equal(many->count, all->count);
    if (all->count) assert_memory_equal(many->contacts, all->contacts, all->count * sizeof *all->contacts);
    toc_contacts *first = find(bodies, preset, TOC_ANSWER_FIRST, 2), *any = find(bodies, preset, TOC_ANSWER_ANY, 2);
    toc_contacts *again = find(bodies, preset, TOC_ANSWER_ALL, 1);
    assert_int_equal(again->count, all->count);
    if (all->count) assert_memory_equal(again->contacts, all->contacts, all->count * sizeof *all->contacts);
    assert_int_equal(first->count, truth->count > 0);
    assert_int_equal(any->count, truth->count > 0);
    if (truth->count) {
        assert_memory_equal(first->contacts, toc_contacts_find_first(all), sizeof *first->contacts);
        bool among = false;
        for (size_t i = 0; i < all->count; i++)
            among = among || memcmp(any->contacts, &all->contacts[i], sizeof *any->contacts) == 0;
        assert_true(among);
    }
    toc_contacts_destroy(all);
    toc_contacts_destroy(many);
    toc_contacts_destroy(again);
    toc_contacts_destroy(first);
    toc_contacts_destroy(any);
}

// All presets except brute, which tests/search/brute.c tests.
static void assert_all_agree(toc_scene *bodies, const toc_contacts *truth) {
    const char *preset;
    for (size_t i = 0; (preset = toc_preset_get(i).name) != NULL; i++)
        if (strcmp(preset, "brute") != 0) assert_agrees(bodies, preset, truth);
}

static size_t assert_presets_agree(toc_scene *bodies) {
    toc_contacts *truth = test_find_truth(bodies, 0);
    assert_all_agree(bodies, truth);
    const size_t count = truth->count;
    toc_contacts_destroy(truth);
    return count;
}

static size_t check_bodies(toc_mesh *const *meshes, int count) {
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    for (int i = 0; i < count; i++) assert_ok(toc_scene_add_body(bodies, meshes[i], NULL));
    const size_t contacts = assert_presets_agree(bodies);
    toc_scene_destroy(bodies);
    return contacts;
}

static void soups_match_brute_force(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int round = 0; round < test_less(40, TOC_SHAPE_COUNT); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, (toc_shape)(round % TOC_SHAPE_COUNT), 12, 30, 0.2);
        contacts += assert_presets_agree(bodies);
        toc_scene_destroy(bodies);
    }
    assert_true(contacts > test_less(1000u, 200u));
}

// With a separation, bounds and culling must include it.
static void soups_with_a_separation(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 4; round++) {
        toc_mesh *soup = test_soup(&random, round % 2 ? TOC_TET : TOC_TRIANGLE, 12, 20);
        test_shake(soup, &random, 0.1, 0.2);
        toc_scene *bodies = test_scene_of(soup, NULL);
        toc_contacts *touching = test_find_truth(bodies, 0);
        toc_contacts *truth = test_find_truth(bodies, 0.05);
        assert_true(truth->count > touching->count);
        const char *preset;
        for (size_t i = 0; (preset = toc_preset_get(i).name) != NULL; i++) {
            toc_contacts *all = test_find_contacts(bodies, preset, TOC_ANSWER_ALL, 0.05, 2);
            toc_contacts *first = test_find_contacts(bodies, preset, TOC_ANSWER_FIRST, 0.05, 2);
            assert_true_to(preset, all, truth);
            assert_memory_equal(first->contacts, toc_contacts_find_first(all), sizeof *first->contacts);
            toc_contacts_destroy(all), toc_contacts_destroy(first);
        }
        toc_contacts_destroy(touching), toc_contacts_destroy(truth);
        toc_scene_destroy(bodies);
    }
}

// Every other vertex carries a hair: an edge without a face, which moves through the faces around it.
static void add_hairs(toc_mesh *mesh, test_random *random) {
    const uint32_t count = (uint32_t)toc_mesh_get_vertex_count(mesh);
    for (uint32_t root = 0; root < count; root += 2) {
        double tip[3], way[3];
        uint32_t hair[2] = {root, 0};
        for (uint32_t c = 0; c < 3; c++) {
            tip[c] = toc_mesh_get_x1(mesh)[3 * root + c] + test_random_between(random, -0.3, 0.3);
            way[c] = test_random_between(random, -0.6, 0.6);
        }
        assert_ok(toc_mesh_add_moving_vertices(mesh, 1, tip, way, 1, &hair[1]));
        assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, hair, NULL));
    }
}

// A flat ring or a whole star does not touch itself, but an edge attached to it may.
static void hairs_touch_the_faces_around_them(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t contacts = 0;
    for (int round = 0; round < 9; round++) {
        toc_mesh *mesh = round % 3 == 0   ? test_grid_sheet(TOC_TRIANGLE, 8, 8)
                         : round % 3 == 1 ? test_sphere(2)
                                          : test_grid_volume(TOC_TET, 3, 3, 3);
        test_shake(mesh, &random, 0.02, 0.02);
        add_hairs(mesh, &random);
        contacts += check_bodies(&mesh, 1);
    }
    assert_true(contacts > 100);
}

// Many equal coordinates: slabs touch without overlapping, primitives coincide.
static void adjacent_grids_match_brute_force(void **state) {
    (void)state;
    const toc_shape shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    for (int i = 0; i < 4; i++) {
        toc_mesh *meshes[] = {test_grid_volume(shapes[i], 2, 2, 1), test_grid_volume(TOC_TET, 2, 2, 1),
                              test_grid_sheet(TOC_EDGE, 3, 3), test_grid_sheet(TOC_POINT, 3, 3)};
        assert_true(check_bodies(meshes, 4) > 100);
    }
}

// Tiny, huge and distant scenes: single precision must lose no contact.
static void tiny_huge_and_distant_scenes(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const double scales[] = {1e-300, 1e-12, 1e12, 1e300}, places[] = {0, 1e6, 1e15, 0};
    for (int i = 0; i < 4; i++) {
        toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 8, 8);
        test_shake(sheet, &random, 0.3, 1.5);
        const size_t count = 3 * toc_mesh_get_vertex_count(sheet);
        double x[2][3 * 81];
        for (size_t j = 0; j < count; j++) {
            x[0][j] = (toc_mesh_get_x0(sheet)[j] + places[i]) * scales[i];
            x[1][j] = (toc_mesh_get_x1(sheet)[j] + places[i]) * scales[i];
        }
        assert_ok(test_mesh_set_motion(sheet, x[0], x[1]));
        assert_true(check_bodies(&sheet, 1) > 50);
    }
}

// One vertex moves a million times the size of the scene.
static void one_vertex_with_a_huge_motion(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 8, 8);
    test_shake(sheet, &random, 0.3, 1.5);
    double x1[3 * 81];
    memcpy(x1, toc_mesh_get_x1(sheet), sizeof x1);
    x1[100] = 1e7;
    assert_ok(test_mesh_set_motion(sheet, toc_mesh_get_x0(sheet), x1));
    assert_true(check_bodies(&sheet, 1) > 50);
}

// A step of a scene with some hundred or thousand elements at most.
static toc_mesh *small_step(const scene *s) {
    size_t size = s->size;
    toc_mesh *mesh;
    assert_ok(scene_step(s, size, 0, &mesh));
    while (toc_mesh_get_element_count(mesh) > test_less(3000u, 400u) && size > 1) {
        toc_mesh_destroy(mesh);
        size /= 2;
        assert_ok(scene_step(s, size, s->frames / 2, &mesh));
    }
    print_message("%s of size %zu: %zu elements\n", s->name, size, toc_mesh_get_element_count(mesh));
    return mesh;
}

// Contacts of one list that are not in another; both are sorted.
static size_t count_missing(const toc_contacts *wanted, const toc_contacts *got) {
    size_t missing = 0;
    for (size_t i = 0, j = 0; i < wanted->count; i++) {
        while (j < got->count && toc_contact_compare(&got->contacts[j], &wanted->contacts[i]) < 0) j++;
        missing += j == got->count || toc_contact_compare(&got->contacts[j], &wanted->contacts[i]) != 0;
    }
    return missing;
}

// The presets of papers with their own methods invent no contact. Advancement, with or without culling, misses nothing;
// the cubic of rtri may miss, and does on the liver.
static void check_papers(toc_scene *bodies, const char *name, const toc_contacts *truth) {
    const char *const presets[] = {"local", "rtri", "culling"};
    for (int p = 0; p < 3; p++) {
        toc_query query = toc_query_default();
        toc_contacts *got;
        query.preset = presets[p];
        query.threads = 2;
        query.thin = true;
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &got));
        const size_t missed = count_missing(truth, got), more = count_missing(got, truth);
        if (missed) print_message("  %s: %zu of %zu contacts missed\n", presets[p], missed, truth->count);
        assert_true(missed == 0 || (p == 1 && strcmp(name, "liver") == 0));
        assert_int_equal(more, 0);
        toc_contacts_destroy(got);
    }
}

static void every_scene_in_a_small_size(void **state) {
    (void)state;
    const scene *s;
    size_t contacts = 0;
    for (size_t i = 0; (s = scene_list(i)) != NULL; i++) {
        toc_scene *bodies = test_scene_of(small_step(s), NULL);
        toc_contacts *truth = test_find_truth(bodies, 0);
        assert_all_agree(bodies, truth);
        check_papers(bodies, s->name, truth);
        contacts += truth->count;
        toc_contacts_destroy(truth);
        toc_scene_destroy(bodies);
    }
    assert_true(contacts > 0);
}

// The scene keeps its tree between steps: the tree must follow motion, edits, new bodies and different queries.
static void scene_follows_steps_edits_and_queries(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_ok(toc_scene_add_body(bodies, test_grid_sheet(TOC_TRIANGLE, 8, 8), NULL));
    for (int step = 0; step < test_less(12, 6); step++) {
        if (step == 4) assert_ok(toc_scene_add_body(bodies, test_grid_volume(TOC_TET, 2, 2, 2), NULL));
        toc_mesh *sheet = toc_scene_edit_mesh(bodies, 0);
        if (step % 3 == 2) {
            const uint32_t element = (uint32_t)step * 5;
            uint32_t copy;
            assert_ok(toc_mesh_remove_element(sheet, element));
            assert_ok(toc_mesh_split_vertex(sheet, toc_mesh_get_element(sheet, element + 1).corners[0], 1,
                                            (const uint32_t[]){element + 1}, &copy));
        }
        double x1[3 * 128];
        for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(sheet); i++)
            x1[i] = toc_mesh_get_x1(sheet)[i] + test_random_between(&random, -0.7, 0.7);
        assert_ok(test_mesh_move(sheet, x1));
        assert_true(assert_presets_agree(bodies) > 0);
    }
    toc_scene_destroy(bodies);
}

static toc_status search(const toc_allocator *allocator, void *user) {
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 6, 6);
    test_random random = {3};
    test_shake(sheet, &random, 0.2, 1.5);
    toc_scene *bodies = NULL;
    toc_contacts *contacts = NULL;
    toc_query query = toc_query_default();
    query.preset = user;
    query.threads = 1;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status == TOC_OK) status = toc_scene_add_body(bodies, sheet, NULL);
    if (status != TOC_OK) toc_mesh_destroy(sheet);
    if (status == TOC_OK) status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    return status;
}

static void presets_survive_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(search, "bvh") > 10);
    assert_true(test_every_allocation(search, "local") > 10);
    assert_true(test_every_allocation(search, "culling") > 10);
    assert_true(test_every_allocation(search, "volccd") > 10);
    assert_true(test_every_allocation(search, "volccd-published") > 10);
    assert_true(test_every_allocation(search, "navccd") > 10);
    assert_true(test_every_allocation(search, "voxel") > 10);
    assert_true(test_every_allocation(search, "voxel-safe") > 10);
    assert_true(test_every_allocation(search, "hashccd") > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_match_brute_force),
        cmocka_unit_test(soups_with_a_separation),
        cmocka_unit_test(hairs_touch_the_faces_around_them),
        cmocka_unit_test(adjacent_grids_match_brute_force),
        cmocka_unit_test(tiny_huge_and_distant_scenes),
        cmocka_unit_test(one_vertex_with_a_huge_motion),
        cmocka_unit_test(every_scene_in_a_small_size),
        cmocka_unit_test(scene_follows_steps_edits_and_queries),
        cmocka_unit_test(presets_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
