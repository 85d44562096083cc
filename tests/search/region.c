// SPDX-License-Identifier: Apache-2.0
// A region of space (toc_scene_set_region): pairs whose features both meet it are never left out, in any step, while
// elements come and go, rest, and the region changes.
#include <math.h>
#include <string.h>

#include "support/test.h"

enum { TRIANGLES = 400, STEPS = 12 };

typedef struct moving_soup {
    double x[STEPS + 1][3 * TRIANGLES][3];
} moving_soup;

// Triangles that cross the unit cube; every fourth one rests, and the next one turns back in each step.
static void make_moving_soup(moving_soup *soup, uint64_t seed) {
    test_random random = test_random_make(seed);
    for (size_t t = 0; t < TRIANGLES; t++) {
        double centre[3], speed[3];
        for (int c = 0; c < 3; c++) {
            centre[c] = test_random_between(&random, 0, 1);
            speed[c] = t % 4 == 0 ? 0 : test_random_between(&random, -0.1, 0.1);
        }
        for (size_t k = 3 * t; k < 3 * t + 3; k++)
            for (int c = 0; c < 3; c++) {
                const double at = centre[c] + test_random_between(&random, -0.05, 0.05);
                for (int s = 0; s <= STEPS; s++) soup->x[s][k][c] = at + (t % 4 == 1 ? s % 2 : s) * speed[c];
            }
    }
}

static toc_scene *scene_of_soup(const moving_soup *soup) {
    toc_scene *scene;
    toc_mesh *mesh;
    static uint32_t corners[3 * TRIANGLES];
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) corners[i] = i;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 3 * TRIANGLES, soup->x[0][0], NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, TRIANGLES, corners, NULL));
    assert_ok(toc_scene_create(NULL, &scene));
    assert_ok(toc_scene_add_body(scene, mesh, NULL));
    return scene;
}

// Whether the box of the path of a feature meets a region.
static bool meets(const moving_soup *soup, int step, int count, const uint32_t *v, const double *low,
                  const double *high) {
    for (int c = 0; c < 3; c++) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < 2 * count; i++) {
            const double x = soup->x[step + i % 2][v[i / 2]][c];
            least = fmin(least, x);
            most = fmax(most, x);
        }
        if (least > high[c] || most < low[c]) return false;
    }
    return true;
}

static bool same_contact(const toc_contact *a, const toc_contact *b) {
    return a->kind == b->kind && memcmp(a->v, b->v, sizeof a->v) == 0 && a->toc == b->toc &&
           memcmp(a->weights, b->weights, sizeof a->weights) == 0;
}

// All of `some` are among `all`; those of `all` that are missing have a feature outside of the region.
static size_t compare_lists(const moving_soup *soup, int step, const toc_contacts *all, const toc_contacts *some,
                            const double *low, const double *high) {
    size_t at = 0;
    for (size_t i = 0; i < all->count; i++) {
        const toc_contact *c = &all->contacts[i];
        const int second = c->kind == TOC_VF ? 1 : 2;
        if (at < some->count && same_contact(c, &some->contacts[at])) {
            at++;
            continue;
        }
        assert_false(meets(soup, step, second, c->v, low, high) &&
                     meets(soup, step, 4 - second, c->v + second, low, high));
    }
    assert_int_equal(at, some->count);
    return all->count - some->count;
}

static toc_contacts *ask(toc_scene *scene, const moving_soup *soup, int step, const toc_query *query) {
    toc_contacts *contacts;
    assert_ok(test_mesh_set_motion(toc_scene_edit_mesh(scene, 0), soup->x[step][0], soup->x[step + 1][0]));
    assert_ok(toc_scene_find_contacts(scene, query, NULL, &contacts));
    return contacts;
}

// One scene with a region, one without, step by step. @return the contacts left out.
static size_t follow_soup(uint64_t seed, double separation) {
    static moving_soup soup;
    toc_query query = toc_query_default();
    size_t left_out = 0;
    query.test.separation = separation;
    make_moving_soup(&soup, seed);
    toc_scene *all = scene_of_soup(&soup), *some = scene_of_soup(&soup);
    for (int step = 0; step < STEPS; step++) {
        const double shift = step < STEPS / 2 ? 0 : 0.25;
        const double low[3] = {0.25 + shift, -INFINITY, 0}, high[3] = {0.5 + shift, INFINITY, 0.75};
        assert_ok(toc_scene_set_region(some, low, high));
        query.threads = 1 + step % 2;
        toc_contacts *a = ask(all, &soup, step, &query), *b = ask(some, &soup, step, &query);
        left_out += compare_lists(&soup, step, a, b, low, high);
        toc_contacts_destroy(a);
        toc_contacts_destroy(b);
    }
    toc_scene_destroy(all);
    toc_scene_destroy(some);
    return left_out;
}

// A hidden element that comes into the region must be found there, and resting ones after the region has moved.
static void pairs_in_the_region_are_never_left_out(void **state) {
    (void)state;
    size_t left_out = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) left_out += follow_soup(seed, seed % 2 ? 0 : 0.01);
    assert_true(left_out > 0); // else the region would be of no use
}

// All of space again after a region: the kept tree must show the hidden elements.
static void no_region_is_all_of_space(void **state) {
    (void)state;
    static moving_soup soup;
    const toc_query query = toc_query_default();
    const double low[3] = {5, 5, 5}, high[3] = {6, 6, 6};
    make_moving_soup(&soup, 9);
    toc_scene *scene = scene_of_soup(&soup);
    toc_contacts *first = ask(scene, &soup, 0, &query), *none, *again;
    assert_ok(toc_scene_set_region(scene, low, high));
    none = ask(scene, &soup, 0, &query);
    assert_int_equal(none->count, 0);
    assert_ok(toc_scene_set_region(scene, NULL, NULL));
    again = ask(scene, &soup, 0, &query);
    assert_true(first->count > 0);
    assert_int_equal(first->count, again->count);
    toc_contacts_destroy(first);
    toc_contacts_destroy(none);
    toc_contacts_destroy(again);
    toc_scene_destroy(scene);
}

static void bad_regions_are_refused(void **state) {
    (void)state;
    toc_scene *scene;
    const double low[3] = {0, 0, 1}, high[3] = {1, 1, 0}, nan[3] = {0, NAN, 0};
    assert_ok(toc_scene_create(NULL, &scene));
    assert_fails(toc_scene_set_region(scene, low, high), TOC_BAD_INPUT, "z = 1 and 0");
    assert_fails(toc_scene_set_region(scene, nan, low), TOC_BAD_INPUT, "y = nan");
    assert_ok(toc_scene_set_region(scene, low, low));
    toc_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_in_the_region_are_never_left_out),
        cmocka_unit_test(no_region_is_all_of_space),
        cmocka_unit_test(bad_regions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
