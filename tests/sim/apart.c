// SPDX-License-Identifier: Apache-2.0
// Bodies that cross at the start: pushed apart along their depth, without energy, and apart from then on.
#include <math.h>
#include <string.h>

#include "support/simulation.h"

static toc_sim *make_still(uint32_t pushes, double gravity) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.gravity[2] = -gravity;
    settings.step = 0.01;
    settings.threads = 1;
    settings.pushes = pushes;
    toc_sim *sim;
    assert_ok(toc_sim_create(&settings, NULL, &sim));
    return sim;
}

static toc_sim_material thin(toc_sim_motion motion) {
    toc_sim_material material = toc_sim_material_default();
    material.motion = motion;
    material.damping = 0;
    material.thickness = 0.01;
    return material;
}

// Steps without a crossing, and without more kinetic energy than a slow drift has.
static void assert_calm(toc_sim *sim, int steps, double kinetic) {
    for (int i = 0; i < steps; i++) {
        assert_ok(toc_sim_step(sim, NULL));
        assert_int_equal(test_sim_crossings(sim), 0);
        assert_true(toc_sim_find_energy(sim).kinetic <= kinetic);
    }
}

// The second box is moved by this offset: the axis of the smallest depth is that of the push.
static void push_boxes(toc_sim_motion motion, const double offset[3], int axis) {
    toc_sim *sim = make_still(50, 0);
    const uint32_t a = test_sim_add(sim, test_grid_volume(TOC_TET, 3, 3, 3), thin(motion));
    toc_mesh *other = test_mesh_place(test_grid_volume(TOC_TET, 3, 3, 3), 1, offset[0], offset[1], offset[2]);
    const uint32_t b = test_sim_add(sim, other, thin(motion));
    double before[2][3], after[2][3];
    size_t crossing = 0;
    test_sim_centre(sim, a, before[0]);
    test_sim_centre(sim, b, before[1]);
    assert_ok(toc_sim_push_apart(sim, &crossing));
    assert_true(crossing > 0);
    assert_int_equal(test_sim_crossings(sim), 0);
    test_sim_centre(sim, a, after[0]);
    test_sim_centre(sim, b, after[1]);
    for (int k = 0; k < 3; k++) {
        const double moved = (after[1][k] - before[1][k]) - (after[0][k] - before[0][k]);
        const double depth = k == axis ? 3 - fabs(offset[k]) : 0;
        assert_double_near(fabs(moved), depth, k == axis ? 0.02 : 1e-9);
        // Equal masses share the way.
        assert_double_near(after[0][k] - before[0][k], -(after[1][k] - before[1][k]), 1e-9);
    }
    assert_double_near(toc_sim_find_energy(sim).kinetic, 0, 0);
    toc_sim_report report;
    assert_ok(toc_sim_step(sim, &report));
    assert_int_equal(report.pushed, crossing);
    assert_ok(toc_sim_step(sim, &report));
    assert_int_equal(report.pushed, 0);
    assert_calm(sim, 20, 1e-3);
    toc_sim_destroy(sim);
}

static void boxes_part_along_the_smallest_depth(void **state) {
    (void)state;
    for (int motion = TOC_SIM_SOFT; motion <= TOC_SIM_RIGID; motion++) {
        push_boxes((toc_sim_motion)motion, (double[]){2.6, 0.21, 0.13}, 0);
        push_boxes((toc_sim_motion)motion, (double[]){0.11, -0.23, -2.7}, 2);
    }
}

// Bars that cross each other: no vertex of one is inside of the other.
static void crossed_bars_part_by_their_faces(void **state) {
    (void)state;
    toc_sim *sim = make_still(50, 0);
    toc_mesh *upper = test_mesh_place(test_grid_volume(TOC_HEX, 1, 8, 1), 1, 3.4, -3.6, 0.9);
    const uint32_t a = test_sim_add(sim, test_grid_volume(TOC_HEX, 8, 1, 1), thin(TOC_SIM_RIGID));
    const uint32_t b = test_sim_add(sim, upper, thin(TOC_SIM_RIGID));
    double low[3], high[3];
    assert_ok(toc_sim_push_apart(sim, NULL));
    assert_int_equal(test_sim_crossings(sim), 0);
    test_sim_centre(sim, a, low);
    test_sim_centre(sim, b, high);
    assert_true(high[2] - low[2] > 1 && high[2] - low[2] < 1.05);
    assert_calm(sim, 5, 1e-3);
    toc_sim_destroy(sim);
}

// A ball that sank into the ground comes up, the ground stays; a pinned sheet gives way by its vertices.
static void guided_and_pinned_bodies_stay(void **state) {
    (void)state;
    toc_sim *sim = make_still(100, 10);
    toc_mesh *block = test_mesh_place(test_grid_volume(TOC_HEX, 4, 4, 1), 2, -4, -4, -2);
    const uint32_t ground = test_sim_add(sim, block, thin(TOC_SIM_GUIDED));
    const uint32_t ball = test_sim_add(sim, test_mesh_place(test_sphere(2), 1, 0.1, 0.2, 0.7), thin(TOC_SIM_SOFT));
    toc_mesh *cloth = test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 16, 16), 0.25, -1.9, -1.8, 1.55);
    const uint32_t sheet = test_sim_add(sim, cloth, thin(TOC_SIM_SOFT));
    for (uint32_t v = 0; v < 17; v++) assert_ok(toc_sim_pin_vertex(sim, sheet, v));
    const double bottom = toc_sim_get_positions(sim, ground)[2], edge = toc_sim_get_positions(sim, sheet)[2];
    assert_ok(toc_sim_push_apart(sim, NULL));
    assert_int_equal(test_sim_crossings(sim), 0);
    assert_double_same(toc_sim_get_positions(sim, ground)[2], bottom);
    assert_double_same(toc_sim_get_positions(sim, sheet)[2], edge);
    double centre[3];
    test_sim_centre(sim, ball, centre);
    print_message("the ball is at %g, radius 1\n", centre[2]);
    assert_true(centre[2] > 0.7);
    for (int i = 0; i < 30; i++) {
        assert_ok(toc_sim_step(sim, NULL));
        assert_int_equal(test_sim_crossings(sim), 0);
    }
    toc_sim_destroy(sim);
}

// A ball that leans out of a room is drawn in, not pushed out.
static void a_room_keeps_its_guest(void **state) {
    (void)state;
    toc_sim *sim = make_still(50, 0);
    test_sim_add(sim, test_mesh_place(test_sphere(2), 4, 0, 0, 0), thin(TOC_SIM_GUIDED));
    const uint32_t ball = test_sim_add(sim, test_mesh_place(test_sphere(1), 1, 3.3, 0.1, 0), thin(TOC_SIM_RIGID));
    assert_ok(toc_sim_push_apart(sim, NULL));
    double centre[3];
    test_sim_centre(sim, ball, centre);
    assert_true(centre[0] < 3.05 && centre[0] > 2);
    assert_int_equal(test_sim_crossings(sim), 0);
    toc_sim_destroy(sim);
}

// A sheet through a guided ball has no way out: a sentence, and everything as before.
static void a_start_that_cannot_be_parted_is_refused(void **state) {
    (void)state;
    for (uint32_t pushes = 0; pushes <= 6; pushes += 6) {
        toc_sim *sim = make_still(pushes, 10);
        test_sim_add(sim, test_sphere(2), thin(TOC_SIM_GUIDED));
        toc_mesh *cloth = test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 8, 8), 0.4, -1.6, -1.6, 0.03);
        const uint32_t sheet = test_sim_add(sim, cloth, thin(TOC_SIM_SOFT));
        for (uint32_t v = 0; v < 81; v++)
            if (v % 9 == 0 || v % 9 == 8) assert_ok(toc_sim_pin_vertex(sim, sheet, v));
        const toc_status status = toc_sim_step(sim, NULL);
        assert_int_equal(status, TOC_BAD_INPUT);
        assert_non_null(strstr(toc_message_get(), "the bodies cross at the start"));
        assert_true((strstr(toc_message_get(), "6 rounds of pushing") != NULL) == (pushes > 0));
        for (uint32_t v = 0; v < 81; v++) assert_double_same(toc_sim_get_positions(sim, sheet)[3 * v + 2], 0.03);
        assert_double_same(toc_sim_get_time(sim), 0);
        toc_sim_destroy(sim);
    }
}

static toc_status push_little(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_sim *sim;
    toc_status status = test_sim_try(allocator, &sim);
    if (status != TOC_OK) return status;
    const toc_sim_material soft = thin(TOC_SIM_SOFT);
    for (int i = 0; i < 2; i++) {
        toc_mesh *mesh = test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 1), 1, 0.8 * i, 0.1 * i, 0.05 * i);
        if (status == TOC_OK) status = toc_sim_add_body(sim, mesh, &soft, NULL);
        if (status != TOC_OK) toc_mesh_destroy(mesh);
    }
    if (status == TOC_OK) status = toc_sim_push_apart(sim, NULL);
    toc_sim_destroy(sim);
    return status;
}

// A push makes thousands of them: each n-th, in growing strides.
static void allocations_may_fail(void **state) {
    (void)state;
    uint64_t calls = 0;
    bool done = false;
    for (uint64_t n = 1; !done; n += 1 + n / (uint64_t)test_less(8, 2)) {
        test_allocator memory;
        test_allocator_make(&memory, n);
        const toc_status status = push_little(&memory.allocator, NULL);
        assert_int_equal(memory.alive, 0);
        assert_int_equal(status, memory.calls < n ? TOC_OK : TOC_OUT_OF_MEMORY);
        calls = memory.calls;
        done = calls < n;
    }
    print_message("%llu allocations\n", (unsigned long long)calls);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_part_along_the_smallest_depth),
        cmocka_unit_test(crossed_bars_part_by_their_faces),
        cmocka_unit_test(guided_and_pinned_bodies_stay),
        cmocka_unit_test(a_room_keeps_its_guest),
        cmocka_unit_test(a_start_that_cannot_be_parted_is_refused),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
