// SPDX-License-Identifier: Apache-2.0
// Contacts boiled down, and the largest step without any.
#include <math.h>
#include <string.h>

#include "support/grid.h"
#include "support/test.h"

enum { BODIES = 4, VERTICES = 30 };

static toc_scene *scene_of_soups(test_random *random, double motion) {
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    for (int i = 0; i < BODIES - 1; i++) { // and one that touches nothing
        toc_mesh *mesh = test_soup(random, TOC_TRIANGLE, 8, VERTICES);
        test_shake(mesh, random, 0, motion);
        assert_ok(toc_scene_add_body(bodies, mesh, NULL));
    }
    toc_mesh *empty;
    assert_ok(toc_mesh_create(NULL, &empty));
    assert_ok(toc_scene_add_body(bodies, empty, NULL));
    return bodies;
}

static double earliest(const toc_contacts *contacts, int64_t vertex, uint32_t a, uint32_t b) {
    double time = INFINITY;
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        bool counts = a == b || (c->body[0] == a && c->body[1] == b) || (c->body[0] == b && c->body[1] == a);
        if (vertex >= 0) {
            counts = false;
            for (int k = 0; k < 4; k++)
                counts = counts || (c->v[k] == vertex && c->body[k >= (c->kind == TOC_VF ? 1 : 2)] == a);
        }
        if (counts && c->toc < time) time = c->toc;
    }
    return time;
}

// Whether an element has all vertices of a feature.
static bool has_feature(const toc_element *element, const uint32_t *v, int count) {
    for (int i = 0; i < count; i++) {
        bool found = false;
        for (int k = 0; k < element->corner_count; k++) found = found || element->corners[k] == v[i];
        if (!found) return false;
    }
    return true;
}

static double earliest_of_element(const toc_contacts *contacts, uint32_t body, const toc_element *element) {
    double time = INFINITY;
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        const int second = c->kind == TOC_VF ? 1 : 2;
        const bool touches = (c->body[0] == body && has_feature(element, c->v, second)) ||
                             (c->body[1] == body && has_feature(element, c->v + second, 4 - second));
        if (touches) time = fmin(time, c->toc);
    }
    return time;
}

// Triangles and tets that share vertices: a shared feature counts for all elements around it.
static void times_of_elements(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const toc_shape shapes[] = {TOC_TRIANGLE, TOC_TET};
    for (int round = 0; round < 4; round++) {
        toc_mesh *mesh = test_soup(&random, shapes[round % 2], 40, VERTICES);
        test_shake(mesh, &random, 0, 0.3);
        toc_scene *bodies = test_scene_of(mesh, NULL);
        const toc_query query = toc_query_default();
        toc_contacts *contacts;
        toc_features *features;
        double times[40];
        assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
        assert_ok(toc_mesh_find_features(mesh, &features));
        toc_contacts_find_times(contacts, 0, features, 40, times);
        for (uint32_t e = 0; e < 40; e++) {
            const toc_element element = toc_mesh_get_element(mesh, e);
            assert_true(times[e] == earliest_of_element(contacts, 0, &element));
        }
        toc_features_destroy(features);
        toc_contacts_destroy(contacts);
        toc_scene_destroy(bodies);
    }
}

static void times_of_vertices_and_pairs_of_bodies(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = scene_of_soups(&random, 0.5);
    const toc_query query = toc_query_default();
    toc_contacts *contacts;
    toc_body_pair pairs[4000];
    double times[VERTICES];
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    assert_true(contacts->count > 100 && contacts->count < 4000);
    const size_t count = toc_contacts_find_body_pairs(contacts, pairs);
    size_t at = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        toc_contacts_find_times(contacts, a, NULL, VERTICES, times);
        for (uint32_t v = 0; v < VERTICES; v++) assert_true(times[v] == earliest(contacts, v, a, a));
        for (uint32_t b = a + 1; b < BODIES; b++) {
            while (at < count && pairs[at].body[1] <= pairs[at].body[0]) at++; // with itself
            const double time = earliest(contacts, -1, a, b);
            if (isinf(time)) continue;
            assert_true(at < count && pairs[at].body[0] == a && pairs[at].body[1] == b);
            assert_true(pairs[at++].toc == time);
        }
    }
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) least = fmin(least, pairs[i].toc);
    assert_true(toc_contacts_find_first(contacts)->toc == least);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(bodies);
}

static void no_contacts_at_all(void **state) {
    (void)state;
    const toc_contacts none = {0};
    double time = 0;
    toc_body_pair pair;
    toc_contacts_find_times(&none, 0, NULL, 1, &time);
    assert_true(isinf(time));
    assert_int_equal(toc_contacts_find_body_pairs(&none, &pair), 0);
}

// A sheet that falls onto another with some noise, far from the origin, so that positions round.
static toc_scene *falling(test_random *random, double far, double fall) {
    toc_scene *bodies;
    assert_ok(toc_scene_create(NULL, &bodies));
    for (int i = 0; i < 2; i++) {
        toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 4, 4);
        double x0[75], x1[75];
        for (int j = 0; j < 75; j++) {
            x0[j] = toc_mesh_get_x0(sheet)[j] + far + (j % 3 == 2 ? i : 0) + test_random_between(random, -0.1, 0.1);
            x1[j] = x0[j] + test_random_between(random, -0.1, 0.1) - (i && j % 3 == 2 ? fall : 0);
        }
        assert_ok(test_mesh_set_motion(sheet, x0, x1));
        assert_ok(toc_scene_add_body(bodies, sheet, NULL));
    }
    return bodies;
}

static size_t contacts_on_the_way_to(toc_scene *bodies, double fraction, const char *preset, double separation) {
    double before[2][75];
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.test.separation = separation;
    for (uint32_t i = 0; i < 2; i++) {
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, i);
        double x[75];
        memcpy(before[i], toc_mesh_get_x1(mesh), sizeof before[i]);
        toc_positions_interpolate(fraction, 75, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), NULL, x);
        assert_ok(test_mesh_set_motion(mesh, toc_mesh_get_x0(mesh), x));
    }
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    const size_t count = contacts->count;
    toc_contacts_destroy(contacts);
    for (uint32_t i = 0; i < 2; i++) {
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, i);
        assert_ok(test_mesh_set_motion(mesh, toc_mesh_get_x0(mesh), before[i]));
    }
    return count;
}

// Nothing touches on the way there, by the slow truth; a little more and something does.
static void a_safe_step_is_safe_and_no_shorter(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    const double far[] = {0, 1e3, 1e12};
    for (int round = 0; round < 30; round++) {
        toc_scene *bodies = falling(&random, far[round % 3], 2);
        const toc_query query = toc_query_default();
        double fraction;
        assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
        assert_true(0 < fraction && fraction < 1);
        assert_int_equal(contacts_on_the_way_to(bodies, fraction, "brute", 0), 0);
        if (round % 3 < 2) assert_true(contacts_on_the_way_to(bodies, fraction * (1 + 1e-6), "brute", 0) > 0);
        toc_scene_destroy(bodies);
    }
}

static void a_distance_is_kept(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = falling(&random, 0, 2);
    toc_query query = toc_query_default();
    double near, far;
    toc_near *pairs;
    assert_ok(toc_scene_find_safe_step(bodies, &query, &near));
    query.test.separation = 0.1;
    assert_ok(toc_scene_find_safe_step(bodies, &query, &far));
    assert_true(0 < far && far < near);
    assert_int_equal(contacts_on_the_way_to(bodies, far, "bvh", 0.1), 0);
    for (uint32_t i = 0; i < 2; i++) {
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, i);
        double x[75];
        toc_positions_interpolate(far, 75, toc_mesh_get_x0(mesh), toc_mesh_get_x1(mesh), NULL, x);
        assert_ok(test_mesh_set_motion(mesh, toc_mesh_get_x0(mesh), x));
    }
    assert_ok(test_find_near(bodies, &query, TOC_AT_END, 0.0999, &pairs));
    assert_int_equal(pairs->count, 0);
    toc_near_destroy(pairs);
    assert_ok(test_find_near(bodies, &query, TOC_AT_END, 0.1001, &pairs));
    assert_true(pairs->count > 0);
    toc_near_destroy(pairs);
    toc_scene_destroy(bodies);
}

static void all_of_the_step_or_none(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_query query = toc_query_default();
    double fraction = 7;
    toc_scene *bodies = falling(&random, 0, 0);
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_true(fraction == 1);
    toc_scene_destroy(bodies);
    assert_ok(toc_scene_create(NULL, &bodies)); // one on top of the other
    for (int i = 0; i < 2; i++) assert_ok(toc_scene_add_body(bodies, test_grid_sheet(TOC_TRIANGLE, 2, 2), NULL));
    assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
    assert_true(fraction == 0);
    query.preset = "none";
    fraction = 7;
    assert_fails(toc_scene_find_safe_step(bodies, &query, &fraction), TOC_BAD_INPUT, "no preset none");
    assert_true(fraction == 7);
    toc_scene_destroy(bodies);
}

static void positions_at_the_ends_and_at_rest(void **state) {
    (void)state;
    const double x0[] = {0.1, -1.7e308, 3}, x1[] = {0.7, 1.7e308, 3};
    double x[3];
    toc_positions_interpolate(0, 3, x0, x1, NULL, x);
    assert_memory_equal(x, x0, sizeof x);
    toc_positions_interpolate(1, 3, x0, x1, NULL, x);
    assert_memory_equal(x, x1, sizeof x);
    toc_positions_interpolate(1.0 / 3, 3, x0, x1, NULL, x);
    assert_double_near(x[0], 0.3, 1e-15);
    assert_true(isfinite(x[1]) && x[2] == 3);
}

static toc_status search(const toc_allocator *allocator, void *user) {
    (void)user;
    test_random random = {3};
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 4, 4);
    test_shake(sheet, &random, 0.1, 1.5);
    toc_scene *bodies = NULL;
    toc_query query = toc_query_default();
    query.threads = 1;
    double fraction = 7;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status == TOC_OK) status = toc_scene_add_body(bodies, sheet, NULL);
    if (status != TOC_OK) toc_mesh_destroy(sheet);
    if (status == TOC_OK) status = toc_scene_find_safe_step(bodies, &query, &fraction);
    assert_true(status == TOC_OK || fraction == 7);
    toc_scene_destroy(bodies);
    return status;
}

static void out_of_memory_is_told(void **state) {
    (void)state;
    assert_true(test_every_allocation(search, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_elements),
        cmocka_unit_test(times_of_vertices_and_pairs_of_bodies),
        cmocka_unit_test(no_contacts_at_all),
        cmocka_unit_test(a_safe_step_is_safe_and_no_shorter),
        cmocka_unit_test(a_distance_is_kept),
        cmocka_unit_test(all_of_the_step_or_none),
        cmocka_unit_test(positions_at_the_ends_and_at_rest),
        cmocka_unit_test(out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
