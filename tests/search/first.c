// SPDX-License-Identifier: Apache-2.0
// The first contact is the same to the last bit after any previous queries: the scene may have a tree of the previous
// step to guess from, a tree of another step, or none.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/answers.h"
#include "support/test.h"

enum { STEPS = 12, SIDE = 12 };

static void assert_same(toc_contacts *got, const toc_contacts *truth) {
    assert_int_equal(got->count, truth->count);
    if (got->count) assert_memory_equal(got->contacts, truth->contacts, sizeof *got->contacts);
    toc_contacts_destroy(got);
}

// The answer of a new scene.
static toc_contacts *ask_new_scene(const toc_scene *bodies, double separation) {
    toc_scene *copy;
    assert_ok(toc_scene_create(NULL, &copy));
    for (uint32_t i = 0; i < toc_scene_get_body_count(bodies); i++) {
        toc_mesh *mesh;
        assert_ok(toc_mesh_copy(toc_scene_edit_mesh((toc_scene *)bodies, i), &mesh));
        assert_ok(toc_scene_add_body(copy, mesh, NULL));
    }
    toc_contacts *first = test_find_contacts(copy, "bvh", TOC_ANSWER_FIRST, separation, 1);
    toc_scene_destroy(copy);
    return first;
}

// Two sheets, one above the other. They approach by `speed` and are perturbed a little.
static toc_scene *sheets(double height) {
    toc_mesh *meshes[2] = {test_grid_sheet(TOC_TRIANGLE, SIDE, SIDE), test_grid_sheet(TOC_TRIANGLE, SIDE, SIDE)};
    double x[3 * (SIDE + 1) * (SIDE + 1)];
    memcpy(x, toc_mesh_get_x0(meshes[1]), sizeof x);
    for (size_t i = 2; i < sizeof x / sizeof *x; i += 3) x[i] += height;
    assert_ok(test_mesh_set_motion(meshes[1], x, x));
    return test_scene_of(meshes[0], meshes[1]);
}

static void move(toc_scene *bodies, test_random *random, double speed, double shake) {
    for (uint32_t b = 0; b < 2; b++) {
        toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
        const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
        double x[3 * (SIDE + 1) * (SIDE + 2)];
        assert_in_range(count, 3, sizeof x / sizeof *x);
        memcpy(x, toc_mesh_get_x1(mesh), count * sizeof *x);
        for (size_t i = 0; i < count; i++) x[i] += test_random_between(random, -shake, shake);
        for (size_t i = 2; i < count; i += 3) x[i] += b ? -speed : 0;
        assert_ok(test_mesh_move(mesh, x));
    }
}

// Query the first contact after first, after all, after any, and in a new scene.
static size_t check_histories(toc_scene *scenes[3], double separation) {
    toc_contacts *truth = ask_new_scene(scenes[0], separation);
    const size_t count = truth->count;
    assert_same(test_find_contacts(scenes[0], "auto", TOC_ANSWER_FIRST, separation, 1), truth);
    toc_contacts *all = test_find_contacts(scenes[1], "auto", TOC_ANSWER_ALL, separation, 2);
    assert_int_equal(all->count > 0, count);
    if (count) assert_memory_equal(toc_contacts_find_first(all), truth->contacts, sizeof *truth->contacts);
    toc_contacts_destroy(all);
    assert_same(test_find_contacts(scenes[1], "auto", TOC_ANSWER_FIRST, separation, 3), truth);
    toc_contacts_destroy(test_find_contacts(scenes[2], "auto", TOC_ANSWER_ANY, separation, 1));
    assert_same(test_find_contacts(scenes[2], "bvh", TOC_ANSWER_FIRST, separation, 1), truth);
    toc_contacts_destroy(truth);
    return count;
}

static void check_sequence(double height, double speed, double shake, double separation, bool edits) {
    toc_scene *scenes[3] = {sheets(height), sheets(height), sheets(height)};
    size_t touching = 0;
    for (int step = 0; step < STEPS; step++) {
        const test_random seed = {(uint64_t)step + 1};
        for (int i = 0; i < 3; i++) {
            test_random random = seed;
            toc_mesh *sheet = toc_scene_edit_mesh(scenes[i], 0);
            const uint32_t element = (uint32_t)step * 3;
            uint32_t vertex;
            if (edits && step % 3 == 2) assert_ok(toc_mesh_remove_element(sheet, element));
            if (edits && step % 6 == 5)
                assert_ok(toc_mesh_split_vertex(sheet, toc_mesh_get_element(sheet, element + 1).corners[0], 1,
                                                (const uint32_t[]){element + 1}, &vertex));
            move(scenes[i], &random, speed, shake);
        }
        touching += check_histories(scenes, separation);
    }
    assert_true(touching > STEPS / 4);
    for (int i = 0; i < 3; i++) toc_scene_destroy(scenes[i]);
}

// The sheets pass through each other: the first contact is early in the step, late, or absent.
static void sheets_that_pass(void **state) {
    (void)state;
    check_sequence(0.3, 0.05, 0.06, 0, false);
}

// Crumpled sheets: thousands of contacts, the first within a thousandth of the step.
static void sheets_that_crumple(void **state) {
    (void)state;
    check_sequence(0.5, 0.02, 0.4, 0, false);
}

static void sheets_that_tear(void **state) {
    (void)state;
    check_sequence(0.5, 0.02, 0.4, 0, true);
}

static void sheets_that_keep_a_distance(void **state) {
    (void)state;
    check_sequence(1, 0.05, 0.1, 0.1, false);
}

// All positions change in each step: the tree of the previous step is useless.
static void sheets_that_jump(void **state) {
    (void)state;
    test_random random = {11};
    toc_scene *bodies = sheets(0.25);
    size_t touching = 0;
    for (int step = 0; step < STEPS; step++) {
        for (uint32_t b = 0; b < 2; b++) {
            toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
            double x[2][3 * (SIDE + 1) * (SIDE + 1)];
            for (size_t i = 0; i < sizeof x[0] / sizeof *x[0]; i++) {
                x[0][i] = test_random_between(&random, 0, 4);
                x[1][i] = x[0][i] + test_random_between(&random, -1, 1) * (step % 2 ? 1 : 1e-3);
            }
            assert_ok(test_mesh_set_motion(mesh, x[0], x[1]));
        }
        toc_contacts *truth = ask_new_scene(bodies, 0);
        touching += truth->count;
        assert_same(test_find_contacts(bodies, "auto", TOC_ANSWER_FIRST, 0, 1 + step % 3), truth);
        toc_contacts_destroy(truth);
    }
    assert_true(touching > STEPS / 2);
    toc_scene_destroy(bodies);
}

static void sink(toc_mesh *mesh, double by) {
    const size_t count = 3 * toc_mesh_get_vertex_count(mesh);
    double *end = malloc(count * sizeof *end);
    assert_non_null(end);
    for (size_t i = 0; i < count; i++) end[i] = toc_mesh_get_x0(mesh)[i] - (i % 3 == 2 ? by : 0);
    assert_ok(test_mesh_move(mesh, end));
    free(end);
}

// Triangular drops fall by 1 from heights of `low` to `high` while the floor sinks by a tenth. One in `lying` starts
// with a corner on a corner of the floor.
static toc_scene *rain_on_a_floor(test_random *random, double low, double high, uint32_t lying) {
    enum { CELLS = 40, DROPS = CELLS * CELLS };
    toc_mesh *floor = test_grid_sheet(TOC_TRIANGLE, CELLS, CELLS), *drops;
    assert_ok(toc_mesh_create(NULL, &drops));
    for (uint32_t i = 0; i < DROPS; i++) {
        const bool lies = lying && test_random_below(random, lying) == 0;
        const double x = i % CELLS + (lies ? 0 : 0.3), y = i / CELLS + (lies ? 0 : 0.2);
        const double z = lies ? 0 : test_random_between(random, low, high);
        const double start[9] = {x, y, z, x + 0.1, y, z + 0.1, x, y + 0.1, z + 0.1};
        uint32_t first;
        assert_ok(toc_mesh_add_vertices(drops, 3, start, &first));
        assert_ok(toc_mesh_add_elements(drops, TOC_TRIANGLE, 1, (const uint32_t[]){first, first + 1, first + 2}, NULL));
    }
    sink(drops, 1);
    sink(floor, 0.1);
    return test_scene_of(floor, drops);
}

// Heights of a thirtieth to a sixteenth of the fall: the guessed contact is not the first, and the first drop is not
// near the floor until shortly before its contact.
static void guessed_contact_is_not_the_first(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    toc_scene *bodies = rain_on_a_floor(&random, 1.0 / 30, 1.0 / 17, 0);
    toc_contacts *truth = ask_new_scene(bodies, 0);
    assert_int_equal(truth->count, 1);
    for (int i = 0; i < 4; i++)
        assert_same(test_find_contacts(bodies, i % 2 ? "auto" : "bvh", TOC_ANSWER_FIRST, 0, 1 + i / 2), truth);
    toc_contacts_destroy(truth);
    toc_scene_destroy(bodies);
}

// Among contacts at one time the first is that of the least x, y, z, then the first in the order of all contacts.
static const toc_contact *earliest_of(const toc_contacts *all) {
    const toc_contact *best = all->contacts;
    for (size_t i = 1; i < all->count; i++) {
        const toc_contact *c = &all->contacts[i];
        const double of_c[4] = {c->toc, c->point[0], c->point[1], c->point[2]};
        const double of_best[4] = {best->toc, best->point[0], best->point[1], best->point[2]};
        int k = 0;
        while (k < 3 && of_c[k] == of_best[k]) k++;
        if (of_c[k] < of_best[k]) best = c;
    }
    return best;
}

// A contact at the start ends the search for contacts farther along x.
static void drops_that_lie_on_the_floor(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    static const char *const presets[] = {"auto", "bvh", "local", "auto", "voxel-safe"};
    uint64_t looks = 0, looks_at_all = 0;
    for (int round = 0; round < 4; round++) {
        toc_scene *bodies = rain_on_a_floor(&random, 0.01, 1.0 / 17, 60);
        toc_contacts *all = test_find_contacts(bodies, "bvh", TOC_ANSWER_ALL, 0, 1);
        const toc_contact *earliest = earliest_of(all);
        assert_true(earliest->toc == 0 && toc_contacts_find_first(all) == earliest);
        for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
            toc_contacts *first = test_find_contacts(bodies, presets[i], TOC_ANSWER_FIRST, 0, 1 + round % 3);
            assert_int_equal(first->count, 1);
            assert_memory_equal(first->contacts, earliest, sizeof *earliest);
            if (strcmp(presets[i], "bvh") == 0) looks += test_stage(first, "search").in;
            toc_contacts_destroy(first);
        }
        looks_at_all += test_stage(all, "search").in;
        toc_contacts_destroy(all);
        toc_scene_destroy(bodies);
    }
    assert_true(looks < looks_at_all / 2);
}

// Any previous queries and any resting sheets: in each step a sheet rests, moves a little, moves far, or comes to rest
// on the other one.
static void sheets_that_rest_sometimes(void **state) {
    (void)state;
    static const char *const presets[] = {"auto", "bvh", "local"};
    test_random random = test_random_make(0);
    toc_scene *bodies = sheets(0.3);
    size_t touching = 0, at_start = 0;
    for (int step = 0; step < test_less(120, 30); step++) {
        for (uint32_t b = 0; b < 2; b++) {
            const double by[] = {0, 0, 1e-4, 0.02, 0.5};
            test_step_body(bodies, b, &random, by[test_random_below(&random, 5)]);
        }
        if (step % 10 == 9) { // a corner of one sheet on a corner of the other
            toc_mesh *upper = toc_scene_edit_mesh(bodies, 1);
            double x[3 * (SIDE + 1) * (SIDE + 1)];
            memcpy(x, toc_mesh_get_x1(upper), sizeof x);
            memcpy(x + 30, toc_mesh_get_x1(toc_scene_edit_mesh(bodies, 0)) + 30, 3 * sizeof *x);
            assert_ok(test_mesh_set_motion(upper, x, x));
        }
        toc_contacts *all = test_find_contacts(bodies, "brute", TOC_ANSWER_ALL, 0, 1);
        const toc_answer answer = (toc_answer)test_random_below(&random, 3);
        if (answer != TOC_ANSWER_FIRST) toc_contacts_destroy(test_find_contacts(bodies, "auto", answer, 0, 1));
        toc_contacts *first = test_find_contacts(bodies, presets[test_random_below(&random, 3)], TOC_ANSWER_FIRST, 0,
                                                 1 + (int)test_random_below(&random, 3));
        assert_int_equal(first->count, all->count > 0);
        if (all->count) assert_memory_equal(first->contacts, earliest_of(all), sizeof *first->contacts);
        touching += all->count > 0;
        at_start += all->count > 0 && first->contacts->toc == 0;
        toc_contacts_destroy(first);
        toc_contacts_destroy(all);
    }
    print_message("%zu touch, %zu of them at the start\n", touching, at_start);
    assert_true(touching > 10 && at_start > 2);
    toc_scene_destroy(bodies);
}

// The second query of a scene uses the guess.
static toc_status ask_twice(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_scene *bodies = NULL;
    toc_mesh *sheet = test_grid_sheet(TOC_TRIANGLE, 5, 5);
    test_random random = {3};
    test_shake(sheet, &random, 0.4, 1.5);
    toc_query query = toc_query_default();
    query.preset = "bvh";
    query.answer = TOC_ANSWER_FIRST;
    query.threads = 1;
    toc_status status = toc_scene_create(allocator, &bodies);
    if (status == TOC_OK) status = toc_scene_add_body(bodies, sheet, NULL);
    if (status != TOC_OK) toc_mesh_destroy(sheet);
    for (int i = 0; i < 2 && status == TOC_OK; i++) {
        toc_contacts *contacts = NULL;
        status = toc_scene_find_contacts(bodies, &query, NULL, &contacts);
        toc_contacts_destroy(contacts);
    }
    toc_scene_destroy(bodies);
    return status;
}

// Ask for the first contact twice with each preset: that of the whole list.
static void assert_first_of_all(toc_scene *bodies, double separation, double from, double to) {
    static const char *const presets[] = {"auto", "bvh", "volccd", "voxel-safe"};
    toc_contacts *all = test_find_contacts(bodies, "brute", TOC_ANSWER_ALL, separation, 1);
    const toc_contact *wanted = toc_contacts_find_first(all);
    assert_non_null(wanted);
    assert_true(from <= wanted->toc && wanted->toc <= to);
    for (size_t i = 0; i < 2 * sizeof presets / sizeof *presets; i++) {
        toc_contacts *first =
            test_find_contacts(bodies, presets[i / 2], TOC_ANSWER_FIRST, separation, 1 + 2 * (int)(i % 2));
        assert_int_equal(first->count, 1);
        assert_memory_equal(first->contacts[0].v, wanted->v, sizeof wanted->v);
        assert_double_same(first->contacts[0].toc, wanted->toc);
        toc_contacts_destroy(first);
    }
    toc_contacts_destroy(all);
    toc_scene_destroy(bodies);
}

// Two bodies within the separation all the while, the upper one at a height; its last vertex falls through the lower
// one at once. The first contact is at the start, at the other end.
static toc_scene *rest_while_a_corner_falls(toc_shape shape, double height) {
    const bool flat = shape == TOC_TRIANGLE;
    toc_mesh *meshes[2];
    double ends[2][3 * (SIDE + 1) * (SIDE + 1)];
    for (int i = 0; i < 2; i++)
        meshes[i] = flat ? test_grid_sheet(shape, SIDE, SIDE) : test_grid_volume(shape, SIDE, SIDE / 4, 1);
    const size_t count = 3 * toc_mesh_get_vertex_count(meshes[1]);
    assert_in_range(count, 3, sizeof ends[0] / sizeof *ends[0]);
    memcpy(ends[0], toc_mesh_get_x0(meshes[1]), count * sizeof **ends);
    for (size_t i = 2; i < count; i += 3) ends[0][i] += height + (flat ? 0 : 1);
    memcpy(ends[1], ends[0], count * sizeof **ends);
    ends[1][(flat ? count : 3 * (SIDE + 1)) - 1] -= 100;
    assert_ok(test_mesh_set_motion(meshes[1], ends[0], ends[1]));
    return test_scene_of(meshes[0], meshes[1]);
}

static void pairs_within_the_separation_come_before_a_fall(void **state) {
    (void)state;
    assert_first_of_all(rest_while_a_corner_falls(TOC_TRIANGLE, 0.02), 0.05, 0, 0);
    assert_first_of_all(rest_while_a_corner_falls(TOC_TET, 0.02), 0.05, 0, 0);
}

// Two sheets that fall onto each other at once everywhere, in the first part of the step. On one side they are oblique,
// so that bounds overlap from the start; on the other, which has the first contact, they meet as late as the features
// do.
static void flat_sides_meet_as_early_as_oblique_ones(void **state) {
    (void)state;
    static const double falls[] = {4, 64};
    for (int k = 0; k < 2; k++) {
        toc_scene *bodies = sheets(0.125);
        for (uint32_t b = 0; b < 2; b++) {
            toc_mesh *mesh = toc_scene_edit_mesh(bodies, b);
            const size_t count = toc_mesh_get_vertex_count(mesh);
            double ends[2][3 * (SIDE + 1) * (SIDE + 1)];
            memcpy(ends[0], toc_mesh_get_x0(mesh), 3 * count * sizeof **ends);
            for (size_t i = 0; i < count; i++)
                if (ends[0][3 * i] > SIDE / 2) ends[0][3 * i + 2] += 0.5 * (ends[0][3 * i] - SIDE / 2);
            memcpy(ends[1], ends[0], 3 * count * sizeof **ends);
            for (size_t i = 0; b == 1 && i < count; i++) ends[1][3 * i + 2] -= falls[k];
            assert_ok(test_mesh_set_motion(mesh, ends[0], ends[1]));
        }
        const double time = 0.125 / falls[k];
        assert_first_of_all(bodies, 0, time * (1 - 1e-9), time);
    }
}

// Waves of a growing height run along a sheet. Its heights stay a function, so nothing touches.
static void wave(toc_mesh *mesh, int step) {
    double x[3 * (SIDE + 1) * (SIDE + 1)];
    memcpy(x, toc_mesh_get_x1(mesh), sizeof x);
    for (size_t i = 0; i < sizeof x / sizeof *x; i += 3)
        x[i + 2] = (1 + 0.1 * step) * (sin(0.9 * x[i] + 0.4 * step) + sin(0.8 * x[i + 1] - 0.5 * step));
    assert_ok(test_mesh_move(mesh, x));
}

// A tree is not built over the short bounds that guess an early contact: the bounds of whole steps would wear it.
static void first_rebuilds_no_more_than_all(void **state) {
    (void)state;
    uint64_t rebuilt[2] = {0, 0};
    for (int first = 0; first < 2; first++) {
        toc_scene *bodies = test_scene_of(test_grid_sheet(TOC_TRIANGLE, SIDE, SIDE), NULL);
        for (int step = 0; step < 2 * STEPS; step++) {
            wave(toc_scene_edit_mesh(bodies, 0), step);
            toc_contacts *found = test_find_contacts(bodies, "auto", first ? TOC_ANSWER_FIRST : TOC_ANSWER_ALL, 0, 1);
            assert_int_equal(found->count, 0);
            if (step > 1) rebuilt[first] += test_stage(found, "build").out;
            toc_contacts_destroy(found);
        }
        toc_scene_destroy(bodies);
    }
    assert_int_equal(rebuilt[1], rebuilt[0]);
}

static void first_survives_failed_allocations(void **state) {
    (void)state;
    assert_true(test_every_allocation(ask_twice, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_that_pass),
        cmocka_unit_test(sheets_that_crumple),
        cmocka_unit_test(sheets_that_tear),
        cmocka_unit_test(sheets_that_keep_a_distance),
        cmocka_unit_test(sheets_that_jump),
        cmocka_unit_test(guessed_contact_is_not_the_first),
        cmocka_unit_test(drops_that_lie_on_the_floor),
        cmocka_unit_test(sheets_that_rest_sometimes),
        cmocka_unit_test(pairs_within_the_separation_come_before_a_fall),
        cmocka_unit_test(flat_sides_meet_as_early_as_oblique_ones),
        cmocka_unit_test(first_rebuilds_no_more_than_all),
        cmocka_unit_test(first_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
