// SPDX-License-Identifier: Apache-2.0
// Brute force against an even simpler search: every feature pair without a common vertex, tested one by one, no boxes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

typedef struct list {
    toc_contact at[20000];
    size_t count;
} list;

static void ask(list *found, toc_scene *scene, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    const int second = kind == TOC_VF ? 1 : 2;
    for (int i = 0; i < second && body[0] == body[1]; i++)
        for (int j = second; j < 4; j++)
            if (v[i] == v[j]) return;
    toc_pair pair;
    for (int i = 0; i < 4; i++) {
        const toc_mesh *mesh = toc_scene_edit_mesh(scene, body[i >= second]);
        memcpy(pair.x0[i], toc_mesh_get_x0(mesh) + 3 * (size_t)v[i], sizeof pair.x0[i]);
        memcpy(pair.x1[i], toc_mesh_get_x1(mesh) + 3 * (size_t)v[i], sizeof pair.x1[i]);
    }
    toc_pair_test test = toc_pair_test_default();
    test.method = TOC_METHOD_EXACT;
    toc_hit hit;
    assert_ok(toc_pair_find(kind, &pair, &test, &hit));
    if (hit.verdict == TOC_APART) return;
    assert_true(found->count < sizeof found->at / sizeof *found->at);
    toc_contact contact = {.kind = kind, .verdict = hit.verdict, .toc = hit.toc};
    memcpy(contact.body, body, sizeof contact.body);
    memcpy(contact.v, v, sizeof contact.v);
    found->at[found->count++] = contact;
}

static bool wanted(uint8_t flags, bool surface_only) { return !surface_only || flags & TOC_FEATURE_ON_BOUNDARY; }

static void ask_faces(list *found, toc_scene *scene, const uint32_t body[2], const toc_features *a,
                      const toc_features *b, bool surface_only) {
    for (size_t i = 0; i < a->vertex_count; i++)
        for (size_t j = 0; j < b->face_count; j++) {
            const uint32_t v[4] = {a->vertices[i], b->faces[j][0], b->faces[j][1], b->faces[j][2]};
            if (wanted(a->vertex_flags[i], surface_only) && wanted(b->face_flags[j], surface_only))
                ask(found, scene, TOC_VF, body, v);
        }
}

static void ask_edges(list *found, toc_scene *scene, const uint32_t body[2], const toc_features *a,
                      const toc_features *b, bool surface_only) {
    for (size_t i = 0; i < a->edge_count; i++)
        for (size_t j = a == b ? i + 1 : 0; j < b->edge_count; j++) {
            const uint32_t v[4] = {a->edges[i][0], a->edges[i][1], b->edges[j][0], b->edges[j][1]};
            if (wanted(a->edge_flags[i], surface_only) && wanted(b->edge_flags[j], surface_only))
                ask(found, scene, TOC_EE, body, v);
        }
}

static int by_features(const void *x, const void *y) {
    const toc_contact *a = x, *b = y;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (a->body[i] != b->body[i]) return a->body[i] < b->body[i] ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static void find_slowly(toc_scene *scene, bool surface_only, list *found) {
    toc_features *features[4];
    const uint32_t count = (uint32_t)toc_scene_get_body_count(scene);
    assert_true(count <= 4);
    for (uint32_t i = 0; i < count; i++) assert_ok(toc_mesh_find_features(toc_scene_edit_mesh(scene, i), &features[i]));
    found->count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t body[2] = {i, j};
            ask_faces(found, scene, body, features[i], features[j], surface_only);
            if (i <= j) ask_edges(found, scene, body, features[i], features[j], surface_only);
        }
    for (uint32_t i = 0; i < count; i++) toc_features_destroy(features[i]);
    qsort(found->at, found->count, sizeof *found->at, by_features);
}

static toc_query brute(void) {
    toc_query query = toc_query_default();
    query.preset = "brute";
    return query;
}

static toc_contacts *find(toc_scene *scene, const toc_query *query) {
    toc_contacts *contacts;
    assert_ok(toc_scene_find_contacts(scene, query, NULL, &contacts));
    return contacts;
}

static void assert_complete(toc_scene *scene, bool surface_only, size_t *total) {
    static list truth;
    toc_query query = brute();
    query.surface_only = surface_only;
    toc_contacts *contacts = find(scene, &query);
    find_slowly(scene, surface_only, &truth);
    assert_int_equal(contacts->count, truth.count);
    for (size_t i = 0; i < truth.count; i++) {
        assert_int_equal(by_features(&contacts->contacts[i], &truth.at[i]), 0);
        assert_double_same(contacts->contacts[i].toc, truth.at[i].toc);
        assert_int_equal(contacts->contacts[i].verdict, TOC_HIT);
    }
    *total += truth.count;
    toc_contacts_destroy(contacts);
}

static toc_scene *scene_of(toc_mesh *const *meshes, int count) {
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    for (int i = 0; i < count; i++) {
        uint32_t body;
        assert_ok(toc_scene_add_body(scene, meshes[i], &body));
        assert_int_equal(body, i);
    }
    return scene;
}

// Soups of every shape, alone and two at a time: bodies that cross themselves and each other from the start.
static void soups_are_searched_completely(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t total = 0;
    for (int shape = 0; shape < TOC_SHAPE_COUNT; shape++)
        for (int bodies = 1; bodies <= 2; bodies++) {
            toc_mesh *meshes[2];
            for (int i = 0; i < bodies; i++) {
                meshes[i] = test_soup(&random, (toc_shape)shape, 6, 14);
                test_shake(meshes[i], &random, 0.1, 0.5);
            }
            toc_scene *scene = scene_of(meshes, bodies);
            assert_complete(scene, false, &total);
            assert_complete(scene, true, &total);
            toc_scene_destroy(scene);
        }
    assert_true(total > 1000);
}

// Regular bodies: many equal coordinates, boxes that touch without overlapping, flat motion.
static void grids_are_searched_completely(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_shape shapes[] = {TOC_TET, TOC_HEX, TOC_WEDGE, TOC_PYRAMID};
    size_t total = 0;
    for (int i = 0; i < 4; i++) {
        toc_mesh *meshes[] = {test_grid_volume(shapes[i], 2, 1, 1), test_grid_sheet(TOC_QUAD, 2, 2)};
        test_shake(meshes[0], &random, 0, i % 2 ? 0 : 1.5);
        toc_scene *scene = scene_of(meshes, 2);
        assert_complete(scene, false, &total);
        toc_scene_destroy(scene);
    }
    assert_true(total > 100);
}

static void assert_same_contacts(const toc_contacts *a, const toc_contacts *b) {
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->contacts, b->contacts, a->count * sizeof *a->contacts);
    for (size_t i = 0; i < a->stage_count; i++) assert_int_equal(a->stages[i].out, b->stages[i].out);
}

static toc_scene *crumpled_sheet(uint32_t size) {
    test_random random = test_random_make(7);
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, size, size);
    test_shake(sheet, &random, 0.2, 1.5);
    return scene_of(&sheet, 1);
}

static void threads_do_not_change_the_answer(void **state) {
    (void)state;
    toc_scene *scene = crumpled_sheet(30);
    for (int answer = TOC_ANSWER_ALL; answer <= TOC_ANSWER_ANY; answer++) {
        toc_query query = brute();
        query.answer = (toc_answer)answer;
        query.threads = 1;
        toc_contacts *alone = find(scene, &query);
        assert_true(alone->count > 0);
        for (int threads = 2; threads <= 5; threads++) {
            query.threads = threads;
            toc_contacts *together = find(scene, &query);
            if (answer != TOC_ANSWER_ALL) // the amount of work depends on timing, the answer does not
                assert_memory_equal(alone->contacts, together->contacts, sizeof *alone->contacts);
            else
                assert_same_contacts(alone, together);
            toc_contacts_destroy(together);
        }
        toc_contacts_destroy(alone);
    }
    toc_scene_destroy(scene);
}

static void first_and_any_are_among_all(void **state) {
    (void)state;
    toc_scene *scene = crumpled_sheet(12);
    toc_query query = brute();
    toc_contacts *all = find(scene, &query);
    query.answer = TOC_ANSWER_FIRST;
    toc_contacts *first = find(scene, &query);
    query.answer = TOC_ANSWER_ANY;
    toc_contacts *any = find(scene, &query);
    assert_int_equal(first->count, 1);
    assert_int_equal(any->count, 1);
    assert_memory_equal(first->contacts, toc_contacts_find_first(all), sizeof *first->contacts);
    bool among = false;
    for (size_t i = 0; i < all->count; i++) {
        assert_true(all->contacts[i].toc >= first->contacts->toc);
        among = among || memcmp(&all->contacts[i], any->contacts, sizeof *any->contacts) == 0;
    }
    assert_true(among);
    toc_contacts_destroy(all);
    toc_contacts_destroy(first);
    toc_contacts_destroy(any);
    toc_scene_destroy(scene);
}

static void empty_scene_has_no_contacts(void **state) {
    (void)state;
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    const toc_query query = brute();
    toc_contacts *contacts = find(scene, &query);
    assert_int_equal(contacts->count, 0);
    assert_null(toc_contacts_find_first(contacts));
    toc_contacts_destroy(contacts);
    assert_ok(toc_scene_add_body(scene, test_grid_sheet(TOC_TRIANGLE, 3, 3), NULL));
    contacts = find(scene, &query);
    assert_int_equal(contacts->count, 0);
    assert_string_equal(contacts->preset, "brute");
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
}

// Features follow edits of a body that is already in the scene.
static void edits_between_steps_are_followed(void **state) {
    (void)state;
    size_t total = 0;
    toc_scene *scene = crumpled_sheet(4);
    assert_complete(scene, false, &total);
    toc_mesh *mesh = toc_scene_edit_mesh(scene, 0);
    for (uint32_t element = 0; element < 20; element += 3) assert_ok(toc_mesh_remove_element(mesh, element));
    const uint32_t torn[] = {1};
    uint32_t copy;
    assert_ok(toc_mesh_split_vertex(mesh, toc_mesh_get_element(mesh, 1).corners[0], 1, torn, &copy));
    const size_t before = total;
    assert_complete(scene, false, &total);
    assert_true(total > before);
    toc_scene_destroy(scene);
}

static int stop_half_way(void *user, double done) {
    double *last = user;
    *last = done;
    return done > 0.5;
}

static void progress_can_stop_the_search(void **state) {
    (void)state;
    toc_scene *scene = crumpled_sheet(40);
    double last = 0;
    toc_query query = brute();
    query.threads = 1;
    query.progress = (toc_progress){stop_half_way, &last};
    toc_contacts *contacts = NULL;
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_STOPPED, "stopped");
    assert_null(contacts);
    assert_true(last > 0.5);
    toc_scene_destroy(scene);
}

static void bad_settings_are_refused(void **state) {
    (void)state;
    toc_scene *scene = crumpled_sheet(2);
    toc_contacts *contacts = NULL;
    toc_query query = {0};
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "toc_query_init");
    query = brute();
    query.preset = "swift";
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "no preset swift");
    query = brute();
    query.threads = -1;
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "threads is -1");
    query = brute();
    query.test.tolerance = NAN;
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "tolerance");
    query = brute();
    query.test.separation = -1;
    assert_fails(toc_scene_find_contacts(scene, &query, NULL, &contacts), TOC_BAD_INPUT, "separation");
    assert_null(contacts);
    toc_scene_destroy(scene);
}

// The failure of any thread must appear in the message of the calling thread.
static toc_status search(const toc_allocator *allocator, void *user) {
    const int threads = *(const int *)user;
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 6, 6), *copy = NULL;
    test_random random = {3};
    test_shake(sheet, &random, 0.2, 1.5);
    toc_scene *scene = NULL;
    toc_contacts *contacts = NULL;
    toc_query query = brute();
    query.threads = threads;
    toc_status status = toc_scene_create(allocator, &scene);
    if (status == TOC_OK) status = toc_mesh_copy(sheet, &copy);
    if (status == TOC_OK) status = toc_scene_add_body(scene, copy, NULL);
    if (status == TOC_OK)
        status = toc_scene_find_contacts(scene, &query, NULL, &contacts);
    else
        toc_mesh_destroy(copy);
    if (status != TOC_OK) assert_non_null(strstr(toc_message_get(), "out of memory"));
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    toc_mesh_destroy(sheet);
    return status;
}

static void brute_survives_failed_allocations(void **state) {
    (void)state;
    int threads = 1;
    assert_true(test_every_allocation(search, &threads) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_are_searched_completely),     cmocka_unit_test(grids_are_searched_completely),
        cmocka_unit_test(threads_do_not_change_the_answer),  cmocka_unit_test(first_and_any_are_among_all),
        cmocka_unit_test(empty_scene_has_no_contacts),       cmocka_unit_test(edits_between_steps_are_followed),
        cmocka_unit_test(progress_can_stop_the_search),      cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(brute_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
