// SPDX-License-Identifier: Apache-2.0
// The stack of a call: every question that computes, on a thread with a painted stack. A thread of musl has 128 KiB.
#include "support/stack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/answers.h"
#include "toccata/device.h"
#include "toccata/potential.h"
#include "toccata/solver.h"

// A question with its settings.
typedef struct stack_question {
    toc_scene *scene;
    toc_query query;
    const toc_contacts *contacts;
    const toc_near *near;
} stack_question;

static bool want_all(void *user, toc_kind kind, const uint32_t body[2], const uint32_t v[4]) {
    (void)user, (void)kind, (void)body, (void)v;
    return true;
}

// ---- questions about scenes

static toc_status ask_contacts(void *user) {
    const stack_question *q = user;
    toc_contacts *contacts = NULL;
    const toc_status status = toc_scene_find_contacts(q->scene, &q->query, NULL, &contacts);
    toc_contacts_destroy(contacts);
    return status;
}

static toc_status ask_near(void *user) {
    const stack_question *q = user;
    for (int time = TOC_NEAR_AT_START; time <= TOC_NEAR_IN_STEP; time++) {
        const toc_near_query near = test_near((toc_near_time)time, 0.1);
        toc_near *found = NULL;
        toc_vertex_pairs *vertices = NULL;
        TOC_TRY(toc_scene_find_near(q->scene, &q->query, &near, NULL, &found));
        toc_near_destroy(found);
        if (time == TOC_NEAR_IN_STEP) break;
        TOC_TRY(toc_scene_find_near_vertices(q->scene, &q->query, &near, &vertices));
        toc_vertex_pairs_destroy(vertices);
    }
    return TOC_OK;
}

static toc_status ask_overlaps(void *user) {
    const stack_question *q = user;
    toc_overlaps *faces = NULL, *elements = NULL;
    toc_status status = toc_scene_find_overlaps(q->scene, &q->query, TOC_AT_START, NULL, &faces);
    if (status == TOC_OK) status = toc_scene_find_element_overlaps(q->scene, &q->query, TOC_AT_END, NULL, &elements);
    toc_overlaps_destroy(faces);
    toc_overlaps_destroy(elements);
    return status;
}

static toc_status ask_steps(void *user) {
    const stack_question *q = user;
    double fraction;
    toc_room_step room;
    TOC_TRY(toc_scene_find_safe_step(q->scene, &q->query, &fraction));
    return toc_scene_find_room_step(q->scene, &q->query, NULL, &room);
}

static toc_status ask_probes(void *user) {
    const stack_question *q = user;
    const double at[12] = {0.1, 0.2, 0.3, 0.9, 0.8, 0.7, -1, 0.5, 0.4, 2, 0.4, 0.5};
    const toc_probe points = {.count = 4, .at = at, .reach = INFINITY, .mask = UINT64_MAX};
    const toc_probe segments = {.count = 2, .at = at, .mask = UINT64_MAX};
    toc_scene_point closest[4];
    toc_segment_hit hits[2];
    uint32_t bodies[4];
    toc_containments *inner = NULL;
    toc_conflict conflict;
    TOC_TRY(toc_scene_find_closest(q->scene, &q->query, TOC_AT_START, &points, closest));
    TOC_TRY(toc_scene_find_hits(q->scene, &q->query, TOC_AT_END, &segments, hits));
    TOC_TRY(toc_scene_find_containing(q->scene, &q->query, TOC_AT_START, &points, bodies));
    TOC_TRY(toc_scene_find_containments(q->scene, &q->query, TOC_AT_START, &inner));
    toc_containments_destroy(inner);
    return toc_scene_find_conflict(q->scene, &q->query, &conflict);
}

static toc_status ask_candidates(void *user) {
    const stack_question *q = user;
    stack_question among = *q;
    toc_candidates *candidates;
    TOC_TRY(toc_scene_find_candidates(q->scene, &q->query, 0.01, 0.1, &candidates));
    among.query.candidates = candidates;
    const toc_status status = ask_contacts(&among);
    toc_candidates_destroy(candidates);
    return status;
}

static toc_status ask_touches(void *user) {
    const stack_question *q = user;
    toc_touches *touches = calloc(q->contacts->count + 1, sizeof *touches);
    toc_touching *touching = NULL;
    toc_pair_changes *changes = NULL;
    toc_status status = touches ? toc_scene_find_touches(q->scene, &q->query, q->contacts, touches) : TOC_OUT_OF_MEMORY;
    if (status == TOC_OK) status = toc_scene_find_touching(q->scene, q->contacts, TOC_LEVEL_GROUPS, &touching);
    if (status == TOC_OK) status = toc_touching_compare(NULL, touching, &changes);
    toc_touching_destroy(touching);
    toc_pair_changes_destroy(changes);
    free(touches);
    return status;
}

static toc_status ask_potential(void *user) {
    const stack_question *q = user;
    toc_potential_query barrier = toc_potential_query_default();
    toc_potential *potential = NULL;
    barrier.distance = 0.1;
    const toc_status status = toc_scene_find_potential(q->scene, &q->query, q->near, &barrier, &potential);
    toc_potential_destroy(potential);
    return status;
}

// ---- scenes

// Pairs at least a thousandth apart: a barrier has no value at contact.
static toc_near *near_pairs_apart(toc_scene *scene) {
    const toc_query query = toc_query_default();
    const toc_near_query distance = test_near(TOC_NEAR_AT_START, 0.1);
    toc_near *all, *apart;
    assert_ok(toc_scene_find_near(scene, &query, &distance, NULL, &all));
    toc_near_pair *kept = calloc(all->count + 1, sizeof *kept);
    size_t count = 0;
    assert_non_null(kept);
    for (size_t i = 0; i < all->count; i++)
        if (all->pairs[i].distance > 1e-3) kept[count++] = all->pairs[i];
    assert_ok(toc_near_create(NULL, count, kept, &apart));
    toc_near_destroy(all);
    free(kept);
    return apart;
}

static void measure_scene(const char *what, stack_question *q, bool curved) {
    static const struct {
        const char *name;
        test_stack_call *ask;
        bool takes_preset; // else the same for all presets
        bool straight;     // for straight paths only
    } calls[] = {{"contacts", ask_contacts, true, false},     {"near pairs", ask_near, true, false},
                 {"overlaps", ask_overlaps, false, false},    {"safe and room step", ask_steps, true, false},
                 {"probes", ask_probes, false, false},        {"touches", ask_touches, false, false},
                 {"candidates", ask_candidates, false, true}, {"potential", ask_potential, false, true}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char name[128];
        if ((curved && calls[i].straight) || (!calls[i].takes_preset && strcmp(q->query.preset, "auto") != 0)) continue;
        snprintf(name, sizeof name, "%s: %s, %s, %d threads", what, calls[i].name, q->query.preset, q->query.threads);
        test_stack_measure(name, calls[i].ask, q);
    }
}

// A scene twice, the second time with indexes that are kept: one thread, then some with a filter, then tasks.
static void measure_preset(const char *what, toc_scene *scene, const char *preset, bool curved) {
    stack_question q = {.scene = scene, .query = toc_query_default()};
    toc_contacts *contacts;
    toc_near *near = near_pairs_apart(scene);
    assert_ok(toc_scene_find_contacts(scene, &q.query, NULL, &contacts));
    q.contacts = contacts;
    q.near = near;
    q.query.preset = preset;
    for (int step = 0; step < 3; step++) {
        q.query.threads = 1 + step;
        q.query.filter.wants = step == 1 ? want_all : NULL;
        q.query.tasks = step == 2 ? test_stack_tasks : (toc_task_system){0};
        q.query.answer = step == 1 ? TOC_ANSWER_FIRST : TOC_ANSWER_ALL;
        q.query.test.separation = step == 2 ? 0.01 : 0;
        measure_scene(what, &q, curved);
    }
    toc_contacts_destroy(contacts);
    toc_near_destroy(near);
}

static bool takes_parabolas(const char *preset) {
    return strcmp(preset, "auto") == 0 || strcmp(preset, "brute") == 0 || strcmp(preset, "volccd") == 0;
}

typedef toc_scene *scene_maker(void);

static toc_scene *make_soups(void) {
    test_random random = test_random_make(7);
    return test_scene_of_soups(&random, TOC_TRIANGLE, 10, 24, 0.3);
}

static toc_scene *make_solid_soups(void) {
    test_random random = test_random_make(8);
    return test_scene_of_soups(&random, TOC_REMOVED, 7, 20, 0.2);
}

// Two sheets that touch wherever they overlap: ties.
static toc_scene *make_ties(void) { return test_scene_of(test_sheet_at(4, 0), test_sheet_at(4, 0.5)); }

static toc_scene *make_volumes(void) {
    test_random random = test_random_make(9);
    toc_mesh *a = test_grid_volume(TOC_TET, 2, 1, 1), *b = test_grid_volume(TOC_HEX, 2, 1, 1);
    test_shake(a, &random, 0.1, 0.4);
    test_shake(b, &random, 0.1, 0.4);
    return test_scene_of(a, b);
}

static toc_scene *make_parabolas(void) {
    toc_scene *scene = make_solid_soups();
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(scene, b);
        double acceleration[3 * 20];
        for (size_t i = 0; i < 3 * toc_mesh_get_vertex_count(mesh); i++) acceleration[i] = sin((double)i);
        assert_ok(test_mesh_accelerate(mesh, acceleration));
    }
    return scene;
}

static toc_scene *make_world(void) {
    test_random random = test_random_make(11);
    toc_scene *scene = make_soups();
    toc_world *world;
    assert_ok(toc_world_create(NULL, test_soup(&random, TOC_TRIANGLE, 10, 24), &world));
    assert_ok(toc_scene_add_world(scene, world, NULL));
    return scene;
}

// Sizes from 2^-60 to 2^60: integers of a thousand bits.
static toc_scene *make_mixed_sizes(void) {
    test_random random = test_random_make(12);
    toc_scene *scene = test_scene_of_soups(&random, TOC_TRIANGLE, 2, 6, 0.3);
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(scene, b);
        const size_t count = toc_mesh_get_vertex_count(mesh);
        double ends[2][3 * 6];
        assert_true(count <= 6);
        for (size_t i = 0; i < 6 * count; i++)
            ends[i / (3 * count)][i % (3 * count)] =
                ldexp(test_random_between(&random, -1, 1), (int)test_random_below(&random, 121) - 60);
        assert_ok(test_mesh_set_motion(mesh, ends[0], ends[1]));
    }
    return scene;
}

static void questions_fit_on_a_small_stack(void **state) {
    (void)state;
    static const struct {
        const char *name;
        scene_maker *make;
        bool curved;
    } scenes[] = {{"soups", make_soups, false},
                  {"solids", make_solid_soups, false},
                  {"ties", make_ties, false},
                  {"volumes", make_volumes, false},
                  {"world", make_world, false},
                  {"parabolas", make_parabolas, true},
                  {"mixed sizes", make_mixed_sizes, false}};
    if (TEST_SANITIZED) skip(); // sanitizers make frames several times as large
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++)
        for (size_t p = 0; toc_preset_get(p).name; p++) {
            if (scenes[s].curved && !takes_parabolas(toc_preset_get(p).name)) continue;
            toc_scene *scene = scenes[s].make();
            measure_preset(scenes[s].name, scene, toc_preset_get(p).name, scenes[s].curved);
            toc_scene_destroy(scene);
        }
    test_stack_tasks_end(); // of all scenes together: on a busy machine a task may come when the work is done
}

static void one_thread_of_musl_is_enough(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip();
    toc_scene *scene = make_volumes();
    stack_question q = {.scene = scene, .query = toc_query_default()};
    test_stack_run_small(ask_contacts, &q);
    test_stack_run_small(ask_near, &q);
    test_stack_run_small(ask_steps, &q);
    toc_scene_destroy(scene);
}

// ---- single pairs

typedef struct pair_question {
    toc_pair pair;
    toc_quadratic_pair path;
    toc_pair_test test;
    toc_kind kind;
} pair_question;

static toc_status ask_pair(void *user) {
    const pair_question *q = user;
    toc_hit hit;
    toc_touches touches;
    toc_distance distance;
    TOC_TRY(toc_pair_find(q->kind, &q->pair, &q->test, &hit));
    TOC_TRY(toc_pair_find_touches(q->kind, &q->pair, q->test.separation, &touches));
    return toc_distance_find(q->kind, q->pair.x0[0], &distance);
}

static toc_status ask_path(void *user) {
    const pair_question *q = user;
    toc_hit hit;
    toc_touches touches;
    TOC_TRY(toc_quadratic_find(q->kind, &q->path, &q->test, &hit));
    return toc_quadratic_find_touches(q->kind, &q->path, q->test.separation, &touches);
}

static toc_status ask_hulls(void *user) {
    const pair_question *q = user;
    const toc_hull a = {.count = 4, .x0 = q->path.x0[0], .x1 = q->path.x1[0]};
    const toc_hull b = {.count = 4, .x0 = q->path.control[0], .x1 = q->path.x0[0]};
    toc_convex_hit hit;
    toc_overlap overlap;
    toc_inside inside;
    TOC_TRY(toc_convex_find(&a, &b, &q->test, &hit));
    TOC_TRY(toc_overlap_find(4, q->path.x0[0], 4, q->path.x1[0], &overlap));
    return toc_inside_find(TOC_TET, q->path.x0[0], q->path.x1[0], &inside);
}

static toc_status ask_batch(void *user) {
    enum { COUNT = 700 };
    const pair_question *q = user;
    static uint32_t vertices[COUNT][4];
    static toc_verdict verdicts[COUNT];
    static double times[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < 4; k++) vertices[i][k] = (i + k) % 4;
    const toc_pair_batch batch = {.kind = q->kind,
                                  .count = COUNT,
                                  .vertices = (const uint32_t(*)[4])vertices,
                                  .body0 = {q->pair.x0[0], q->pair.x0[0]},
                                  .body1 = {q->pair.x1[0], q->pair.x1[0]}};
    return toc_pair_find_batch(&batch, &q->test, verdicts, times);
}

static toc_status ask_triangles(void *user) {
    const pair_question *q = user;
    toc_triangle_pair pair = {.common = 0};
    toc_triangle_hit hit;
    memcpy(pair.x0, q->path.x0, sizeof q->path.x0);
    memcpy(pair.x0[4], q->path.control, 2 * sizeof *pair.x0);
    memcpy(pair.x1, q->path.x1, sizeof q->path.x1);
    memcpy(pair.x1[4], q->path.control[2], 2 * sizeof *pair.x1);
    return toc_triangles_find(&pair, &q->test, &hit);
}

// Coordinates on a small lattice, ordinary ones, and ones of every size.
static double random_coordinate(test_random *random, int i) {
    const double x = test_random_between(random, -1, 1);
    if (i % 3 == 0) return (double)test_random_below(random, 3) - 1;
    return i % 3 == 1 ? x : ldexp(x, (int)test_random_below(random, 121) - 60);
}

static void pairs_fit_on_a_small_stack(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip();
    test_random random = test_random_make(13);
    for (int i = 0; i < 24; i++) {
        pair_question q = {.test = toc_pair_test_default(), .kind = (toc_kind)(i % 2)};
        double coordinates[36];
        for (int k = 0; k < 36; k++) coordinates[k] = random_coordinate(&random, i);
        memcpy(&q.path, coordinates, sizeof q.path);
        memcpy(q.pair.x0, q.path.x0, sizeof q.pair.x0);
        memcpy(q.pair.x1, q.path.x1, sizeof q.pair.x1);
        q.test.separation = i % 4 < 2 ? 0 : 0.1;
        for (int m = 0; m < TOC_METHOD_COUNT; m++) {
            char name[64];
            const char *method = toc_method_get((toc_method)m).name;
            if (strcmp(method, "inclusion") == 0) continue; // up to a million boxes a pair
            q.test.method = (toc_method)m;
            snprintf(name, sizeof name, "pair %d, %s", i, method);
            test_stack_measure(name, ask_pair, &q);
            test_stack_measure(name, ask_batch, &q);
            test_stack_measure(name, ask_triangles, &q);
        }
        q.test.method = TOC_METHOD_CERTIFIED;
        test_stack_measure("hulls", ask_hulls, &q);
        test_stack_measure("parabolas", ask_path, &q);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(questions_fit_on_a_small_stack),
                                       cmocka_unit_test(one_thread_of_musl_is_enough),
                                       cmocka_unit_test(pairs_fit_on_a_small_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
