// SPDX-License-Identifier: Apache-2.0
// The safe step against rational numbers: free of contact, and as long as rounding allows.
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/oracle.h"
#include "support/queries.h"

static double safe_step_of(toc_scene *bodies, double separation) {
    toc_query query = toc_query_default();
    double fraction = -1;
    query.threads = 1;
    query.test.separation = separation;
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_true(0 <= fraction && fraction <= 1);
    return fraction;
}

static double largest_of(const toc_pair *pair) {
    double most = 0;
    for (int i = 0; i < 12; i++) most = fmax(most, fmax(fabs(pair->x0[i / 3][i % 3]), fabs(pair->x1[i / 3][i % 3])));
    return most;
}

static bool touches(toc_kind kind, const toc_pair *pair, double to) {
    test_truth truth;
    test_truth_init(&truth);
    test_oracle_find(kind, pair, 0, to, &truth);
    const bool result = truth.touches;
    test_truth_clear(&truth);
    return result;
}

// When the pair first comes within a distance, never late; 2 for never.
static double time_within(const test_query *q, double distance) {
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = TOC_METHOD_EXACT;
    test.separation = distance;
    assert_ok(toc_pair_find(q->kind, &q->pair, &test, &hit));
    return hit.verdict == TOC_APART ? 2 : hit.toc;
}

// Free on the true path and on that to the rounded positions, in rationals. Not shorter than up to the time at which
// the pair is within rounding of a contact. @return the fraction.
static double assert_safe(const test_query *q) {
    toc_scene *bodies = test_scene_of_pair(q->kind, &q->pair);
    const double fraction = safe_step_of(bodies, 0);
    toc_scene_destroy(bodies);
    if (!touches(q->kind, &q->pair, 1)) {
        assert_true(fraction == 1);
        return fraction;
    }
    toc_pair rounded = q->pair;
    toc_positions_interpolate(fraction, 12, q->pair.x0[0], q->pair.x1[0], NULL, rounded.x1[0]);
    if (touches(q->kind, &q->pair, 0)) {
        assert_true(fraction == 0);
        return fraction;
    }
    assert_false(touches(q->kind, &q->pair, fraction));
    assert_false(touches(q->kind, &rounded, 1));
    const double first = time_within(q, 0), rounding = 0x1p-48 * largest_of(&q->pair) + 0x1p-1072;
    assert_true(fraction >= time_within(q, rounding) - 0x1p-44 * first);
    return fraction;
}

static void pairs_of_every_family(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int shortened = 0;
    for (int family = 0; family < TEST_ALL_FAMILIES; family++)
        for (int round = 0; round < test_less(200, 20); round++) {
            const test_query q = test_query_make(&random, family);
            const double fraction = assert_safe(&q);
            shortened += 0 < fraction && fraction < 1;
        }
    assert_true(shortened > test_less(300, 30));
}

// A thousand units from the origin coordinates are 1e-13 apart. Features that move by 1e-3 meet at the end of the step;
// the safe step is all of it, less 1e-9 for rounding.
static void small_motions_far_from_the_origin(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int met = 0;
    for (int round = 0; round < test_less(400, 40); round++) {
        test_query q = {.kind = round % 2 ? TOC_EE : TOC_VF};
        for (int i = 0; i < 12; i++) {
            q.pair.x0[i / 3][i % 3] = 1000 + test_random_between(&random, -1e-3, 1e-3);
            q.pair.x1[i / 3][i % 3] = 1000 + test_random_between(&random, -1e-3, 1e-3);
        }
        const double fraction = assert_safe(&q), first = time_within(&q, 0);
        if (first > 1 || first == 0) continue;
        met++;
        assert_true(fraction >= time_within(&q, 0x1p-48 * 1001) - 0x1p-44);
    }
    assert_true(met > test_less(20, 1));
}

// A vertex that slides within the last bits of a face and touches it at the end: nothing before is within reach of
// rounding if the distance is eight times as much.
static void sliding_just_above_a_face(void **state) {
    (void)state;
    for (int bits = 0; bits < 8; bits++) {
        const double z = 1000 + ldexp(1000, -49 + bits);
        const test_query q = {TOC_VF,
                              {{{1000.2, 1000.2, z}, {1000, 1000, 1000}, {1001, 1000, 1000}, {1000, 1001, 1000}},
                               {{1000.3, 1000.3, 1000}, {1000, 1000, 1000}, {1001, 1000, 1000}, {1000, 1001, 1000}}}};
        const double fraction = assert_safe(&q);
        if (bits >= 3) assert_true(fraction > 0.5);
    }
}

// ---- scenes

static toc_contacts *find_with(toc_scene *bodies, toc_answer answer, double separation) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = "brute";
    query.answer = answer;
    query.test.separation = separation;
    query.threads = 1;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

static double first_time_within(toc_scene *bodies, double distance) {
    toc_contacts *contacts = find_with(bodies, TOC_ANSWER_FIRST, distance);
    const double time = contacts->count ? contacts->contacts[0].toc : 2;
    toc_contacts_destroy(contacts);
    return time;
}

// Move all bodies to where a fraction of the step takes them. @return the largest coordinate.
static double shorten_step(toc_scene *bodies, double fraction) {
    double most = 0;
    for (uint32_t b = 0; b < toc_scene_get_body_count(bodies); b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        double x0[300], x[300];
        assert_true(count <= 300);
        memcpy(x0, toc_mesh_get_x0(mesh), count * sizeof *x0);
        for (size_t i = 0; i < count; i++) most = fmax(most, fmax(fabs(x0[i]), fabs(toc_mesh_get_x1(mesh)[i])));
        toc_positions_interpolate(fraction, count, x0, toc_mesh_get_x1(mesh), NULL, x);
        assert_ok(test_mesh_set_motion(mesh, x0, x));
    }
    return most;
}

// Soups moved and scaled: size 1 at the origin, and 1e-3 a thousand units away.
static void soups_near_and_far(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    int shortened = 0;
    for (int round = 0; round < test_less(60, 12); round++) {
        const double separation = round % 3 == 2 ? (round % 2 ? 1e-6 : 1e-3) : 0;
        toc_scene *bodies = test_scene_of_soups(&random, round % 4 < 2 ? TOC_TRIANGLE : TOC_TET, 3, 12, 0.3);
        for (uint32_t b = 0; b < 2; b++) {
            toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
            const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
            double x0[300], x1[300];
            for (size_t i = 0; i < count; i++) {
                const double apart = b == 1 && i % 3 == 0 ? 1 : 0;
                x0[i] = toc_mesh_get_x0(mesh)[i] + apart, x1[i] = toc_mesh_get_x1(mesh)[i];
                if (round % 2) x0[i] = 1000 + 1e-3 * x0[i], x1[i] = 1000 + 1e-3 * x1[i];
            }
            assert_ok(test_mesh_set_motion(mesh, x0, x1));
            assert_ok(toc_scene_set_self_contact(bodies, b, false));
        }
        const double first = first_time_within(bodies, separation), fraction = safe_step_of(bodies, separation);
        if (first > 1 || first == 0) {
            assert_true(fraction == (first == 0 ? 0 : 1));
        } else {
            const double most = round % 2 ? 1002 : 3;
            const double within = first_time_within(bodies, separation + 0x1p-48 * most);
            assert_true(fraction <= first * (1 + 0x1p-28));
            assert_true(fraction >= within - 0x1p-44 * first);
            shorten_step(bodies, fraction);
            assert_true(first_time_within(bodies, separation) == 2);
            shortened++;
        }
        toc_scene_destroy(bodies);
    }
    assert_true(shortened > test_less(20, 3));
}

static int stop_at_once(void *user, double done) {
    (void)done;
    ++*(int *)user;
    return 1;
}

static void progress_can_stop_it(void **state) {
    (void)state;
    toc_scene *bodies;
    toc_query query = toc_query_default();
    int calls = 0;
    double fraction = 7;
    assert_ok(toc_scene_create(NULL, &bodies));
    for (int i = 0; i < 2; i++) assert_ok(toc_scene_add_body(bodies, test_sheet_at(4, 0), NULL));
    query.progress = (toc_progress){stop_at_once, &calls};
    assert_fails(toc_scene_find_safe_step(bodies, &query, &fraction), TOC_STOPPED, "stopped");
    assert_true(fraction == 7 && calls > 0);
    toc_scene_destroy(bodies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_every_family),     cmocka_unit_test(small_motions_far_from_the_origin),
        cmocka_unit_test(sliding_just_above_a_face), cmocka_unit_test(soups_near_and_far),
        cmocka_unit_test(progress_can_stop_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
