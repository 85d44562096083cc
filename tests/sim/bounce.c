// SPDX-License-Identifier: Apache-2.0
// Restitution and friction against formulas: heights of bounces, flat falls, rest, slopes, bits.
#include <math.h>
#include <string.h>

#include "support/simulation.h"

static toc_sim *make_sim(const double gravity[3], double step, uint32_t substeps, int threads) {
    toc_sim_settings settings = toc_sim_settings_default();
    for (int k = 0; k < 3; k++) settings.gravity[k] = gravity[k];
    settings.step = step;
    settings.substeps = substeps;
    settings.threads = threads;
    toc_sim *sim;
    assert_ok(toc_sim_create(&settings, NULL, &sim));
    return sim;
}

static const double down[3] = {0, 0, -10};

static toc_sim_material make_material(double restitution, double thickness) {
    toc_sim_material material = toc_sim_material_default();
    material.restitution = restitution;
    material.thickness = thickness;
    material.friction = material.damping = 0;
    return material;
}

static void add_floor(toc_sim *sim, toc_sim_material material) {
    material.motion = TOC_SIM_GUIDED;
    test_sim_add(sim, test_floor(1, 5), material);
}

// The height of a ball with a radius of 0.1, above its rest on the floor, at the top after a number of bounces.
static double find_top(double restitution, double thickness, uint32_t substeps, int bounces) {
    toc_sim *sim = make_sim(down, 0.004, substeps, 1);
    const toc_sim_material material = make_material(restitution, thickness);
    add_floor(sim, material);
    toc_sim_material rigid = material;
    rigid.motion = TOC_SIM_RIGID;
    const double rest = 0.1 + thickness;
    const uint32_t ball = test_sim_add(sim, test_mesh_place(test_sphere(2), 0.1, 0, 0, rest + 1), rigid);
    double before = 2, centre[3];
    bool rises = false;
    for (int seen = 0; seen < bounces || rises;) {
        assert_ok(toc_sim_step(sim, NULL));
        test_sim_centre(sim, ball, centre);
        const bool up = centre[2] > before;
        seen += up && !rises;
        rises = up;
        if (!up && seen == bounces) break;
        before = centre[2];
    }
    assert_int_equal(test_sim_crossings(sim), 0);
    toc_sim_destroy(sim);
    return before - rest;
}

static void a_ball_bounces_to_e_squared(void **state) {
    (void)state;
    for (int n = 1; n <= 2; n++) {
        const double wanted = pow(0.8, 2 * n), coarse = find_top(0.8, 0.005, 4, n), fine = find_top(0.8, 0.005, 32, n);
        print_message("after %d bounces %g and %g, by formula %g\n", n, coarse, fine, wanted);
        assert_double_near(coarse, wanted, 0.06 * wanted);
        assert_double_near(fine, wanted, 0.01 * wanted);
    }
}

// Without a thickness no pair is near: impacts of whole steps bounce.
static void impacts_bounce(void **state) {
    (void)state;
    const double top = find_top(0.8, 0, 4, 1);
    print_message("by impacts %g, by formula %g\n", top, 0.64);
    assert_double_near(top, 0.64, 0.06);
}

// A box that falls flat touches at many points; it leaves without a turn, and with the speed of one point.
static void a_flat_fall_stays_flat(void **state) {
    (void)state;
    toc_sim *sim = make_sim(down, 0.004, 16, 1);
    const toc_sim_material material = make_material(0.5, 0.005);
    add_floor(sim, material);
    toc_sim_material rigid = material;
    rigid.motion = TOC_SIM_RIGID;
    const uint32_t box =
        test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_HEX, 3, 2, 1), 0.1, -0.15, -0.1, 0.205), rigid);
    const double hit = sqrt(2 * 10 * 0.2);
    double most = 0;
    for (int i = 0; i < 100; i++) {
        assert_ok(toc_sim_step(sim, NULL));
        const double *v = toc_sim_get_velocities(sim, box);
        for (int k = 0; k < 24; k++) most = fmax(most, v[3 * k + 2]);
        for (int k = 1; k < 24; k++) assert_double_near(v[3 * k + 2], v[2], 0.05 * hit);
    }
    assert_double_near(most, 0.5 * hit, 0.03 * hit);
    toc_sim_destroy(sim);
}

// A body at rest with a restitution stays at rest; without one, nothing bounces.
static void resting_bodies_rest(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        toc_sim *sim = make_sim(down, 0.01, 10, 1);
        toc_sim_material material = make_material(k ? 0.9 : 0, 0.005);
        add_floor(sim, material);
        material.motion = TOC_SIM_RIGID;
        const double height = k ? 0.0051 : 0.105; // on the floor; from above, without a bounce
        const uint32_t box = test_sim_add(sim, test_mesh_place(test_sphere(2), 0.1, 0, 0, 0.1 + height), material);
        double centre[3], lowest = 1, after = 0;
        for (int i = 0; i < 100; i++) {
            assert_ok(toc_sim_step(sim, NULL));
            test_sim_centre(sim, box, centre);
            lowest = fmin(lowest, centre[2]);
            if (i >= 30) after = fmax(after, centre[2]);
        }
        assert_true(lowest > 0.1 + 0.0045 && after < 0.1 + 0.006);
        toc_sim_destroy(sim);
    }
}

// Bodies that bounce off each other: momentum stays, and the speeds are those of an elastic collision.
static void two_balls_exchange_their_speeds(void **state) {
    (void)state;
    toc_sim *sim = make_sim((double[]){0, 0, 0}, 0.004, 10, 1);
    toc_sim_material material = make_material(1, 0.005);
    material.motion = TOC_SIM_RIGID;
    uint32_t balls[2];
    for (int k = 0; k < 2; k++)
        balls[k] = test_sim_add(sim, test_mesh_place(test_sphere(3), 0.1, 0, 0, k ? 0.3 : 0), material);
    assert_ok(toc_sim_set_velocity(sim, balls[0], (double[]){0, 0, 2}, (double[]){0, 0, 0}, (double[]){0, 0, 0}));
    double before[2][3], after[2][3];
    for (int i = 0; i < 50; i++) assert_ok(toc_sim_step(sim, NULL));
    for (int k = 0; k < 2; k++) test_sim_centre(sim, balls[k], before[k]);
    for (int i = 0; i < 10; i++) assert_ok(toc_sim_step(sim, NULL));
    for (int k = 0; k < 2; k++) test_sim_centre(sim, balls[k], after[k]);
    assert_double_near((after[0][2] - before[0][2]) / 0.04, 0, 0.02);
    assert_double_near((after[1][2] - before[1][2]) / 0.04, 2, 0.02);
    toc_sim_destroy(sim);
}

// A soft block on a slope: gravity leans. @return the way of its middle in a time.
static double slide(double angle, double friction, double time) {
    toc_sim *sim = make_sim((double[]){10 * sin(angle), 0, -10 * cos(angle)}, 0.01, 10, 1);
    toc_sim_material material = make_material(0, 0.005);
    material.friction = friction;
    material.young = 1e6;
    add_floor(sim, material);
    const uint32_t block =
        test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_HEX, 2, 2, 1), 0.1, -0.1, -0.1, 0.005), material);
    double centre[3];
    while (toc_sim_get_time(sim) < time - 1e-9) assert_ok(toc_sim_step(sim, NULL));
    test_sim_centre(sim, block, centre);
    toc_sim_destroy(sim);
    return centre[0];
}

static void a_block_slides_beyond_the_angle_of_friction(void **state) {
    (void)state;
    const double angle = 35 * 3.14159265358979323846 / 180, limit = atan(0.5), time = 0.4;
    const double wanted = time * time / 2 * 10 * (sin(angle) - 0.5 * cos(angle)), got = slide(angle, 0.5, time);
    print_message("slides %g, by formula %g\n", got, wanted);
    assert_double_near(got, wanted, 0.05 * wanted);
    assert_true(slide(limit - 0.05, 0.5, 0.5) < 1e-3);
    assert_true(slide(limit + 0.05, 0.5, 0.5) > 1e-2);
}

// The same bits on any number of threads: many balls on each other.
static void bounces_have_the_same_bits(void **state) {
    (void)state;
    double first[6] = {0};
    for (int threads = 1; threads <= 4; threads += 3) {
        toc_sim *sim = make_sim(down, 0.01, 4, threads);
        toc_sim_material material = make_material(0.7, 0.02);
        add_floor(sim, material);
        material.motion = TOC_SIM_RIGID;
        uint32_t last = 0;
        for (int k = 0; k < 27; k++)
            last = test_sim_add(sim,
                                test_mesh_place(test_sphere(2), 0.1, 0.23 * (k % 3) + 0.02 * (k / 9),
                                                0.23 * (k / 3 % 3), 0.2 + 0.3 * (k / 9)),
                                material);
        for (int i = 0; i < 60; i++) assert_ok(toc_sim_step(sim, NULL));
        if (threads == 1) memcpy(first, toc_sim_get_positions(sim, last), sizeof first);
        assert_memory_equal(first, toc_sim_get_positions(sim, last), sizeof first);
        assert_int_equal(test_sim_crossings(sim), 0);
        toc_sim_destroy(sim);
    }
}

static void mistakes_are_refused(void **state) {
    (void)state;
    toc_sim *sim = make_sim(down, 0.01, 10, 1);
    const toc_sim_material material = make_material(1.5, 0);
    toc_mesh *mesh = test_sphere(1);
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT,
                 "restitution is 1.5; it must be at least 0 and at most 1");
    toc_mesh_destroy(mesh);
    toc_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_to_e_squared),
        cmocka_unit_test(impacts_bounce),
        cmocka_unit_test(a_flat_fall_stays_flat),
        cmocka_unit_test(resting_bodies_rest),
        cmocka_unit_test(two_balls_exchange_their_speeds),
        cmocka_unit_test(a_block_slides_beyond_the_angle_of_friction),
        cmocka_unit_test(bounces_have_the_same_bits),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
