// SPDX-License-Identifier: Apache-2.0
// Contacts of simulated bodies: friction, times of contact, the invariant, and runs that are the same.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/simulation.h"

static toc_sim *sim_with(double step, uint32_t substeps, int threads, const toc_allocator *allocator) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.gravity[2] = -10;
    settings.step = step;
    settings.substeps = substeps;
    settings.threads = threads;
    toc_sim *sim;
    assert_ok(toc_sim_create(&settings, allocator, &sim));
    return sim;
}

// How far a block slides down a slope of 20 degrees in a second, after half a second to settle.
static double slide(toc_sim_motion motion, double friction) {
    const double angle = 20 * 3.14159265358979 / 180;
    toc_sim *sim = sim_with(0.01, 10, 1, NULL);
    toc_sim_material block = toc_sim_material_default(), slope = block;
    block.motion = motion;
    block.young = 1e6;
    block.damping = 0;
    block.friction = slope.friction = friction;
    block.thickness = slope.thickness = 0.01;
    slope.motion = TOC_SIM_GUIDED;
    test_sim_add(sim, test_mesh_turn(test_floor(2, 20), angle), slope);
    toc_mesh *box = test_mesh_place(test_grid_volume(TOC_HEX, 2, 2, 2), 0.5, -0.47, -0.53, 0.0101);
    const uint32_t body = test_sim_add(sim, test_mesh_turn(box, angle), block);
    double before[3], after[3];
    for (int i = 0; i < 50; i++) assert_ok(toc_sim_step(sim, NULL));
    test_sim_centre(sim, body, before);
    for (int i = 0; i < 100; i++) assert_ok(toc_sim_step(sim, NULL));
    test_sim_centre(sim, body, after);
    assert_int_equal(test_sim_crossings(sim), 0);
    toc_sim_destroy(sim);
    return hypot(after[0] - before[0], after[2] - before[2]);
}

// The friction angle is atan mu: tan 20 degrees is 0.364. Above it the block accelerates by g (sin - mu cos).
static void a_block_slides_above_its_friction_angle_only(void **state) {
    (void)state;
    const double g = 10, sine = sin(20 * 3.14159265358979 / 180), cosine = cos(20 * 3.14159265358979 / 180);
    for (int motion = TOC_SIM_SOFT; motion <= TOC_SIM_RIGID; motion++) {
        const double held = slide((toc_sim_motion)motion, 0.42), slid = slide((toc_sim_motion)motion, 0.2);
        const double a = g * (sine - 0.2 * cosine), wanted = 0.5 * a * (1.5 * 1.5 - 0.5 * 0.5);
        print_message("motion %d: held to %g, slid by %g, by formula %g\n", motion, held, slid, wanted);
        assert_true(held < 0.02);
        assert_double_near(slid, wanted, 0.1 * wanted);
    }
}

// A body that falls from a height meets the floor after sqrt(2 h / g), and not before.
static void the_first_contact_is_at_the_analytic_time(void **state) {
    (void)state;
    for (int motion = TOC_SIM_SOFT; motion <= TOC_SIM_RIGID; motion++) {
        toc_sim *sim = sim_with(0.002, 4, 1, NULL);
        toc_sim_material ball = toc_sim_material_default(), ground = ball;
        ball.motion = (toc_sim_motion)motion;
        ball.damping = 0;
        ground.motion = TOC_SIM_GUIDED;
        ball.thickness = ground.thickness = 0.001;
        test_sim_add(sim, test_floor(4, 3), ground);
        test_sim_add(sim, test_mesh_place(test_sphere(1), 0.5, 0.01, 0.02, 0.5 + 0.45), ball);
        const double wanted = sqrt(2 * (0.45 - 0.001) / 10);
        toc_sim_report report = {0};
        double before = 0;
        while (report.contacts == 0 && report.impacts == 0 && report.time < 1) {
            before = report.time;
            assert_ok(toc_sim_step(sim, &report));
        }
        print_message("first contact in (%g, %g], by formula at %g\n", before, report.time, wanted);
        assert_true(wanted > before - 0.002 && wanted < report.time + 0.002);
        toc_sim_destroy(sim);
    }
}

// Soft tets, a cloth, rigid boxes and fast bodies in a heap.
static toc_sim *make_heap(const toc_sim_settings *settings, const toc_allocator *allocator) {
    toc_sim *sim;
    assert_ok(toc_sim_create(settings, allocator, &sim));
    toc_sim_material soft = toc_sim_material_default(), rigid = soft, ground = soft, cloth = soft;
    rigid.motion = TOC_SIM_RIGID;
    ground.motion = TOC_SIM_GUIDED;
    cloth.stretch = 500;
    soft.thickness = rigid.thickness = ground.thickness = cloth.thickness = 0.02;
    test_sim_add(sim, test_floor(6, 4), ground);
    test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 0.4, 0.03, 0.01, 0.3), soft);
    test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_HEX, 1, 1, 1), 0.6, 0.2, 0.15, 1.4), rigid);
    test_sim_add(sim, test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 10, 10), 0.25, -0.9, -0.8, 2.4), cloth);
    test_sim_add(sim, test_mesh_place(test_sphere(1), 0.3, 0.5, 0.4, 3.2), rigid);
    const uint32_t bullet = test_sim_add(sim, test_mesh_place(test_sphere(0), 0.15, 0.3, 0.35, 6), rigid);
    assert_ok(toc_sim_set_velocity(sim, bullet, (double[]){0, 0, -60}, (double[]){5, 9, 0}, (double[]){0.3, 0.35, 6}));
    return sim;
}

// Every motion that is accepted has no crossing at its end, for as long as the run lasts.
static void nothing_ever_crosses(void **state) {
    (void)state;
    toc_sim_settings settings = toc_sim_settings_default();
    toc_sim *sim = make_heap(&settings, NULL);
    toc_sim_report report;
    size_t impacts = 0, zones = 0, cuts = 0, contacts = 0, rounds = 0;
    double largest = 0;
    const toc_sim_energy start = toc_sim_find_energy(sim);
    for (int i = 0; i < test_less(240, 60); i++) {
        assert_ok(toc_sim_step(sim, &report));
        assert_int_equal(test_sim_crossings(sim), 0);
        impacts += report.impacts, zones += report.zones, contacts += report.contacts, cuts += report.fraction < 1;
        rounds += report.rounds;
        const toc_sim_energy now = toc_sim_find_energy(sim);
        largest = fmax(largest, now.kinetic);
        // Friction, damping and impacts take energy; none of them adds any. The tets give way, but keep their volume.
        assert_true(now.kinetic + now.gravity <= start.kinetic + start.gravity + 1e-3 * start.kinetic);
        assert_double_near(now.volume, start.volume, 0.2 * start.volume);
    }
    print_message("%zu contacts, %zu impacts, %zu rounds, %zu zones, %zu cuts, kinetic %g to %g\n", contacts, impacts,
                  rounds, zones, cuts, largest, toc_sim_find_energy(sim).kinetic);
    assert_true(contacts > 0 && impacts > 0);
    toc_sim_destroy(sim);
}

// The check can fail: without the continuous response the fast ball crosses the others.
static void a_weaker_response_shows_crossings(void **state) {
    (void)state;
    toc_sim_settings settings = toc_sim_settings_default();
    settings.continuous = false;
    toc_sim *sim = make_heap(&settings, NULL);
    size_t crossings = 0;
    for (int i = 0; i < 60; i++) {
        assert_ok(toc_sim_step(sim, NULL));
        crossings += test_sim_crossings(sim);
    }
    assert_true(crossings > 0);
    toc_sim_destroy(sim);
}

// Impact zones alone, and cut steps alone, keep the invariant too.
static void the_last_resorts_hold(void **state) {
    (void)state;
    toc_sim_settings settings = toc_sim_settings_default();
    settings.rounds = 1;
    toc_sim *sim = make_heap(&settings, NULL);
    toc_sim_report report;
    size_t zones = 0, cuts = 0;
    for (int i = 0; i < 60; i++) {
        assert_ok(toc_sim_step(sim, &report));
        assert_int_equal(test_sim_crossings(sim), 0);
        zones += report.zones, cuts += report.fraction < 1;
    }
    print_message("%zu zones, %zu cuts\n", zones, cuts);
    assert_true(zones > 0 && cuts > 0);
    toc_sim_destroy(sim);
}

static uint64_t hash_of(const toc_sim *sim) {
    const size_t count = toc_sim_get_state(sim, NULL);
    uint64_t *bits = malloc(count * sizeof *bits), hash = 1469598103934665603u;
    toc_sim_get_state(sim, (double *)bits);
    for (size_t i = 0; i < count; i++) hash = (hash ^ bits[i]) * 1099511628211u;
    free(bits);
    return hash;
}

// The same bits for any number of threads, with bodies large enough to be split among them.
static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        toc_sim_settings settings = toc_sim_settings_default();
        settings.threads = (int[]){1, 2, 5}[i];
        toc_sim *sim = make_heap(&settings, NULL);
        toc_sim_material soft = toc_sim_material_default();
        test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 12, 12, 12), 0.1, -2.5, -2, 0.2), soft);
        test_sim_add(sim, test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 40, 40), 0.04, -2.6, -2.1, 1.6), soft);
        for (int step = 0; step < test_less(12, 3); step++) assert_ok(toc_sim_step(sim, NULL));
        hashes[i] = hash_of(sim);
        toc_sim_destroy(sim);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

// A run that goes on from a saved state has the bits of one that was never stopped.
static void a_saved_state_goes_on_with_the_same_bits(void **state) {
    (void)state;
    toc_sim_settings settings = toc_sim_settings_default();
    toc_sim *a = make_heap(&settings, NULL), *b = make_heap(&settings, NULL);
    for (int i = 0; i < 40; i++) assert_ok(toc_sim_step(a, NULL));
    const size_t count = toc_sim_get_state(a, NULL);
    double *saved = malloc(count * sizeof *saved);
    toc_sim_get_state(a, saved);
    assert_ok(toc_sim_set_state(b, saved, count));
    for (int i = 0; i < 20; i++) {
        assert_ok(toc_sim_step(a, NULL));
        assert_ok(toc_sim_step(b, NULL));
    }
    assert_true(hash_of(a) == hash_of(b));
    assert_fails(toc_sim_set_state(b, saved, count - 1), TOC_BAD_INPUT, "doubles");
    saved[5] = NAN;
    assert_fails(toc_sim_set_state(b, saved, count), TOC_BAD_INPUT, "number 5");
    free(saved);
    toc_sim_destroy(a);
    toc_sim_destroy(b);
}

// Any allocation may fail: nothing leaks, and the step is undone.
static toc_status simulate_little(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_sim *sim;
    toc_status status = test_sim_try(allocator, &sim);
    if (status != TOC_OK) return status;
    toc_sim_material soft = toc_sim_material_default(), ground = soft, rigid = soft, lattice = soft;
    ground.motion = TOC_SIM_GUIDED;
    rigid.motion = TOC_SIM_RIGID;
    lattice.lattice = 0.5;
    lattice.inflation = 1;
    soft.thickness = ground.thickness = rigid.thickness = 0.1;
    toc_mesh *meshes[] = {test_floor(2, 2), test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 1), 0.5, 0, 0, 0.05),
                          test_mesh_place(test_sphere(0), 0.3, 1, 1, 0.35),
                          test_mesh_place(test_sphere(0), 0.3, -1, 1, 0.35)};
    const toc_sim_material *materials[] = {&ground, &soft, &rigid, &lattice};
    for (int i = 0; i < 4; i++) {
        if (status == TOC_OK) status = toc_sim_add_body(sim, meshes[i], materials[i], NULL);
        if (status != TOC_OK) toc_mesh_destroy(meshes[i]);
    }
    for (int i = 0; i < 2 && status == TOC_OK; i++) status = toc_sim_step(sim, NULL);
    toc_sim_destroy(sim);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_true(test_every_allocation(simulate_little, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_above_its_friction_angle_only),
        cmocka_unit_test(the_first_contact_is_at_the_analytic_time),
        cmocka_unit_test(nothing_ever_crosses),
        cmocka_unit_test(a_weaker_response_shows_crossings),
        cmocka_unit_test(the_last_resorts_hold),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_saved_state_goes_on_with_the_same_bits),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
