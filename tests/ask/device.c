// SPDX-License-Identifier: Apache-2.0
// The questions of a solver's inner loop on a device: the answers have the bits of the processor's, for scenes of every
// kind, thick or not, in little memory, and step after step. The emulated device, unless TOC_DEVICE names another one.
#include <math.h>
#include <string.h>

#include "scene/world.h"
#include "support/answers.h"
#include "support/device.h"
#include "support/scenes.h"

static bool is_real;
#define NEED_EMULATED() \
    if (is_real) skip()

// One question to two equal scenes: to the first on the processor, to the second on the device.
typedef struct twins {
    toc_scene *at[2];
} twins;

static toc_query query_of(int which, int threads) {
    toc_query query = toc_query_default();
    query.threads = threads;
    query.device = which ? TOC_DEVICE_GPU : TOC_DEVICE_CPU;
    return query;
}

static void free_twins(const twins *t) { toc_scene_destroy(t->at[0]), toc_scene_destroy(t->at[1]); }

static twins soups(test_random *random, toc_shape shape, uint32_t elements, double end) {
    test_random again = *random;
    return (twins){{test_scene_of_soups(random, shape, elements, elements + elements / 2, end),
                    test_scene_of_soups(&again, shape, elements, elements + elements / 2, end)}};
}

static void thicken(const twins *t, double a, double b) {
    for (int i = 0; i < 2; i++) {
        assert_ok(toc_scene_set_body_thickness(t->at[i], 0, a));
        assert_ok(toc_scene_set_body_thickness(t->at[i], 1, b));
    }
}

// ---- the questions: each returns the size of the answer

static size_t ask_contacts(const twins *t, toc_answer answer, double separation, int threads) {
    toc_contacts *found[2];
    for (int i = 0; i < 2; i++) {
        toc_query query = query_of(i, threads);
        query.answer = answer;
        query.test.separation = separation;
        assert_ok(toc_scene_find_contacts(t->at[i], &query, NULL, &found[i]));
    }
    const size_t count = found[0]->count;
    assert_int_equal(found[1]->count, count);
    if (count) assert_memory_equal(found[1]->contacts, found[0]->contacts, count * sizeof *found[0]->contacts);
    for (int i = 0; i < 2; i++) toc_contacts_destroy(found[i]);
    return count;
}

static size_t ask_near(const twins *t, const toc_near_query *near, int threads) {
    toc_near *found[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        const toc_query query = query_of(i, threads);
        assert_ok(toc_scene_find_near(t->at[i], &query, near, NULL, &found[i]));
    }
    const size_t count = found[0]->count;
    assert_int_equal(found[1]->count, count);
    if (count) assert_memory_equal(found[1]->pairs, found[0]->pairs, count * sizeof *found[0]->pairs);
    for (int i = 0; i < 2; i++) toc_near_destroy(found[i]);
    return count;
}

static size_t ask_near_times(const twins *t, double distance, int threads) {
    size_t count = 0;
    for (int time = TOC_NEAR_AT_START; time <= TOC_NEAR_IN_STEP; time++) {
        const toc_near_query near = test_near((toc_near_time)time, distance);
        count += ask_near(t, &near, threads);
    }
    return count;
}

static double ask_safe_step(const twins *t, double separation, int threads) {
    double fraction[2] = {-1, -2};
    for (int i = 0; i < 2; i++) {
        toc_query query = query_of(i, threads);
        query.test.separation = separation;
        assert_ok(toc_scene_find_safe_step(t->at[i], &query, &fraction[i]));
    }
    assert_double_same(fraction[1], fraction[0]);
    return fraction[0];
}

static double ask_room(const twins *t, double separation, double most, int threads) {
    toc_room_step step[2];
    for (int i = 0; i < 2; i++) {
        toc_query query = query_of(i, threads);
        toc_room room = toc_room_default();
        room.most = most;
        query.test.separation = separation;
        assert_ok(toc_scene_find_room_step(t->at[i], &query, &room, &step[i]));
    }
    assert_double_same(step[1].fraction, step[0].fraction);
    assert_int_equal(step[1].limited, step[0].limited);
    if (!step[0].limited) return step[0].fraction;
    assert_int_equal(step[1].kind, step[0].kind);
    assert_memory_equal(step[1].body, step[0].body, sizeof step->body);
    assert_memory_equal(step[1].v, step[0].v, sizeof step->v);
    assert_double_same(step[1].start, step[0].start);
    assert_double_same(step[1].kept, step[0].kept);
    return step[0].fraction;
}

// @return contacts and near pairs.
static size_t ask_all(const twins *t, double distance, int threads) {
    size_t count = 0;
    for (int answer = TOC_ANSWER_ALL; answer <= TOC_ANSWER_FIRST; answer++)
        count +=
            ask_contacts(t, (toc_answer)answer, 0, threads) + ask_contacts(t, (toc_answer)answer, distance, threads);
    count += ask_near_times(t, distance, threads);
    ask_safe_step(t, 0, threads), ask_safe_step(t, distance, threads);
    ask_room(t, 0, distance, threads), ask_room(t, distance, distance, threads), ask_room(t, 0, 0, threads);
    return count;
}

// ---- scenes

static void every_scene_has_the_same_bits(void **state) {
    (void)state;
    const scene *s;
    size_t count = 0;
    for (size_t i = 0; (s = scene_list(i)) != NULL; i += test_less(1, 4)) {
        const uint32_t most = test_less(200u, 60u);
        const twins t = {
            {test_scene_of(test_scene_step(s, most), NULL), test_scene_of(test_scene_step(s, most), NULL)}};
        const toc_box box = toc_scene_bounds(t.at[0]);
        count += ask_all(&t, 0x1p-7 * (box.high[0] - box.low[0]), 1 + (int)(i % 3));
        free_twins(&t);
    }
    assert_true(count > 100);
}

// Soups begin apart: safe steps are neither 0 nor 1.
static void soups_have_the_same_bits(void **state) {
    (void)state;
    const toc_shape shapes[] = {TOC_TRIANGLE, TOC_EDGE, TOC_TET, TOC_QUAD};
    test_random random = test_random_make(0);
    size_t count = 0, shortened = 0;
    for (int round = 0; round < test_less(12, 4); round++) {
        const twins t = soups(&random, shapes[round % 4], 30, round % 3 ? 0.3 : 0.02);
        if (round % 4 == 1) thicken(&t, 0.02, 0.02);
        if (round % 4 == 2) thicken(&t, 0.03, 0.01);
        if (round % 4 == 3) thicken(&t, 0, 0.02);
        count += ask_all(&t, round % 5 ? 0.02 : 0.1, 1 + round % 4);
        const double fraction = ask_safe_step(&t, 0, 2);
        shortened += 0 < fraction && fraction < 1;
        free_twins(&t);
    }
    assert_true(count > 1000);
    assert_true(shortened > 0);
}

// A sheet that falls through another one, from a tenth above it to as much below.
static toc_mesh *falling_sheet(uint32_t cells) {
    toc_mesh *mesh = test_sheet_at(cells, 0.05);
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *x[2];
    for (int end = 0; end < 2; end++) {
        x[end] = malloc(count * sizeof **x);
        assert_non_null(x[end]);
        for (size_t i = 0; i < count; i++)
            x[end][i] = toc_mesh_get_x0(mesh)[i] + (i % 3 == 2 ? (end ? -0.1 : 0.1) * (1 + 1e-3 * (double)(i % 7)) : 0);
    }
    assert_ok(test_mesh_set_motion(mesh, x[0], x[1]));
    free(x[0]), free(x[1]);
    return mesh;
}

static twins falling(uint32_t cells) {
    return (twins){{test_scene_of(test_sheet_at(cells, 0), falling_sheet(cells)),
                    test_scene_of(test_sheet_at(cells, 0), falling_sheet(cells))}};
}

static double no_time(void) { return 0; }

// The questions search there: each launches the last kernel of a search.
static void the_device_is_asked(void **state) {
    (void)state;
    const twins t = falling(8);
    const toc_query query = query_of(1, 2);
    const toc_room room = toc_room_default();
    toc_room_step step;
    toc_contacts *contacts;
    double fraction;
    thicken(&t, 0.02, 0.01);
    toc_device_times = (toc_device_clock){.now = no_time};
    assert_ok(toc_scene_find_contacts(t.at[1], &query, NULL, &contacts));
    assert_string_equal(contacts->chosen, "device");
    assert_true(contacts->count > 0);
    toc_contacts_destroy(contacts);
    assert_true(toc_device_times.launches[TOC_DEVICE_KERNEL_locate] > 0);
    toc_device_times = (toc_device_clock){.now = no_time};
    assert_ok(toc_scene_find_safe_step(t.at[1], &query, &fraction));
    assert_true(0 < fraction && fraction < 1);
    assert_true(toc_device_times.launches[TOC_DEVICE_KERNEL_features] > 1); // the first contact, and pairs close to it
    toc_device_times = (toc_device_clock){.now = no_time};
    assert_ok(toc_scene_find_room_step(t.at[1], &query, &room, &step));
    assert_true(step.limited);
    assert_true(toc_device_times.launches[TOC_DEVICE_KERNEL_features] > 0);
    for (int time = TOC_NEAR_AT_START; time <= TOC_NEAR_IN_STEP; time++) {
        const toc_near_query asked = test_near((toc_near_time)time, 0.1);
        toc_near *near;
        toc_device_times = (toc_device_clock){.now = no_time};
        assert_ok(toc_scene_find_near(t.at[1], &query, &asked, NULL, &near));
        assert_true(near->count > 100);
        toc_near_destroy(near);
        assert_true(toc_device_times.launches[TOC_DEVICE_KERNEL_features] > 0);
        assert_int_equal(toc_device_times.launches[TOC_DEVICE_KERNEL_near_pair], time < TOC_NEAR_IN_STEP);
    }
    toc_device_times.now = NULL;
    assert_true(ask_all(&t, 0.02, 2) > 1000);
    free_twins(&t);
}

// From no memory to all: in parts, in smaller rooms, by the processor's search, or a sentence.
static void every_bit_of_memory_gives_the_same_bits(void **state) {
    (void)state;
    NEED_EMULATED();
    size_t answered = 0, refused = 0;
    for (size_t bytes = 1 << 10; bytes < 1 << 24; bytes += bytes / test_less(2u, 1u)) {
        test_random random = {11};
        const twins t = soups(&random, TOC_TRIANGLE, 30, 0.02);
        const toc_query query = query_of(1, 1);
        double fraction;
        thicken(&t, 0, 0.003);
        test_device_limit(bytes, TEST_ALL_CALLS);
        const toc_status status = toc_scene_find_safe_step(t.at[1], &query, &fraction);
        if (status == TOC_OK) {
            answered++;
            ask_safe_step(&t, 0, 1);
            ask_room(&t, 0, 0.02, 1);
            ask_contacts(&t, TOC_ANSWER_ALL, 0.02, 1);
            ask_near_times(&t, 0.02, 1);
        } else {
            refused++;
            assert_int_equal(answered, 0);
            assert_int_equal(status, TOC_OUT_OF_MEMORY);
            assert_non_null(strstr(toc_message_get(), "no room"));
        }
        free_twins(&t);
        assert_int_equal(toc_emulated.bytes_left, bytes); // all of it came back
    }
    test_device_restore();
    assert_true(answered > 3 && refused > 3);
}

// Lost at any call: the status says so, and the next question answers.
static void a_lost_device_is_told(void **state) {
    (void)state;
    NEED_EMULATED();
    test_random random = {12};
    const twins t = soups(&random, TOC_TRIANGLE, 30, 0.3);
    const toc_query query = query_of(1, 2);
    double fraction = -1;
    bool done = false;
    for (size_t calls = 0; !done; calls += 1 + calls / test_less(8u, 2u)) {
        test_device_limit((size_t)1 << 40, calls);
        const toc_status status = toc_scene_find_safe_step(t.at[1], &query, &fraction);
        done = status == TOC_OK;
        if (done) continue;
        assert_int_equal(status, TOC_NO_DEVICE);
        assert_non_null(strstr(toc_message_get(), "lost"));
        assert_true(fraction == -1);
    }
    test_device_restore();
    assert_true(ask_all(&t, 0.02, 1) > 10);
    free_twins(&t);
}

// The steps of one scene, with other thicknesses: those of an earlier step are not used.
static void a_scene_follows_its_steps(void **state) {
    (void)state;
    test_random random = {13}, randoms[] = {{9}, {9}};
    const twins t = soups(&random, TOC_TRIANGLE, 30, 0.3);
    for (int step = 0; step < 4; step++) {
        thicken(&t, 0.01 * step, step == 2 ? 0.02 : 0.03);
        for (int i = 0; i < 2; i++) test_step_body(t.at[i], 0, &randoms[i], 0.2);
        assert_true(ask_all(&t, 0.02, 1 + step) > 0);
    }
    free_twins(&t);
}

// Two triangles that meet, with a thickness: all questions.
static toc_status ask_triangles(const toc_allocator *allocator, void *user) {
    const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.3, 0.2, 1, 0.2, 0.3, 1};
    const toc_query query = query_of(1, 2);
    toc_scene *bodies;
    double *fraction = user;
    toc_room_step step;
    toc_status status = test_scene_of_triangles(allocator, x, &bodies);
    if (status != TOC_OK) return status;
    status = toc_scene_set_body_thickness(bodies, 0, 0.01);
    if (status == TOC_OK) status = toc_scene_find_safe_step(bodies, &query, fraction);
    if (status == TOC_OK) status = toc_scene_find_room_step(bodies, &query, NULL, &step);
    for (int time = TOC_NEAR_AT_START; time <= TOC_NEAR_IN_STEP && status == TOC_OK; time++) {
        const toc_near_query asked = test_near((toc_near_time)time, 0.2);
        toc_near *near = NULL;
        status = toc_scene_find_near(bodies, &query, &asked, NULL, &near);
        toc_near_destroy(near);
    }
    toc_scene_destroy(bodies);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    NEED_EMULATED();
    double fraction;
    assert_true(test_every_allocation(ask_triangles, &fraction) > 10);
}

// Each near pair is in doubt or not, behind a filter or not, in a result that is used again.
static void near_pairs_behind_filters(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t count = 0;
    for (int round = 0; round < test_less(8, 3); round++) {
        const twins t = soups(&random, round % 2 ? TOC_TRIANGLE : TOC_EDGE, 30, 0);
        for (int i = 0; i < 2 && round % 4 < 2; i++) assert_ok(toc_scene_set_self_contact(t.at[i], 0, false));
        const toc_near_query near = test_near(TOC_NEAR_AT_END, round % 3 ? 0.1 : 0);
        count += ask_near(&t, &near, 1 + round % 3);
        free_twins(&t);
    }
    assert_true(count > 100);
}

// Two layers on each other: each distance is at its limit, and exact arithmetic decides.
static void near_pairs_in_doubt(void **state) {
    (void)state;
    const twins t = {{test_scene_of(test_sheet_at(6, 0), test_sheet_at(6, 0.25)),
                      test_scene_of(test_sheet_at(6, 0), test_sheet_at(6, 0.25))}};
    const double distances[] = {0, 0.25, 0.5, 1e-300, 0.125};
    size_t count = 0;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) count += ask_near_times(&t, distances[i], 2);
    assert_true(count > 1000);
    free_twins(&t);
}

// Lengths whose products overflow or vanish are the processor's.
static void near_pairs_of_any_size(void **state) {
    (void)state;
    for (int exponent = -1040; exponent <= 1000; exponent += 255) {
        const double x[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.3, 0.125};
        double scaled[18];
        twins t;
        for (int k = 0; k < 18; k++) scaled[k] = ldexp(x[k], exponent);
        for (int i = 0; i < 2; i++) assert_ok(test_scene_of_triangles(NULL, scaled, &t.at[i]));
        assert_true(ask_near_times(&t, ldexp(0.25, exponent), 1) > 0);
        free_twins(&t);
    }
}

// Half of the vertices are all but one point: pairs of these are the processor's, and come between those of the device.
static void near_pairs_of_both_are_in_order(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const twins t = soups(&random, TOC_EDGE, 30, 0);
    for (int i = 0; i < 4; i++) {
        toc_mesh *mesh = toc_scene_edit_mesh(t.at[i / 2], (uint32_t)i % 2);
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        double *x = malloc(count * sizeof *x);
        assert_non_null(x);
        for (size_t k = 0; k < count; k++) x[k] = toc_mesh_get_x0(mesh)[k] * (k < count / 2 ? 1e-70 : 1);
        assert_ok(test_mesh_set_motion(mesh, x, x));
        free(x);
    }
    assert_true(ask_near_times(&t, 0.1, 2) > 100);
    free_twins(&t);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    const twins t = falling(2);
    toc_query query = query_of(1, 1);
    toc_near_query asked = test_near(TOC_NEAR_AT_START, NAN);
    toc_near *near = NULL;
    toc_room room = toc_room_default();
    toc_room_step step;
    assert_fails(toc_scene_find_near(t.at[1], &query, &asked, NULL, &near), TOC_BAD_INPUT, "nan");
    asked = test_near((toc_near_time)3, 0.1);
    assert_fails(toc_scene_find_near(t.at[1], &query, &asked, NULL, &near), TOC_BAD_INPUT, "time number 3");
    room.most = -1;
    assert_fails(toc_scene_find_room_step(t.at[1], &query, &room, &step), TOC_BAD_INPUT, "gap");
    query.device = (toc_device_choice)7;
    asked = test_near(TOC_NEAR_AT_START, 0.1);
    assert_fails(toc_scene_find_near(t.at[1], &query, &asked, NULL, &near), TOC_BAD_INPUT, "number 7");
    assert_null(near);
    free_twins(&t);
}

static int stop_at_once(void *user, double done) {
    (void)user, (void)done;
    return 1;
}

static void near_pairs_are_stopped(void **state) {
    (void)state;
    const twins t = falling(6);
    toc_query query = query_of(1, 2);
    const toc_near_query asked = test_near(TOC_NEAR_IN_STEP, 0.1);
    toc_near *near = NULL;
    query.progress = (toc_progress){stop_at_once, NULL};
    assert_int_equal(toc_scene_find_near(t.at[1], &query, &asked, NULL, &near), TOC_STOPPED);
    assert_null(near);
    free_twins(&t);
}

// A machine without a device says so.
static void without_a_device_the_question_says_why(void **state) {
    (void)state;
    NEED_EMULATED();
    const twins t = falling(2);
    const toc_query query = query_of(1, 1);
    const toc_near_query asked = test_near(TOC_NEAR_AT_START, 0.2);
    toc_near *near = NULL;
    double fraction;
    assert_int_equal(unsetenv("TOC_DEVICE"), 0);
    size_t count;
    if (toc_device_list(0, NULL, &count) != TOC_OK) {
        assert_fails(toc_scene_find_near(t.at[1], &query, &asked, NULL, &near), TOC_NO_DEVICE, "device");
        assert_fails(toc_scene_find_safe_step(t.at[1], &query, &fraction), TOC_NO_DEVICE, "device");
        assert_null(near);
    }
    assert_int_equal(setenv("TOC_DEVICE", "emulated", 1), 0);
    free_twins(&t);
}

// Elements of their own thickness: the device finds the pairs, the processor measures them.
static void elements_of_their_own_thickness(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    size_t count = 0;
    for (int round = 0; round < test_less(6, 2); round++) {
        const twins t = soups(&random, TOC_TRIANGLE, 30, 0.3);
        for (int i = 0; i < 2; i++) {
            toc_mesh *mesh = toc_scene_edit_mesh(t.at[i], 1);
            for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e += 3)
                assert_ok(toc_mesh_set_thickness(mesh, e, 0.01 * (1 + e % 4)));
        }
        count += ask_all(&t, 0.02, 1 + round % 3);
        free_twins(&t);
    }
    assert_true(count > 200);
}

int main(int count, char **arguments) {
    if (count > 1) cmocka_set_test_filter(arguments[1]); // a pattern of names
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_has_the_same_bits),
        cmocka_unit_test(soups_have_the_same_bits),
        cmocka_unit_test(the_device_is_asked),
        cmocka_unit_test(near_pairs_behind_filters),
        cmocka_unit_test(near_pairs_in_doubt),
        cmocka_unit_test(near_pairs_of_any_size),
        cmocka_unit_test(near_pairs_of_both_are_in_order),
        cmocka_unit_test(near_pairs_are_stopped),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(without_a_device_the_question_says_why),
        cmocka_unit_test(elements_of_their_own_thickness),
        cmocka_unit_test(every_bit_of_memory_gives_the_same_bits),
        cmocka_unit_test(a_lost_device_is_told),
        cmocka_unit_test(a_scene_follows_its_steps),
        cmocka_unit_test(every_allocation_may_fail),
    };
    if (setenv("TOC_DEVICE", "emulated", 0) != 0) return 1;
    is_real = strcmp(getenv("TOC_DEVICE"), "emulated") != 0;
    test_device_restore();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
