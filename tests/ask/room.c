// SPDX-License-Identifier: Apache-2.0
// The step that leaves room: distances of every pair on the way, and how long the step is.
#include <math.h>
#include <string.h>

#include "pair/distance.h"
#include "support/answers.h"
#include "support/every_pair.h"
#include "support/queries.h"

static double distance_at(toc_kind kind, const toc_pair *pair, double time) {
    toc_pair at = *pair;
    toc_distance found;
    toc_positions_interpolate(time, 12, pair->x0[0], pair->x1[0], NULL, at.x0[0]);
    assert_ok(toc_distance_find(kind, at.x0[0], &found));
    return found.distance;
}

static double extent_of(const toc_pair *pair) {
    double most = 0;
    for (int i = 0; i < 12; i++) {
        most = fmax(most, fabs(pair->x0[i / 3][i % 3] - pair->x0[0][i % 3]));
        most = fmax(most, fabs(pair->x1[i / 3][i % 3] - pair->x1[0][i % 3]));
    }
    return most;
}

// When the pair first comes within a distance, in exact arithmetic; 2 for never.
static double time_within(toc_kind kind, const toc_pair *pair, double distance) {
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = TOC_METHOD_EXACT;
    test.separation = distance;
    assert_ok(toc_pair_find(kind, pair, &test, &hit));
    return hit.verdict == TOC_APART ? 2 : hit.toc;
}

static bool touches(toc_kind kind, const toc_pair *pair) { return time_within(kind, pair, 0) <= 1; }

// The distance that the documentation promises, from the distance at the start.
static double promised(double start, double minimum, const toc_room *room) {
    double floor = minimum;
    while (floor > 0 && !(start > floor * (1 - 0x1p-10))) floor /= 2;
    if (start <= floor) return start * (1 - 0x1p-40);
    if (start <= minimum) return fmax(start * (1 - 0x1p-10), floor + room->share * (start - floor));
    return minimum + fmin(room->share * (start - minimum), room->most);
}

// @return the fraction.
static double assert_room(toc_kind kind, const toc_pair *pair, double minimum, const toc_room *room) {
    toc_scene *bodies = test_scene_of_pair(kind, pair);
    toc_query query = toc_query_default();
    toc_room_step step;
    query.threads = 1;
    query.test.separation = minimum;
    assert_ok(toc_scene_find_room_step(bodies, &query, room, &step));
    toc_scene_destroy(bodies);
    const double start = distance_at(kind, pair, 0), slack = 0x1p-35 * extent_of(pair);
    const double kept = promised(start, minimum, room);
    assert_true(0 <= step.fraction && step.fraction <= 1);
    toc_pair rounded = *pair;
    toc_positions_interpolate(step.fraction, 12, pair->x0[0], pair->x1[0], NULL, rounded.x1[0]);
    if (time_within(kind, pair, 0) > 0 && step.fraction > 0) assert_false(touches(kind, &rounded));
    if (start <= slack) return step.fraction;
    for (int i = 0; i <= 32; i++) assert_true(distance_at(kind, pair, step.fraction * i / 32) >= kept - slack);
    if (step.fraction < 1 && start > slack) {
        assert_true(step.limited);
        assert_double_near(step.kept, kept, slack);
        assert_true(step.fraction >= fmin(1, time_within(kind, pair, step.kept)) * (1 - 1e-8));
    }
    if (time_within(kind, pair, kept + slack) > 1) assert_true(step.fraction == 1);
    return step.fraction;
}

static void pairs_of_every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int shortened = 0;
    for (int family = 0; family < TEST_ALL_FAMILIES; family++)
        for (int round = 0; round < test_less(60, 10); round++) {
            const test_query q = test_query_make(&random, family);
            const double extent = extent_of(&q.pair);
            toc_room room = toc_room_default();
            room.share = test_random_between(&random, 0.01, 0.99);
            room.most = fmax(extent * pow(2, test_random_between(&random, -12, 2)), 0x1p-1060);
            const double minimum = round % 2 ? 0 : extent * pow(2, test_random_between(&random, -20, 0));
            const double fraction = assert_room(q.kind, &q.pair, minimum, &room);
            shortened += 0 < fraction && fraction < 1;
        }
    assert_true(shortened > test_less(100, 15));
}

static toc_pair falling(double from, double to) {
    return (toc_pair){{{0.2, 0.2, from}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                      {{0.2, 0.2, to}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
}

// Pushed at a triangle again and again, a vertex loses four fifths of its gap each time and never arrives.
static void a_vertex_that_is_pushed_again_and_again(void **state) {
    (void)state;
    const double minimums[] = {0, 0.01};
    for (int m = 0; m < 2; m++) {
        double z = 1;
        for (int step = 0; step < 12; step++) {
            const toc_pair pair = falling(z, -1);
            const toc_room room = {.size = sizeof room, .share = 0.2, .most = 10};
            const double fraction = assert_room(TOC_VF, &pair, minimums[m], &room);
            const double next = z + fraction * (-1 - z);
            assert_double_near(next, minimums[m] + 0.2 * (z - minimums[m]), 1e-8 * z + 1e-14);
            z = next;
        }
        assert_true(z > minimums[m]);
    }
}

// Rounding takes a vertex that is pushed at its minimum distance below it. It must not lose a share of its distance
// there in every step. A vertex that starts within the minimum distance loses half of its distance at most.
static void a_push_of_a_thousand_steps(void **state) {
    (void)state;
    const toc_room room = {.size = sizeof room, .share = 0.1, .most = 10};
    const double starts[] = {1, 0.0099}, least[] = {0.01 * (1 - 1e-6), 0.005 * (1 - 1e-6)};
    for (int i = 0; i < 2; i++) {
        toc_pair pair = falling(starts[i], -1);
        toc_scene *bodies = test_scene_of_pair(TOC_VF, &pair);
        toc_query query = toc_query_default();
        toc_room_step step = {.fraction = 0};
        query.threads = 1;
        query.test.separation = 0.01;
        double x[3] = {0.2, 0.2, starts[i]};
        for (int n = 0; n < 1500; n++) {
            const double to[3] = {0.2 + (n % 2 ? 0.01 : -0.01), 0.2, n % 50 == 49 ? 0.0101 : -0.1};
            assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(bodies, 0), x, to));
            assert_ok(toc_scene_find_room_step(bodies, &query, &room, &step));
            assert_true(step.fraction > 0);
            toc_positions_interpolate(step.fraction, 3, x, to, NULL, x);
            assert_true(x[2] >= least[i]);
        }
        toc_scene_destroy(bodies);
    }
}

// Nearer than the minimum distance: leaving and sliding are free, coming nearer is not, and nothing is stuck at 0.
static void starts_within_the_minimum_distance(void **state) {
    (void)state;
    const toc_room room = {.size = sizeof room, .share = 0.2, .most = 1};
    const toc_pair leaving = falling(0.01, 1), nearing = falling(0.01, -1);
    toc_pair sliding = falling(0.01, 0.01);
    sliding.x1[0][0] = 0.5;
    assert_double_same(assert_room(TOC_VF, &leaving, 0.1, &room), 1);
    assert_double_same(assert_room(TOC_VF, &sliding, 0.1, &room), 1);
    const double fraction = assert_room(TOC_VF, &nearing, 0.1, &room);
    assert_double_near(fraction, 0.01 * 0x1p-10 / 1.01, 1e-9);
}

// Far pairs keep `most` and no more: a long way towards each other is not shortened by a share of it.
static void far_pairs_keep_no_more_than_the_largest_gap(void **state) {
    (void)state;
    const toc_room room = {.size = sizeof room, .share = 0.2, .most = 0.01};
    const toc_pair near_miss = falling(10, 0.011), hit = falling(10, -10);
    assert_double_same(assert_room(TOC_VF, &near_miss, 0, &room), 1);
    assert_double_near(assert_room(TOC_VF, &hit, 0, &room), 9.99 / 20, 1e-9);
}

// Resting on a face and pulled away: free. Through the face, as there is no side yet: free as well. Along it: stuck.
static void leaving_a_contact(void **state) {
    (void)state;
    const toc_query query = toc_query_default();
    for (int end = -1; end <= 1; end++) {
        const toc_pair pair = falling(0, end);
        toc_scene *bodies = test_scene_of_pair(TOC_VF, &pair);
        toc_room_step step;
        assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &step));
        assert_double_same(step.fraction, end == 0 ? 0 : 1);
        toc_scene_destroy(bodies);
    }
}

static void touching_at_the_start_is_named(void **state) {
    (void)state;
    toc_pair pair = falling(0, 0);
    pair.x1[0][0] = 0.3;
    toc_scene *bodies = test_scene_of_pair(TOC_VF, &pair);
    const toc_query query = toc_query_default();
    toc_room_step step;
    assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &step));
    assert_true(step.fraction == 0 && step.limited && step.kind == TOC_VF && step.start == 0);
    assert_true(step.body[0] == 0 && step.body[1] == 1 && step.v[3] == 2);
    toc_scene_destroy(bodies);
}

// ---- scenes

typedef struct room_truth {
    double fraction, minimum;
    toc_room room;
    bool limited; // whether a pair does limit it
} room_truth;

static void assert_pair_keeps(void *user, const test_feature_pair *pair) {
    room_truth *t = user;
    const double minimum = t->minimum + pair->thickness, start = distance_at(pair->kind, &pair->motion, 0);
    const double kept = promised(start, minimum, &t->room);
    for (int i = 0; i <= 8; i++)
        assert_true(distance_at(pair->kind, &pair->motion, t->fraction * i / 8) >= kept - 1e-11);
    if (time_within(pair->kind, &pair->motion, kept + 1e-11) <= t->fraction * (1 + 1e-8)) t->limited = true;
}

static toc_scene *sheets_moving(test_random *random, uint32_t cells) {
    toc_mesh *meshes[2];
    for (int b = 0; b < 2; b++) {
        meshes[b] = test_grid_sheet(TOC_TRIANGLE, cells, cells);
        const size_t count = 3 * toc_mesh_get_vertex_count(meshes[b]);
        double x0[3 * 256], x1[3 * 256];
        assert_true(count <= 3 * 256);
        for (size_t i = 0; i < count; i++) {
            x0[i] = toc_mesh_get_x0(meshes[b])[i] + test_random_between(random, -0.1, 0.1) + (i % 3 == 2 ? b : 0);
            x1[i] = x0[i] + test_random_between(random, -0.2, 0.2) + (i % 3 == 2 ? 1 - 2 * b : 0);
        }
        assert_ok(test_mesh_set_motion(meshes[b], x0, x1));
    }
    return test_scene_of(meshes[0], meshes[1]);
}

static void every_pair_of_a_scene_keeps_its_distance(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < test_less(8, 3); round++) {
        toc_scene *bodies = sheets_moving(&random, 3);
        toc_query query = toc_query_default();
        room_truth t = {.minimum = round % 2 ? 0.02 : 0, .room = toc_room_default()};
        toc_room_step step;
        t.room.most = 0.3;
        query.test.separation = t.minimum;
        if (round % 3 == 0) assert_ok(toc_mesh_set_thickness(toc_scene_edit_mesh(bodies, 0), 1, 0.2));
        assert_ok(toc_scene_find_room_step(bodies, &query, &t.room, &step));
        assert_true(0 < step.fraction && step.fraction < 1);
        t.fraction = step.fraction;
        test_every_pair(bodies, assert_pair_keeps, &t);
        assert_true(t.limited);
        toc_scene_destroy(bodies);
    }
}

// A lattice of the least subnormal numbers: the start is rounded down there, too.
static void the_least_numbers_are_rounded_down(void **state) {
    (void)state;
    test_random random = test_random_make(6);
    const toc_query query = toc_query_default();
    int limited = 0;
    for (int round = 0; round < test_less(200, 60); round++) {
        const toc_kind kind = round % 2 ? TOC_EE : TOC_VF;
        toc_room_step step;
        toc_pair pair;
        for (int k = 0; k < 24; k++)
            (k < 12 ? pair.x0 : pair.x1)[k / 3 % 4][k % 3] = ldexp((double)test_random_below(&random, 81) - 40, -1074);
        toc_scene *bodies = test_scene_of_pair(kind, &pair);
        assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &step));
        toc_scene_destroy(bodies);
        if (!step.limited || step.start == 0) continue;
        memcpy(pair.x1, pair.x0, sizeof pair.x1);
        assert_true(time_within(kind, &pair, nextafter(step.start, 0)) > 1);
        limited++;
    }
    assert_true(limited >= test_less(10, 3));
}

static void threads_do_not_change_the_answer(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = sheets_moving(&random, 14);
    toc_room_step one, same;
    toc_query query = toc_query_default();
    memset(&one, 0, sizeof one);
    memset(&same, 0, sizeof same);
    query.threads = 1;
    assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &one));
    for (query.threads = 2; query.threads <= 8; query.threads++) {
        assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &same));
        assert_memory_equal(&one, &same, sizeof one);
    }
    toc_scene_destroy(bodies);
}

// A vertex thrown down: from 1 to 1 in a step, with 0.8 of a fall in between.
static void accelerated_paths(void **state) {
    (void)state;
    const toc_pair pair = falling(1, 1);
    toc_scene *bodies = test_scene_of_pair(TOC_VF, &pair);
    toc_query query = toc_query_default();
    const toc_room room = {.size = sizeof room, .share = 0.5, .most = 1};
    double acceleration[3] = {0, 0, 6.4}, x[3];
    toc_room_step step;
    assert_ok(test_mesh_accelerate(toc_scene_edit_mesh(bodies, 0), acceleration));
    assert_ok(toc_scene_find_room_step(bodies, &query, &room, &step));
    toc_positions_interpolate(step.fraction, 3, pair.x0[0], pair.x1[0], acceleration, x);
    assert_true(x[2] >= 0.5 - 1e-12);
    assert_double_near(x[2], 0.5, 1e-6);
    query.test.separation = 0.15;
    assert_ok(toc_scene_find_room_step(bodies, &query, &room, &step));
    toc_positions_interpolate(step.fraction, 3, pair.x0[0], pair.x1[0], acceleration, x);
    assert_double_near(x[2], 0.15 + 0.5 * 0.85, 1e-6);
    toc_scene_destroy(bodies);
}

// When two features on parabolas first come within a distance, in exact arithmetic; 2 for never.
static double time_within_curved(toc_kind kind, const toc_quadratic_pair *pair, double distance) {
    toc_touches touches;
    assert_ok(toc_quadratic_find_touches(kind, pair, distance, &touches));
    return touches.count ? touches.at[0].enter : 2;
}

// @return the fraction.
static double assert_curved_room(toc_kind kind, const toc_pair *pair, const double acceleration[12],
                                 const toc_room *room) {
    toc_scene *bodies = test_scene_of_pair(kind, pair);
    const int second = kind == TOC_VF ? 1 : 2;
    toc_query query = toc_query_default();
    toc_quadratic_pair path;
    toc_room_step step;
    query.threads = 1;
    assert_ok(test_mesh_accelerate(toc_scene_edit_mesh(bodies, 0), acceleration));
    assert_ok(test_mesh_accelerate(toc_scene_edit_mesh(bodies, 1), acceleration + 3 * second));
    memcpy(path.x0, pair->x0, sizeof path.x0);
    memcpy(path.x1, pair->x1, sizeof path.x1);
    toc_path_find_control(4, pair->x0[0], pair->x1[0], acceleration, path.control[0]);
    assert_ok(toc_scene_find_room_step(bodies, &query, room, &step));
    toc_scene_destroy(bodies);
    const double exact = time_within_curved(kind, &path, step.limited ? step.kept : 0);
    if (!step.limited) assert_true((exact == 2 || exact == 0) && step.fraction == 1); // 0: it leaves at once
    if (!step.limited || step.kept == 0) return step.fraction;
    assert_true(step.fraction <= exact && step.fraction >= exact * (1 - 1e-9));
    return step.fraction;
}

// The fraction is neither later than the exact time of the pair that limits it, nor earlier by more than 1e-9 of it.
static void parabolas_of_every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int shortened = 0;
    for (int family = 0; family < TEST_TINY; family++)
        for (int round = 0; round < test_less(16, 2); round++) {
            const test_query q = test_query_make(&random, family);
            const double extent = extent_of(&q.pair);
            const toc_room room = {.size = sizeof room, .share = 0.5, .most = 0.1 * extent + 1e-9};
            double acceleration[12];
            for (int i = 0; i < 12; i++) acceleration[i] = extent * test_random_between(&random, -1, 1);
            const double fraction = assert_curved_room(q.kind, &q.pair, acceleration, &room);
            shortened += 0 < fraction && fraction < 1;
        }
    print_message("%d steps of parabolas are shortened\n", shortened);
    assert_true(shortened > test_less(10, 1));
}

// A vertex on a face that is thrown up and falls back: it may go half of the way. One that slides on the face may not.
static void touching_at_the_start_of_a_parabola(void **state) {
    (void)state;
    const toc_pair pairs[] = {falling(0, -0.5), falling(0, 0)};
    const double pull[][3] = {{0, 0, -4}, {0.5, 0, 0}}; // up at first: z = 1.5 t - 2 t^2
    for (int i = 0; i < 2; i++) {
        toc_scene *bodies = test_scene_of_pair(TOC_VF, &pairs[i]);
        toc_query query = toc_query_default();
        toc_room_step step;
        assert_ok(test_mesh_accelerate(toc_scene_edit_mesh(bodies, 0), pull[i]));
        assert_ok(toc_scene_find_room_step(bodies, &query, NULL, &step));
        assert_true(step.limited && step.start == 0);
        assert_double_near(step.fraction, i == 0 ? 0.375 : 0, 1e-12);
        toc_scene_destroy(bodies);
    }
}

static void settings_are_checked(void **state) {
    (void)state;
    const toc_pair pair = falling(1, -1);
    toc_scene *bodies = test_scene_of_pair(TOC_VF, &pair);
    toc_query query = toc_query_default();
    toc_room room = toc_room_default();
    toc_room_step step = {.fraction = 7};
    assert_fails(toc_room_init(NULL, sizeof room), TOC_BAD_INPUT, "NULL");
    assert_fails(toc_scene_find_room_step(NULL, &query, &room, &step), TOC_BAD_INPUT, "scene is NULL");
    assert_fails(toc_scene_find_room_step(bodies, &query, &room, NULL), TOC_BAD_INPUT, "out is NULL");
    room.share = 1;
    assert_fails(toc_scene_find_room_step(bodies, &query, &room, &step), TOC_BAD_INPUT, "share");
    room.share = NAN;
    assert_fails(toc_scene_find_room_step(bodies, &query, &room, &step), TOC_BAD_INPUT, "share");
    room.share = 0.5;
    room.most = -1;
    assert_fails(toc_scene_find_room_step(bodies, &query, &room, &step), TOC_BAD_INPUT, "gap to keep");
    room.size = 3;
    assert_fails(toc_scene_find_room_step(bodies, &query, &room, &step), TOC_BAD_INPUT, "toc_room_init");
    query.test.separation = -1;
    assert_fails(toc_scene_find_room_step(bodies, &query, NULL, &step), TOC_BAD_INPUT, "separation");
    assert_true(step.fraction == 7);
    toc_scene_destroy(bodies);
}

static toc_status ask_for_room(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies;
    toc_mesh *mesh;
    const toc_query query = toc_query_default();
    toc_room_step step;
    const double x0[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, .1, 1, 0, .1, 0, 1, .1};
    const double x1[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -.1, 1, 0, -.1, 0, 1, -.1};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status != TOC_OK) return status;
    status = toc_mesh_create(allocator, &mesh);
    if (status == TOC_OK) {
        status = toc_mesh_add_vertices(mesh, 6, x0, NULL);
        if (status == TOC_OK) status = toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, corners, NULL);
        if (status == TOC_OK) status = test_mesh_set_motion(mesh, x0, x1);
        if (status == TOC_OK) status = toc_scene_add_body(bodies, mesh, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK) status = toc_scene_find_room_step(bodies, &query, NULL, &step);
    if (status == TOC_OK) assert_true(step.limited && step.fraction > 0.4);
    toc_scene_destroy(bodies);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    test_every_allocation(ask_for_room, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_every_family),
        cmocka_unit_test(a_vertex_that_is_pushed_again_and_again),
        cmocka_unit_test(a_push_of_a_thousand_steps),
        cmocka_unit_test(starts_within_the_minimum_distance),
        cmocka_unit_test(far_pairs_keep_no_more_than_the_largest_gap),
        cmocka_unit_test(leaving_a_contact),
        cmocka_unit_test(touching_at_the_start_is_named),
        cmocka_unit_test(every_pair_of_a_scene_keeps_its_distance),
        cmocka_unit_test(the_least_numbers_are_rounded_down),
        cmocka_unit_test(threads_do_not_change_the_answer),
        cmocka_unit_test(accelerated_paths),
        cmocka_unit_test(parabolas_of_every_family),
        cmocka_unit_test(touching_at_the_start_of_a_parabola),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
