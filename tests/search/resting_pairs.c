// SPDX-License-Identifier: Apache-2.0
// Resting bodies with the presets that have a tree: they cost nothing, and their contacts are still found.
#include <stdlib.h>
#include <string.h>

#include "support/answers.h"

static const char *const presets[] = {"bvh", "local", "auto"};

static void assert_same(const toc_contacts *got, const toc_contacts *wanted) {
    test_assert_same_pairs(got, wanted);
    for (size_t i = 0; i < got->count; i++) assert_true(got->contacts[i].toc == wanted->contacts[i].toc);
}

static void assert_answers(toc_scene *bodies, const char *preset, int threads) {
    toc_contacts *truth = test_find_contacts(bodies, "brute", TOC_ANSWER_ALL, 0, 1),
                 *all = test_find_contacts(bodies, preset, TOC_ANSWER_ALL, 0, threads);
    assert_same(all, truth);
    toc_contacts *first = test_find_contacts(bodies, preset, TOC_ANSWER_FIRST, 0, threads),
                 *any = test_find_contacts(bodies, preset, TOC_ANSWER_ANY, 0, threads);
    assert_int_equal(first->count, truth->count > 0);
    assert_int_equal(any->count, truth->count > 0);
    if (truth->count > 0) assert_true(first->contacts[0].toc == toc_contacts_find_first(truth)->toc);
    toc_contacts_destroy(any);
    toc_contacts_destroy(first);
    toc_contacts_destroy(all);
    toc_contacts_destroy(truth);
}

// Bodies touch at rest, move and rest again: the answer is right in every step.
static void bodies_alternate_rest_and_motion(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 3; round++) {
        toc_scene *bodies = test_scene_of(test_sheet_at(4, 0), test_sheet_at(6, 0));
        assert_ok(toc_scene_add_body(bodies, test_sheet_at(3, 4.25), NULL));
        for (int step = 0; step < 16; step++) {
            test_step_body(bodies, 0, &random, step % 5 == 4 ? 0 : 0.4);
            test_step_body(bodies, 1, &random, step == 11 ? 0.02 : 0);
            test_step_body(bodies, 2, &random, step > 11 ? 0.1 : 0);
            assert_answers(bodies, presets[round % 3], 1 + round % 2);
        }
        toc_scene_destroy(bodies);
    }
}

// A part of a body rests, without being a body of its own: the answer is right in every step.
static void part_of_a_body_rests(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 3; round++) {
        toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 12, 12);
        test_shake(sheet, &random, 0.4, 0);
        toc_scene *bodies = test_scene_of(sheet, NULL);
        for (int step = 0; step < 12; step++) {
            const size_t count = toc_mesh_get_vertex_count(sheet),
                         from = count / 10 * (size_t)(step < 8 ? step : 15 - step);
            double x1[3 * 169];
            memcpy(x1, toc_mesh_get_x1(sheet), sizeof x1);
            for (size_t i = 3 * from; i < 3 * count; i++) x1[i] += test_random_between(&random, -0.3, 0.3);
            assert_ok(test_mesh_move(sheet, x1));
            assert_answers(bodies, presets[round % 3], 1 + round % 2);
        }
        toc_scene_destroy(bodies);
    }
}

// Put a body at rest at a height, without a motion to there.
static void teleport(toc_scene *bodies, uint32_t body, double z) {
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, body);
    double x[3 * 25];
    const size_t count = toc_mesh_get_vertex_count(mesh);
    assert_true(count <= 25);
    memcpy(x, toc_mesh_get_x0(mesh), 24 * count);
    for (size_t v = 0; v < count; v++) x[3 * v + 2] = z;
    assert_ok(test_mesh_set_motion(mesh, x, x));
}

// A resting body is put onto another one, and is still at both ends of that step as well: it does not rest there yet.
static void body_is_teleported_while_at_rest(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        toc_scene *bodies = test_scene_of(test_sheet_at(4, 0), test_sheet_at(4, 0.25));
        for (int step = 0; step < 16; step++) {
            teleport(bodies, 1, step / 4 % 2 ? 0 : 1);
            assert_answers(bodies, presets[round], 1);
        }
        toc_scene_destroy(bodies);
    }
}

// A sheet moves over bodies with a hundred times its triangles: only the sheet is bounded, refitted and searched.
static void resting_bodies_are_not_searched(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    uint64_t whole = 0; // visits in the first step of presets that have a tree by then
    for (int round = 0; round < 3; round++) {
        toc_scene *bodies = test_scene_of(test_sheet_at(6, 0), test_sheet_at(60, 0));
        assert_ok(toc_scene_add_body(bodies, test_sheet_at(5, 58.3), NULL));
        for (int step = 0; step < 6; step++) {
            test_step_body(bodies, 0, &random, 0.3);
            toc_contacts *got = test_find_contacts(bodies, presets[round], TOC_ANSWER_ALL, 0, 1);
            if (step == 0) // auto has a tree from then on
                toc_contacts_destroy(test_find_contacts(bodies, presets[round], TOC_ANSWER_FIRST, 0, 1));
            if (step == 0 && round < 2) whole = test_stage(got, "search").in;
            if (step >= 3) {
                assert_int_equal(test_stage(got, "bound").in, 7200 + 72 + 50);
                assert_int_equal(test_stage(got, "bound").out, 72);
                assert_true(test_stage(got, "build").in <= 2 * 72 + 1);
                assert_true(test_stage(got, "build").out <= 72);
                assert_true(test_stage(got, "search").in < whole / 10);
            }
            toc_contacts *truth = test_find_contacts(bodies, "brute", TOC_ANSWER_ALL, 0, 2);
            assert_true(truth->count > 10);
            assert_same(got, truth);
            toc_contacts_destroy(truth);
            toc_contacts_destroy(got);
        }
        toc_scene_destroy(bodies);
    }
}

// Other queries between the steps leave bounds of another kind in the tree.
static void other_queries_between_the_steps(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of(test_sheet_at(4, 0), test_sheet_at(6, 0));
    assert_ok(toc_scene_add_body(bodies, test_sheet_at(3, 4.25), NULL));
    for (int step = 0; step < 12; step++) {
        toc_query query = toc_query_default();
        query.threads = 1;
        query.preset = presets[step % 3];
        query.test.method = TOC_METHOD_CERTIFIED;
        query.test.separation = step % 4 == 1 ? 0.05 : step % 4 == 2 ? 0.1 : 0;
        toc_contacts *got;
        test_step_body(bodies, 0, &random, 0.3);
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &got));
        query.preset = "brute";
        toc_contacts *truth;
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &truth));
        assert_same(got, truth);
        toc_contacts_destroy(truth);
        toc_contacts_destroy(got);
        toc_overlaps *overlaps;
        assert_ok(toc_scene_find_overlaps(bodies, &query, step % 2 ? TOC_AT_START : TOC_AT_END, NULL, &overlaps));
        toc_overlaps_destroy(overlaps);
        assert_answers(bodies, presets[step % 3], 1);
    }
    toc_scene_destroy(bodies);
}

// Triangles in one place: each touches all others.
static toc_scene *pile(const toc_allocator *allocator, size_t count) {
    static const double corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    toc_mesh *mesh;
    toc_scene *bodies;
    assert_ok(toc_mesh_create(allocator, &mesh));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t corners[3] = {3 * i, 3 * i + 1, 3 * i + 2};
        assert_ok(toc_mesh_add_vertices(mesh, 3, corner, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 1, corners, NULL));
    }
    assert_ok(toc_scene_create(allocator, &bodies));
    assert_ok(toc_scene_add_body(bodies, mesh, NULL));
    return bodies;
}

// A pile has more resting pairs than are kept: all of them are contacts of every step, while some move and rest again.
static void a_pile_at_rest(void **state) {
    (void)state;
    static const char *const names[] = {"bvh", "auto", "voxel-safe"};
    for (int i = 0; i < 3; i++) {
        toc_scene *bodies = pile(NULL, 24);
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, 0);
        for (int step = 0; step < 7; step++) {
            double x1[24 * 9];
            memcpy(x1, toc_mesh_get_x1(mesh), sizeof x1);
            for (int k = 0; k < 9 && step % 3 == 2; k++) x1[9 * (size_t)step + (size_t)k] += 0.25;
            assert_ok(test_mesh_move(mesh, x1));
            assert_answers(bodies, names[i], 1 + step % 2);
        }
        toc_scene_destroy(bodies);
    }
}

typedef struct held_memory {
    size_t bytes, most;
} held_memory;

static void *meter_resize(void *user, void *block, size_t old_size, size_t new_size) {
    held_memory *held = user;
    held->bytes += new_size - old_size;
    if (held->bytes > held->most) held->most = held->bytes;
    if (new_size > 0) return realloc(block, new_size);
    free(block);
    return NULL;
}

static int drop_contacts(void *user, const toc_contact *contacts, size_t count) {
    (void)contacts;
    *(size_t *)user += count;
    return 0;
}

// The list of resting pairs must not grow with the contacts of a pile: a sink is there to avoid that.
static void memory_of_a_pile(void **state) {
    (void)state;
    enum { PILE = 150, CONTACTS = 15 * PILE * (PILE - 1) / 2 };
    held_memory held = {0, 0};
    const toc_allocator allocator = {meter_resize, &held};
    toc_scene *bodies = pile(&allocator, PILE);
    toc_query query = toc_query_default();
    query.threads = 1;
    for (int step = 0; step < 4; step++) {
        toc_contacts *contacts;
        size_t taken = 0;
        query.sink = (toc_contact_sink){drop_contacts, &taken};
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        assert_int_equal(taken, CONTACTS);
        toc_contacts_destroy(contacts);
    }
    assert_true(held.most < CONTACTS * sizeof(toc_contact) / 8);
    toc_scene_destroy(bodies);
}

static void resting_pairs_survive_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(test_ask_three_times, "bvh") > 20);
    assert_true(test_every_allocation(test_ask_three_times, "auto") > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pile_at_rest),
        cmocka_unit_test(memory_of_a_pile),
        cmocka_unit_test(bodies_alternate_rest_and_motion),
        cmocka_unit_test(part_of_a_body_rests),
        cmocka_unit_test(body_is_teleported_while_at_rest),
        cmocka_unit_test(resting_bodies_are_not_searched),
        cmocka_unit_test(other_queries_between_the_steps),
        cmocka_unit_test(resting_pairs_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
