// SPDX-License-Identifier: Apache-2.0
// Candidates kept for a line search: the answers of a full search, as long as the vertices stay where was promised.
#include <math.h>
#include <string.h>

#include "support/answers.h"

enum { MOST = 3 * 200 };

typedef struct path {
    size_t count;
    double x0[MOST], x1[MOST];
} path;

static void take_paths(const toc_scene *bodies, path paths[2]) {
    for (uint32_t b = 0; b < 2; b++) {
        const toc_mesh *mesh = toc_scene_get_mesh(bodies, b);
        paths[b].count = 3 * toc_mesh_get_vertex_count(mesh);
        assert_true(paths[b].count <= MOST);
        memcpy(paths[b].x0, toc_mesh_get_x0(mesh), paths[b].count * sizeof(double));
        memcpy(paths[b].x1, toc_mesh_get_x1(mesh), paths[b].count * sizeof(double));
    }
}

// The part of the step up to a fraction.
static void shorten_step(toc_scene *bodies, const path paths[2], double fraction) {
    double x[MOST];
    for (uint32_t b = 0; b < 2; b++) {
        toc_positions_interpolate(fraction, paths[b].count, paths[b].x0, paths[b].x1, NULL, x);
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(bodies, b), paths[b].x0, x));
    }
}

// Any step within a slack of the paths: coordinates off by up to slack / 2.
static void wander(toc_scene *bodies, const path paths[2], test_random *random, double slack) {
    double x[2][MOST];
    for (uint32_t b = 0; b < 2; b++) {
        for (size_t v = 0; v < paths[b].count; v += 3)
            for (int end = 0; end < 2; end++) {
                const double at = test_random_between(random, 0, 1);
                toc_positions_interpolate(at, 3, paths[b].x0 + v, paths[b].x1 + v, NULL, x[end] + v);
                for (int k = 0; k < 3; k++) x[end][v + (size_t)k] += test_random_between(random, -0.5, 0.5) * slack;
            }
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(bodies, b), x[0], x[1]));
    }
}

static void assert_same_contacts(const toc_contacts *got, const toc_contacts *wanted) {
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < got->count; i++)
        assert_memory_equal(&got->contacts[i], &wanted->contacts[i], sizeof *got->contacts);
}

// All questions of the step at hand, against the scene's own search. @return the contacts.
static size_t assert_same_answers(const toc_candidates *candidates, toc_scene *bodies, double separation, int threads) {
    toc_query query = toc_query_default();
    toc_contacts *got, *wanted;
    toc_near *near_got, *near_wanted;
    toc_room_step room_got, room_wanted;
    const toc_room room = {.size = sizeof room, .share = 0.3, .most = 0.02};
    query.threads = threads;
    query.test.separation = separation;
    for (int answer = TOC_ANSWER_FIRST; answer >= TOC_ANSWER_ALL; answer--) {
        query.answer = (toc_answer)answer;
        query.preset = "bvh";
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &wanted));
        query.preset = "auto";
        assert_ok(test_candidates_find_contacts(candidates, bodies, &query, &got));
        assert_same_contacts(got, wanted);
        toc_contacts_destroy(wanted);
        if (answer == TOC_ANSWER_FIRST) toc_contacts_destroy(got);
    }
    for (int end = 0; end < 2; end++) {
        assert_ok(test_find_near(bodies, &query, (toc_end)end, 0.02, &near_wanted));
        assert_ok(test_candidates_find_near(candidates, bodies, &query, (toc_end)end, 0.02, &near_got));
        assert_int_equal(near_got->count, near_wanted->count);
        if (near_got->count)
            assert_memory_equal(near_got->pairs, near_wanted->pairs, near_got->count * sizeof *near_got->pairs);
        toc_near_destroy(near_got);
        toc_near_destroy(near_wanted);
    }
    memset(&room_got, 0, sizeof room_got);
    memset(&room_wanted, 0, sizeof room_wanted);
    assert_ok(toc_scene_find_room_step(bodies, &query, &room, &room_wanted));
    assert_ok(test_candidates_find_room_step(candidates, bodies, &query, &room, &room_got));
    assert_true(room_got.fraction == room_wanted.fraction && room_got.limited == room_wanted.limited);
    if (room_got.limited) assert_memory_equal(room_got.v, room_wanted.v, sizeof room_got.v);
    const size_t count = got->count;
    toc_contacts_destroy(got);
    return count;
}

static void shorter_steps_of_a_line_search(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_shape shapes[] = {TOC_TRIANGLE, TOC_TET, TOC_EDGE, TOC_QUAD};
    size_t found = 0;
    for (int round = 0; round < test_less(8, 4); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, shapes[round % 4], 12, 30, 0.3);
        toc_query query = toc_query_default();
        toc_candidates *candidates;
        path paths[2];
        take_paths(bodies, paths);
        if (round % 2) assert_ok(toc_scene_set_body_thickness(bodies, 0, 0.01));
        query.threads = 1 + round;
        assert_ok(toc_scene_find_candidates(bodies, &query, 0, 0.05, &candidates));
        for (double fraction = 1; fraction > 1e-3; fraction /= 3) {
            shorten_step(bodies, paths, fraction);
            found += assert_same_answers(candidates, bodies, round % 3 ? 0 : 0.01, 1 + round % 8);
        }
        toc_candidates_destroy(candidates);
        toc_scene_destroy(bodies);
    }
    assert_true(found > 100);
}

static void any_steps_within_the_slack(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t found = 0;
    for (int round = 0; round < test_less(6, 3); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, round % 2 ? TOC_TRIANGLE : TOC_TET, 10, 24, 0.1);
        const toc_query query = toc_query_default();
        toc_candidates *candidates;
        path paths[2];
        take_paths(bodies, paths);
        assert_ok(toc_scene_find_candidates(bodies, &query, 0.1, 0.02, &candidates));
        for (int step = 0; step < 4; step++) {
            wander(bodies, paths, &random, 0.1);
            found += assert_same_answers(candidates, bodies, 0, 1 + step);
        }
        toc_candidates_destroy(candidates);
        toc_scene_destroy(bodies);
    }
    assert_true(found > 50);
}

static void scale_paths(toc_scene *bodies, path paths[2], int exponent) {
    for (uint32_t b = 0; b < 2; b++) {
        for (size_t i = 0; i < paths[b].count; i++) {
            paths[b].x0[i] = ldexp(paths[b].x0[i], exponent);
            paths[b].x1[i] = ldexp(paths[b].x1[i], exponent);
        }
        assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(bodies, b), paths[b].x0, paths[b].x1));
    }
}

// Candidates cover a step and its parts whatever the unit of length, although the squares of its lengths overflow,
// vanish or are subnormal.
static void lengths_whose_squares_overflow(void **state) {
    (void)state;
    const int exponents[] = {600, 900, -600, -1060};
    test_random random = test_random_make(0);
    for (int round = 0; round < 4; round++) {
        toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 12, 30, 0.3);
        toc_query query = toc_query_default();
        toc_candidates *candidates;
        path paths[2];
        take_paths(bodies, paths);
        scale_paths(bodies, paths, exponents[round]);
        query.threads = 1;
        assert_ok(toc_scene_find_candidates(bodies, &query, 0, ldexp(0.05, exponents[round]), &candidates));
        for (double fraction = 1; fraction > 0.1; fraction /= 3) {
            toc_contacts *got, *wanted;
            shorten_step(bodies, paths, fraction);
            assert_ok(test_candidates_find_contacts(candidates, bodies, &query, &got));
            assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &wanted));
            assert_same_contacts(got, wanted);
            toc_contacts_destroy(got);
            toc_contacts_destroy(wanted);
        }
        toc_candidates_destroy(candidates);
        toc_scene_destroy(bodies);
    }
}

// Each broken promise has a status of its own, and the outputs stay.
static void broken_promises_are_noticed(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_sheet_at(2, 0), test_sheet_at(2, 0.1)), *others;
    toc_query query = toc_query_default();
    toc_candidates *candidates;
    toc_contacts *contacts = NULL;
    toc_near *near = NULL;
    toc_room_step step = {.fraction = 7};
    path paths[2];
    take_paths(bodies, paths);
    assert_ok(toc_scene_find_candidates(bodies, &query, 0.125, 0.25, &candidates));
    assert_true(toc_candidates_get_count(candidates) > 0);
    toc_mesh *mesh = toc_scene_edit_mesh(bodies, 1);
    double x[27];
    memcpy(x, paths[1].x0, sizeof x);
    x[5] = 0.125;
    assert_ok(test_mesh_set_motion(mesh, paths[1].x0, x));
    assert_ok(test_candidates_find_contacts(candidates, bodies, &query, &contacts));
    toc_contacts_destroy(contacts);
    contacts = NULL;
    x[5] = 0.126;
    assert_ok(test_mesh_set_motion(mesh, x, paths[1].x0));
    assert_fails(test_candidates_find_contacts(candidates, bodies, &query, &contacts), TOC_STALE, "vertex 1 of body 1");
    assert_ok(test_mesh_set_motion(mesh, paths[1].x0, paths[1].x0));
    const double fast[27] = {0, 0, 1};
    assert_ok(test_mesh_accelerate(mesh, fast));
    assert_fails(test_candidates_find_contacts(candidates, bodies, &query, &contacts), TOC_STALE, "vertex 0 of body 1");
    assert_ok(test_mesh_accelerate(mesh, NULL));
    query.test.separation = 0.26;
    assert_fails(test_candidates_find_contacts(candidates, bodies, &query, &contacts), TOC_STALE, "0.26");
    assert_fails(test_candidates_find_near(candidates, bodies, &query, TOC_AT_END, 0.3, &near), TOC_STALE, "0.3");
    query.test.separation = 0.2;
    const toc_room room = {.size = sizeof room, .share = 0.3, .most = 0.1};
    assert_fails(test_candidates_find_room_step(candidates, bodies, &query, &room, &step), TOC_STALE, "0.3");
    query = toc_query_default();
    assert_ok(toc_scene_set_body_thickness(bodies, 0, 0.5));
    assert_fails(test_candidates_find_contacts(candidates, bodies, &query, &contacts), TOC_STALE, "0.5");
    assert_ok(toc_scene_set_body_thickness(bodies, 0, 0));
    assert_ok(toc_mesh_remove_element(mesh, 0));
    assert_fails(test_candidates_find_contacts(candidates, bodies, &query, &contacts), TOC_STALE, "body 1 was edited");
    assert_ok(toc_scene_add_body(bodies, test_sheet_at(2, 0), NULL));
    assert_fails(test_candidates_find_contacts(candidates, bodies, &query, &contacts), TOC_STALE, "bodies");
    assert_ok(toc_scene_create(NULL, &others));
    assert_fails(test_candidates_find_contacts(candidates, others, &query, &contacts), TOC_BAD_INPUT, "another scene");
    assert_true(!contacts && !near && step.fraction == 7);
    toc_scene_destroy(others);
    toc_candidates_destroy(candidates);
    toc_scene_destroy(bodies);
}

// Contacts of a step with a separation are all that matter to shorter distances, whatever the path between its ends.
static void contacts_of_a_wider_question(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_shape shapes[] = {TOC_TRIANGLE, TOC_TET, TOC_EDGE};
    size_t found = 0;
    for (int round = 0; round < test_less(9, 3); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, shapes[round % 3], 12, 30, 0.3);
        toc_query query = toc_query_default();
        toc_candidates *candidates;
        toc_contacts *wide, *got, *wanted;
        path paths[2];
        take_paths(bodies, paths);
        query.threads = 1 + round % 3;
        query.test.separation = 0.1;
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &wide));
        assert_ok(toc_scene_make_candidates(bodies, &query, wide->count, wide->contacts, &candidates));
        assert_int_equal(toc_candidates_get_count(candidates), wide->count);
        for (double fraction = 1; fraction > 0.1; fraction /= 3) {
            shorten_step(bodies, paths, fraction);
            for (int k = 0; k < 3; k++) {
                query.test.separation = 0.05 * k;
                assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &wanted));
                assert_ok(test_candidates_find_contacts(candidates, bodies, &query, &got));
                assert_same_contacts(got, wanted);
                found += got->count;
                toc_contacts_destroy(got);
                toc_contacts_destroy(wanted);
            }
        }
        toc_contacts_destroy(wide);
        toc_candidates_destroy(candidates);
        toc_scene_destroy(bodies);
    }
    assert_true(found > 100);
}

static void pairs_that_are_none_are_refused(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_sheet_at(2, 0), test_sheet_at(2, 0.1));
    const toc_query query = toc_query_default();
    toc_candidates *candidates = NULL;
    toc_contact pairs[2] = {{.kind = TOC_VF, .body = {0, 1}, .v = {0, 0, 1, 2}},
                            {.kind = TOC_EE, .body = {0, 1}, .v = {0, 1, 0, 1}}};
    assert_fails(toc_scene_make_candidates(NULL, &query, 2, pairs, &candidates), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_make_candidates(bodies, &query, 2, NULL, &candidates), TOC_BAD_INPUT, "pairs is NULL");
    assert_fails(toc_scene_make_candidates(bodies, &query, 2, pairs, NULL), TOC_BAD_INPUT, "out is NULL");
    const toc_contact swapped[2] = {pairs[1], pairs[0]}, twice[2] = {pairs[0], pairs[0]};
    assert_fails(toc_scene_make_candidates(bodies, &query, 2, swapped, &candidates), TOC_BAD_INPUT, "pair 1 is not");
    assert_fails(toc_scene_make_candidates(bodies, &query, 2, twice, &candidates), TOC_BAD_INPUT, "pair 1 is not");
    pairs[1].v[3] = 9;
    assert_fails(toc_scene_make_candidates(bodies, &query, 2, pairs, &candidates), TOC_BAD_INPUT, "vertex 9 of body 1");
    pairs[1].body[1] = 2;
    assert_fails(toc_scene_make_candidates(bodies, &query, 2, pairs, &candidates), TOC_BAD_INPUT, "of body 2");
    assert_null(candidates);
    assert_ok(toc_scene_make_candidates(bodies, &query, 0, NULL, &candidates));
    toc_contacts *contacts;
    assert_ok(test_candidates_find_contacts(candidates, bodies, &query, &contacts));
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    assert_ok(toc_mesh_remove_element(toc_scene_edit_mesh(bodies, 1), 0));
    assert_fails(test_candidates_find_contacts(candidates, bodies, &query, &contacts), TOC_STALE, "body 1 was edited");
    toc_candidates_destroy(candidates);
    toc_scene_destroy(bodies);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    toc_scene *bodies = test_scene_of(test_sheet_at(1, 0), NULL);
    const toc_query query = toc_query_default();
    toc_candidates *candidates;
    toc_near *near;
    toc_overlaps *overlaps;
    double fraction;
    assert_fails(toc_scene_find_candidates(NULL, &query, 0, 0, &candidates), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_candidates(bodies, NULL, 0, 0, &candidates), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_scene_find_candidates(bodies, &query, 0, 0, NULL), TOC_BAD_INPUT, "out is NULL");
    assert_fails(toc_scene_find_candidates(bodies, &query, -1, 0, &candidates), TOC_BAD_INPUT, "slack");
    assert_fails(toc_scene_find_candidates(bodies, &query, 0, NAN, &candidates), TOC_BAD_INPUT, "distance");
    assert_ok(toc_scene_find_candidates(bodies, &query, 0, 0.1, &candidates));
    toc_query among = query;
    among.candidates = candidates;
    assert_fails(toc_scene_find_safe_step(bodies, &among, &fraction), TOC_BAD_INPUT, "cannot search among candidates");
    assert_fails(toc_scene_find_overlaps(bodies, &among, TOC_AT_START, NULL, &overlaps), TOC_BAD_INPUT, "candidates");
    assert_fails(test_find_near_in_step(bodies, &among, 0.1, &near), TOC_BAD_INPUT, "those of an end of the step");
    toc_candidates_destroy(candidates);
    assert_int_equal(toc_candidates_get_count(NULL), 0);
    toc_candidates_destroy(NULL);
    toc_scene_destroy(bodies);
}

static toc_status ask_candidates(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies;
    const toc_query query = toc_query_default();
    const toc_room room = {.size = sizeof room, .share = 0.3, .most = 0.1};
    toc_candidates *candidates = NULL;
    toc_contacts *contacts = NULL;
    toc_near *near = NULL;
    toc_room_step step;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, .1, 1, 0, .1, 0, 1, .1};
    toc_status status = test_scene_of_triangles(allocator, x, &bodies);
    if (status != TOC_OK) return status;
    if (status == TOC_OK) status = toc_scene_find_candidates(bodies, &query, 0.1, 0.2, &candidates);
    if (status == TOC_OK) status = test_candidates_find_contacts(candidates, bodies, &query, &contacts);
    if (status == TOC_OK) status = test_candidates_find_near(candidates, bodies, &query, TOC_AT_END, 0.2, &near);
    if (status == TOC_OK) status = test_candidates_find_room_step(candidates, bodies, &query, &room, &step);
    if (status == TOC_OK) assert_true(near->count > 0 && contacts->count == 0 && step.fraction == 1);
    toc_candidates_destroy(candidates);
    candidates = NULL;
    const toc_contact pair = {.kind = TOC_VF, .body = {0, 0}, .v = {0, 3, 4, 5}};
    if (status == TOC_OK) status = toc_scene_make_candidates(bodies, &query, 1, &pair, &candidates);
    toc_near_destroy(near);
    toc_contacts_destroy(contacts);
    toc_candidates_destroy(candidates);
    toc_scene_destroy(bodies);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    test_every_allocation(ask_candidates, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shorter_steps_of_a_line_search), cmocka_unit_test(any_steps_within_the_slack),
        cmocka_unit_test(lengths_whose_squares_overflow), cmocka_unit_test(broken_promises_are_noticed),
        cmocka_unit_test(contacts_of_a_wider_question),   cmocka_unit_test(pairs_that_are_none_are_refused),
        cmocka_unit_test(bad_input_is_refused),           cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
