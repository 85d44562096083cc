// SPDX-License-Identifier: Apache-2.0
// Threads: one scene serves one call at a time, in every build; different scenes do not disturb each other.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

static toc_scene *make_soup_scene(uint64_t seed) {
    test_random random = test_random_make(seed);
    toc_scene *scene;
    assert_ok(toc_scene_create(NULL, &scene));
    for (int i = 0; i < 2; i++) {
        toc_mesh *mesh = test_soup(&random, TOC_TRIANGLE, 24, 60);
        test_shake(mesh, &random, 0.1, 0.2);
        assert_ok(toc_scene_add_body(scene, mesh, NULL));
    }
    return scene;
}

// ---- a callback that uses the scene of its query

typedef struct caller {
    toc_scene *scene;
    atomic_int calls, wrong; // calls of the callback, and statuses other than TOC_BUSY
} caller;

static void expect_busy(caller *c, toc_status status) {
    if (status != TOC_BUSY) c->wrong++;
}

static void use_scene(caller *c) {
    const toc_query query = toc_query_default();
    toc_contacts *contacts;
    toc_near *near;
    toc_overlaps *overlaps;
    double fraction;
    toc_mesh *mesh = toc_scene_edit_mesh(c->scene, 0), *other;
    expect_busy(c, toc_scene_find_contacts(c->scene, &query, NULL, &contacts));
    expect_busy(c, test_find_near(c->scene, &query, TOC_AT_START, 1, &near));
    expect_busy(c, test_find_near_in_step(c->scene, &query, 1, &near));
    expect_busy(c, toc_scene_find_overlaps(c->scene, &query, TOC_AT_START, NULL, &overlaps));
    expect_busy(c, toc_scene_find_element_overlaps(c->scene, &query, TOC_AT_START, NULL, &overlaps));
    expect_busy(c, toc_scene_find_safe_step(c->scene, &query, &fraction));
    expect_busy(c, toc_scene_remove_body(c->scene, 0, NULL));
    expect_busy(c, toc_scene_set_body_layers(c->scene, 0, 1, 1));
    expect_busy(c, toc_scene_set_self_contact(c->scene, 0, false));
    expect_busy(c, toc_scene_set_steady(c->scene, true));
    expect_busy(c, toc_scene_set_region(c->scene, NULL, NULL));
    expect_busy(c, toc_scene_empty_body(c->scene, 0));
    expect_busy(c, toc_scene_set_group_contact(c->scene, 0, 1, false));
    expect_busy(c, toc_scene_set_body_thickness(c->scene, 0, 1));
    expect_busy(c, toc_scene_share_positions(c->scene, 0, 0, NULL, NULL));
    expect_busy(c, test_mesh_move(mesh, toc_mesh_get_x1(mesh)));
    expect_busy(c, toc_mesh_remove_element(mesh, 0));
    expect_busy(c, toc_mesh_set_group(mesh, 0, 1));
    expect_busy(c, toc_mesh_forget_events(mesh, 1));
    if (toc_mesh_create(NULL, &other) == TOC_OK) {
        expect_busy(c, toc_scene_add_body(c->scene, other, NULL));
        toc_mesh_destroy(other);
    }
    toc_scene_destroy(c->scene); // must leave it alone
    if (toc_scene_get_body_count(c->scene) != 2 || !toc_scene_get_mesh(c->scene, 1)) c->wrong++;
}

static int report_and_use(void *user, double done) {
    (void)done;
    caller *c = user;
    if (c->calls++ == 0) use_scene(c);
    return 0;
}

static bool want_and_use(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    (void)kind, (void)body, (void)v;
    caller *c = user;
    if (c->calls++ < 4) use_scene(c);
    return true;
}

static void a_callback_cannot_use_its_scene(void **state) {
    (void)state;
    for (size_t i = 0; toc_preset_get(i).name; i++) {
        caller c = {.scene = make_soup_scene(1)};
        toc_query query = toc_query_default();
        query.preset = toc_preset_get(i).name;
        toc_contacts *plain, *contacts;
        assert_ok(toc_scene_find_contacts(c.scene, &query, NULL, &plain));
        query.progress = (toc_progress){report_and_use, &c};
        assert_ok(toc_scene_find_contacts(c.scene, &query, NULL, &contacts));
        assert_int_equal(c.wrong, 0);
        toc_contacts_destroy(contacts);
        c.calls = 0;
        query.progress = (toc_progress){NULL, NULL};
        query.filter = (toc_pair_filter){want_and_use, &c};
        assert_ok(toc_scene_find_contacts(c.scene, &query, NULL, &contacts));
        assert_true(c.calls > 0);
        assert_int_equal(c.wrong, 0);
        assert_int_equal(contacts->count, plain->count);
        toc_contacts_destroy(contacts);
        toc_contacts_destroy(plain);
        toc_scene_destroy(c.scene);
    }
}

// ---- one scene in several threads at once

enum { THREADS = 4, ROUNDS = 30 };

typedef struct user {
    pthread_t thread;
    toc_scene *scene;
    size_t expected;
    int found, busy, wrong;
} user;

static void count_status(user *u, toc_status status) {
    u->found += status == TOC_OK;
    u->busy += status == TOC_BUSY;
    u->wrong += status != TOC_OK && status != TOC_BUSY;
}

static void query_once(user *u) {
    toc_query query = toc_query_default();
    query.threads = 2;
    toc_contacts *contacts;
    const toc_status status = toc_scene_find_contacts(u->scene, &query, NULL, &contacts);
    count_status(u, status);
    if (status != TOC_OK) {
        u->wrong += strstr(toc_message_get(), "in use") == NULL;
        return;
    }
    u->wrong += contacts->count != u->expected;
    toc_contacts_destroy(contacts);
}

static void *query_often(void *of) {
    for (int i = 0; i < ROUNDS; i++) query_once(of);
    return NULL;
}

// Queries, and changes that leave the answer as it is.
static void *change_often(void *of) {
    user *u = of;
    for (int i = 0; i < ROUNDS; i++) {
        toc_mesh *mesh = toc_scene_edit_mesh(u->scene, 0);
        count_status(u, test_mesh_set_motion(mesh, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh)));
        count_status(u, toc_scene_set_self_contact(u->scene, 1, true));
        count_status(u, toc_mesh_set_group_name(mesh, 1, "a name"));
    }
    return NULL;
}

static size_t count_contacts(toc_scene *scene) {
    const toc_query query = toc_query_default();
    toc_contacts *contacts;
    assert_ok(toc_scene_find_contacts(scene, &query, NULL, &contacts));
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    return count;
}

static int run_users(user *users, int count, void *(*const work[])(void *)) {
    int found = 0;
    for (int i = 0; i < count; i++) assert_int_equal(pthread_create(&users[i].thread, NULL, work[i], &users[i]), 0);
    for (int i = 0; i < count; i++) assert_int_equal(pthread_join(users[i].thread, NULL), 0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(users[i].wrong, 0);
        found += users[i].found;
    }
    return found;
}

static void one_scene_in_many_threads(void **state) {
    (void)state;
    toc_scene *scene = make_soup_scene(2);
    const size_t expected = count_contacts(scene);
    user users[THREADS];
    for (int i = 0; i < THREADS; i++) users[i] = (user){.scene = scene, .expected = expected};
    assert_true(run_users(users, THREADS,
                          (void *(*const[])(void *)){query_often, query_often, change_often, change_often}) > 0);
    assert_int_equal(count_contacts(scene), expected);
    toc_scene_destroy(scene);
}

static void different_scenes_in_many_threads(void **state) {
    (void)state;
    user users[THREADS];
    for (int i = 0; i < THREADS; i++) {
        users[i] = (user){.scene = make_soup_scene(3 + (uint64_t)i)};
        users[i].expected = count_contacts(users[i].scene);
    }
    const int found =
        run_users(users, THREADS, (void *(*const[])(void *)){query_often, query_often, query_often, query_often});
    assert_int_equal(found, THREADS * ROUNDS); // none was busy
    for (int i = 0; i < THREADS; i++) toc_scene_destroy(users[i].scene);
}

// ---- different meshes of one scene: a solver moves its bodies in parallel

static void *move_often(void *of) {
    user *u = of;
    for (int i = 0; i < ROUNDS; i++) {
        toc_mesh *mesh = toc_scene_edit_mesh(u->scene, (uint32_t)u->expected);
        count_status(u, test_mesh_set_motion(mesh, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh)));
    }
    return NULL;
}

static void different_meshes_of_one_scene(void **state) {
    (void)state;
    toc_scene *scene = make_soup_scene(2);
    user users[2] = {{.scene = scene, .expected = 0}, {.scene = scene, .expected = 1}};
    assert_int_equal(run_users(users, 2, (void *(*const[])(void *)){move_often, move_often}), 2 * ROUNDS);
    toc_scene_destroy(scene);
}

// ---- one mesh

static void *add_often(void *of) {
    user *u = of;
    toc_mesh *mesh = toc_scene_edit_mesh(u->scene, 0);
    for (int i = 0; i < ROUNDS; i++) count_status(u, toc_mesh_add_vertices(mesh, 1, (const double[]){0, 0, 0}, NULL));
    return NULL;
}

static void one_mesh_in_many_threads(void **state) {
    (void)state;
    toc_scene *scene = make_soup_scene(2);
    const size_t before = toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, 0));
    user users[2] = {{.scene = scene}, {.scene = scene}};
    const int added = run_users(users, 2, (void *(*const[])(void *)){add_often, add_often});
    assert_int_equal(toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, 0)), before + (size_t)added);
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_cannot_use_its_scene),  cmocka_unit_test(one_scene_in_many_threads),
        cmocka_unit_test(different_scenes_in_many_threads), cmocka_unit_test(different_meshes_of_one_scene),
        cmocka_unit_test(one_mesh_in_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
