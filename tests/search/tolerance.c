// SPDX-License-Identifier: Apache-2.0
// Methods that approach contacts: they have no tolerance of their own, and the first contact is the first of all.
#include <math.h>
#include <string.h>

#include "support/answers.h"
#include "support/test.h"

// Presets whose own method approaches contacts, or rounds their times.
static const char *const tolerant[] = {"local", "rtri", "voxel", "navccd", "hashccd"};
enum { TOLERANT = sizeof tolerant / sizeof *tolerant };

static toc_contacts *ask_own_method(toc_scene *bodies, const char *preset, toc_answer answer, int threads) {
    toc_query query = toc_query_default();
    toc_contacts *contacts;
    query.preset = preset;
    query.answer = answer;
    query.threads = threads;
    assert_ok(toc_scene_find_contacts(bodies, &query, NULL, &contacts));
    return contacts;
}

static void scale_body(toc_mesh *mesh, double factor) {
    enum { MOST = 3 * 1024 };
    double x0[MOST], x1[MOST];
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    assert_in_range(count, 1, MOST);
    for (size_t i = 0; i < count; i++)
        x0[i] = toc_mesh_get_x0(mesh)[i] * factor, x1[i] = toc_mesh_get_x1(mesh)[i] * factor;
    assert_ok(test_mesh_set_motion(mesh, x0, x1));
}

static toc_scene *copy_scaled(const toc_scene *bodies, double factor) {
    toc_scene *copy;
    assert_ok(toc_scene_create(NULL, &copy));
    for (uint32_t i = 0; i < toc_scene_get_body_count(bodies); i++) {
        toc_mesh *mesh;
        assert_ok(toc_mesh_copy(toc_scene_get_mesh(bodies, i), &mesh));
        scale_body(mesh, factor);
        assert_ok(toc_scene_add_body(copy, mesh, NULL));
    }
    return copy;
}

// A scene a thousand times smaller had contacts that the larger one has not: a millionth was a length.
static void small_scenes_have_the_contacts_of_large_ones(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < test_less(4, 1); round++) {
        toc_scene *large = test_scene_of_soups(&random, TOC_TRIANGLE, 60, 90, 0.6);
        for (int p = 0; p < TOLERANT; p++)
            for (int power = -40; power <= 40; power += 40) {
                toc_scene *scaled = copy_scaled(large, ldexp(1, power));
                toc_contacts *a = ask_own_method(large, tolerant[p], TOC_ANSWER_ALL, 1);
                toc_contacts *b = ask_own_method(scaled, tolerant[p], TOC_ANSWER_ALL, 1);
                test_assert_same_pairs(b, a);
                for (size_t i = 0; i < a->count; i++) assert_double_same(a->contacts[i].toc, b->contacts[i].toc);
                toc_contacts_destroy(a);
                toc_contacts_destroy(b);
                toc_scene_destroy(scaled);
            }
        toc_scene_destroy(large);
    }
}

// A pair that stays 0.01 apart "touched" at t = 0: a triangle far off made a millionth of the scene longer than that.
static void a_triangle_far_off_makes_no_contact(void **state) {
    (void)state;
    const double x[27] = {0,   0, 0,    1,   0, 0,    0,   1, 0,    //
                          0,   0, 0.01, 1,   0, 0.01, 0,   1, 0.01, //
                          1e6, 0, 0,    1e6, 1, 0,    1e6, 0, 1};
    const uint32_t corners[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    toc_mesh *mesh;
    toc_scene *bodies;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 9, x, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 3, corners, NULL));
    assert_ok(toc_scene_create(NULL, &bodies));
    assert_ok(toc_scene_add_body(bodies, mesh, NULL));
    for (size_t p = 0; toc_preset_get(p).name; p++) {
        toc_contacts *all = ask_own_method(bodies, toc_preset_get(p).name, TOC_ANSWER_ALL, 1);
        toc_query query = toc_query_default();
        double fraction = -1;
        query.preset = toc_preset_get(p).name;
        assert_ok(toc_scene_find_safe_step(bodies, &query, &fraction));
        assert_int_equal(all->count, 0);
        assert_double_same(fraction, 1);
        toc_contacts_destroy(all);
    }
    toc_scene_destroy(bodies);
}

static const toc_contact *first_hit(const toc_contacts *contacts) {
    const toc_contact *first = NULL;
    for (size_t i = 0; i < contacts->count; i++) {
        const toc_contact *c = &contacts->contacts[i];
        if (c->verdict == TOC_HIT && (!first || c->toc < first->toc)) first = c;
    }
    return first;
}

// At coordinates of 1e78 the first contact of `local` was not the least of all, and another one when asked again.
static void the_first_contact_of_huge_coordinates(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < test_less(40, 6); round++) {
        toc_scene *small = test_scene_of_soups(&random, TOC_TRIANGLE, 9, 12, 1), *bodies = copy_scaled(small, 1e78);
        for (size_t p = 0; toc_preset_get(p).name; p++) {
            const char *preset = toc_preset_get(p).name;
            if (!toc_method_get(toc_preset_get(p).method).is_complete) continue;
            toc_contacts *all = ask_own_method(bodies, preset, TOC_ANSWER_ALL, 1);
            const toc_contact *least = toc_contacts_find_first(all);
            for (int again = 0; again < 3; again++) {
                toc_contacts *first = ask_own_method(bodies, preset, TOC_ANSWER_FIRST, 1);
                assert_int_equal(first->count, least != NULL);
                if (least) assert_memory_equal(first->contacts, least, sizeof *least);
                toc_contacts_destroy(first);
            }
            toc_contacts_destroy(all);
        }
        toc_scene_destroy(small);
        toc_scene_destroy(bodies);
    }
}

// `first` found a contact where `all` had none, and none where `all` had nine: bounds of both were of another size.
static void the_first_contact_is_the_first_of_all(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    uint64_t hits = 0;
    for (int round = 0; round < test_less(20, 3); round++) {
        toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 40, 70, 0.3);
        for (int p = 0; p < TOLERANT; p++)
            for (int again = 0; again < 3; again++) {
                toc_contacts *all = ask_own_method(bodies, tolerant[p], TOC_ANSWER_ALL, 1 + again);
                toc_contacts *first = ask_own_method(bodies, tolerant[p], TOC_ANSWER_FIRST, 3 - again);
                const toc_contact *wanted = first_hit(all);
                if (wanted) {
                    assert_int_equal(first->count, 1);
                    assert_true(first->contacts[0].toc <= wanted->toc);
                    if (first->contacts[0].verdict == TOC_HIT) assert_double_same(first->contacts[0].toc, wanted->toc);
                }
                hits += wanted != NULL;
                toc_contacts_destroy(all);
                toc_contacts_destroy(first);
            }
        toc_scene_destroy(bodies);
    }
    assert_true(hits > 0);
}

// Nearly all pairs that `any` tested came behind the contact it reported.
static void any_ends_at_a_contact(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = test_scene_of_soups(&random, TOC_TRIANGLE, 300, 900, 1);
    for (int again = 0; again < 2; again++)
        for (size_t p = 0; toc_preset_get(p).name; p++) {
            const char *preset = toc_preset_get(p).name;
            if (strcmp(preset, "brute") == 0 || (TEST_BRIEF && again)) continue;
            toc_contacts *all = test_find_contacts(bodies, preset, TOC_ANSWER_ALL, 0, 1);
            toc_contacts *any = test_find_contacts(bodies, preset, TOC_ANSWER_ANY, 0, 1);
            const toc_stage *tested = &all->stages[all->stage_count - 1], *few = &any->stages[any->stage_count - 1];
            assert_true(all->count > 100);
            assert_int_equal(any->count, 1);
            assert_true(few->in <= tested->in / 10);
            toc_contacts_destroy(all);
            toc_contacts_destroy(any);
        }
    toc_scene_destroy(bodies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_scenes_have_the_contacts_of_large_ones),
        cmocka_unit_test(a_triangle_far_off_makes_no_contact),
        cmocka_unit_test(the_first_contact_of_huge_coordinates),
        cmocka_unit_test(the_first_contact_is_the_first_of_all),
        cmocka_unit_test(any_ends_at_a_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
