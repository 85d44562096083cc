// SPDX-License-Identifier: Apache-2.0
// Thickness of bodies and shells: contacts, the safe step and near pairs against every pair with its own thickness.
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/every_pair.h"

static const double of_body = 0.03;

static void thicken_some(toc_scene *bodies, test_random *random) {
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
        for (uint32_t e = b; e < toc_mesh_get_element_count(mesh); e += 2)
            assert_ok(toc_mesh_set_thickness(mesh, e, test_random_between(random, 0, 0.1)));
    }
}

typedef struct thick_truth {
    const toc_contacts *got;
    double separation;
    size_t at;
} thick_truth;

// The answer has the pair next exactly if it comes within its own distance.
static void assert_listed(void *user, const test_feature_pair *pair) {
    thick_truth *t = user;
    const toc_contact *c = t->at < t->got->count ? &t->got->contacts[t->at] : NULL;
    const bool there = c && c->kind == pair->kind && memcmp(c->body, pair->body, sizeof c->body) == 0 &&
                       memcmp(c->v, pair->v, sizeof c->v) == 0;
    toc_pair_test test = toc_pair_test_default();
    toc_hit hit;
    test.method = TOC_METHOD_EXACT;
    test.separation = t->separation + pair->thickness;
    assert_ok(toc_pair_find(pair->kind, &pair->motion, &test, &hit));
    assert_int_equal(there, hit.verdict == TOC_HIT);
    if (there) assert_double_near(c->toc, hit.toc, 1e-8);
    t->at += there;
}

static toc_contacts *find_thick(toc_scene *bodies, const char *preset, toc_answer answer, double separation,
                                int threads) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.answer = answer;
    query.threads = threads;
    query.test.method = TOC_METHOD_CERTIFIED;
    query.test.separation = separation;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

static void assert_presets_agree(toc_scene *bodies, const toc_contacts *truth, double separation) {
    const char *const presets[] = {"auto", "auto", "brute", "bvh", "voxel-safe", "local", "volccd"};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        toc_contacts *got = find_thick(bodies, presets[i], TOC_ANSWER_ALL, separation, 1 + (int)i);
        test_assert_same_pairs(got, truth);
        toc_contacts *first = find_thick(bodies, presets[i], TOC_ANSWER_FIRST, separation, 2);
        assert_int_equal(first->count, truth->count > 0);
        if (first->count) assert_double_same(first->contacts->toc, toc_contacts_find_first(truth)->toc);
        toc_contacts_destroy(first);
        toc_contacts_destroy(got);
    }
}

static void contacts_of_thick_soups(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_shape shapes[] = {TOC_TRIANGLE, TOC_QUAD, TOC_EDGE, TOC_TET};
    size_t found = 0;
    for (int round = 0; round < test_less(8, 4); round++) {
        const double separation = round % 3 == 0 ? 0.01 : 0;
        toc_scene *bodies = test_scene_of_soups(&random, shapes[round % 4], 6, 16, 0.2);
        thicken_some(bodies, &random);
        toc_contacts *truth = find_thick(bodies, "brute", TOC_ANSWER_ALL, separation, 1);
        thick_truth t = {truth, separation, 0};
        test_every_pair(bodies, assert_listed, &t);
        assert_int_equal(t.at, truth->count);
        assert_presets_agree(bodies, truth, separation);
        found += truth->count;
        toc_contacts_destroy(truth);
        toc_scene_destroy(bodies);
    }
    assert_true(found > 100);
}

static void threads_do_not_change_the_answer(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 40, 90, 0.2);
    thicken_some(bodies, &random);
    toc_contacts *one = find_thick(bodies, "bvh", TOC_ANSWER_ALL, 0, 1);
    for (int threads = 2; threads <= 8; threads++) {
        toc_contacts *same = find_thick(bodies, "bvh", TOC_ANSWER_ALL, 0, threads);
        assert_int_equal(one->count, same->count);
        assert_memory_equal(one->contacts, same->contacts, one->count * sizeof *one->contacts);
        toc_contacts_destroy(same);
    }
    toc_contacts_destroy(one);
    toc_scene_destroy(bodies);
}

// Two parallel sheets, 1 apart at the start, `end` at the end.
static toc_scene *sheets_apart(double end) {
    toc_scene *bodies = test_scene_of(test_sheet_at(2, 0), test_sheet_at(2, 0.1));
    toc_mesh *high = toc_scene_edit_mesh(bodies, 1);
    double x0[27], x1[27];
    assert_int_equal(toc_mesh_get_vertex_count(high), 9);
    memcpy(x0, toc_mesh_get_x0(high), sizeof x0);
    memcpy(x1, x0, sizeof x1);
    for (int i = 2; i < 27; i += 3) x0[i] = 1, x1[i] = end;
    assert_ok(test_mesh_set_motion(high, x0, x1));
    for (uint32_t b = 0; b < 2; b++) assert_ok(toc_scene_set_self_contact(bodies, b, false));
    return bodies;
}

// Shells 0.2 thick that come within 0.05 of each other touch; thin ones do not.
static void shells_touch_by_their_thickness(void **state) {
    (void)state;
    toc_scene *bodies = sheets_apart(0.05);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    double fraction;
    for (uint32_t b = 0; b < 2; b++)
        for (uint32_t e = 0; e < toc_mesh_get_element_count(toc_scene_get_mesh(bodies, b)); e++)
            assert_ok(toc_mesh_set_thickness(toc_scene_edit_mesh(bodies, b), e, 0.2));
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_true(contacts->count > 0);
    assert_double_near(toc_contacts_find_first(contacts)->toc, 0.8 / 0.95, 1e-9);
    toc_contacts_destroy(contacts);
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_double_near(fraction, 0.8 / 0.95, 1e-9);
    query.thin = true;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_double_same(fraction, 1);
    toc_scene_destroy(bodies);
}

// The thickness of a body counts as that of its elements does; the separation is added to it.
static void bodies_and_separation_add_up(void **state) {
    (void)state;
    toc_scene *bodies = sheets_apart(0);
    toc_query query = toc_query_default();
    double fraction;
    assert_ok(toc_scene_set_body_thickness(bodies, 0, 0.25));
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_double_near(fraction, 0.875, 1e-9);
    query.test.separation = 0.125;
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_double_near(fraction, 0.75, 1e-9);
    assert_ok(toc_scene_set_body_thickness(bodies, 1, 0.5));
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_double_near(fraction, 0.5, 1e-9);
    toc_scene_destroy(bodies);
}

static void accelerated_shells(void **state) {
    (void)state;
    toc_scene *bodies = sheets_apart(1);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    double acceleration[27] = {0};
    for (int i = 2; i < 27; i += 3) acceleration[i] = 6.4; // down by 0.8 in the middle of the step
    assert_ok(test_mesh_accelerate(toc_scene_edit_mesh(bodies, 1), acceleration));
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    assert_ok(toc_scene_set_body_thickness(bodies, 0, 0.5));
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_true(contacts->count > 0);
    assert_double_near(toc_contacts_find_first(contacts)->toc, 0.5 - sqrt(0.25 - 0.75 / 3.2), 1e-6);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
}

// The cubic looks at distances, too: at both ends, and where the features are in one plane.
static void the_cubic_takes_a_thickness(void **state) {
    (void)state;
    toc_scene *bodies = sheets_apart(0.01);
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = "rtri";
    assert_ok(toc_scene_set_body_thickness(bodies, 0, of_body));
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_true(contacts->count > 0);
    toc_contacts_destroy(contacts);
    query.thin = true;
    query.test.tolerance = 1e-6;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_int_equal(contacts->count, 0);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
}

static toc_status ask_thick(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies;
    const toc_query query = toc_query_default();
    toc_contacts *contacts = NULL;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, .1, 1, 0, .1, 0, 1, .1};
    toc_status status = test_scene_of_triangles(allocator, x, &bodies);
    if (status != TOC_OK) return status;
    status = toc_mesh_set_thickness(toc_scene_edit_mesh(bodies, 0), 0, 0.3);
    if (status == TOC_OK) status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
    if (status == TOC_OK) assert_true(contacts->count > 0);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    test_every_allocation(ask_thick, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_of_thick_soups),
        cmocka_unit_test(threads_do_not_change_the_answer),
        cmocka_unit_test(shells_touch_by_their_thickness),
        cmocka_unit_test(bodies_and_separation_add_up),
        cmocka_unit_test(accelerated_shells),
        cmocka_unit_test(the_cubic_takes_a_thickness),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
