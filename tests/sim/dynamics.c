// SPDX-License-Identifier: Apache-2.0
// The solver against formulas: free fall, springs, a stretched bar, pressure, shape, and bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/constraint/constraint.h"
#include "support/simulation.h"

static toc_sim *make_sim(double gravity, double step, uint32_t substeps, int threads) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.gravity[2] = -gravity;
    settings.step = step;
    settings.substeps = substeps;
    settings.threads = threads;
    toc_sim *sim;
    assert_ok(toc_sim_create(&settings, NULL, &sim));
    return sim;
}

static void run_steps(toc_sim *sim, int count) {
    for (int i = 0; i < count; i++) assert_ok(toc_sim_step(sim, NULL));
}

// Soft and rigid bodies in free fall: the position of semi-implicit Euler, and the momentum of gravity.
static void bodies_fall_freely(void **state) {
    (void)state;
    toc_sim *sim = make_sim(10, 0.01, 10, 1);
    toc_sim_material soft = toc_sim_material_default(), rigid = soft;
    soft.damping = rigid.damping = 0;
    rigid.motion = TOC_SIM_RIGID;
    const uint32_t a = test_sim_add(sim, test_grid_volume(TOC_HEX, 2, 2, 2), soft);
    const uint32_t b = test_sim_add(sim, test_mesh_place(test_sphere(2), 1, 9, 0, 0), rigid);
    double before[2][3], after[2][3];
    test_sim_centre(sim, a, before[0]);
    test_sim_centre(sim, b, before[1]);
    run_steps(sim, 20);
    test_sim_centre(sim, a, after[0]);
    test_sim_centre(sim, b, after[1]);
    const double h = 0.001, n = 200, fall = 10 * h * h * n * (n + 1) / 2;
    for (int k = 0; k < 2; k++) assert_double_near(before[k][2] - after[k][2], fall, 1e-9);
    const toc_sim_energy energy = toc_sim_find_energy(sim);
    assert_double_near(energy.momentum[0], 0, 1e-6);
    const double mass = -energy.momentum[2] / (10 * 0.2);
    assert_true(mass > 8000 && mass < 8000 + 1000 * 4.19); // the box of 8, and a ball a little below 4/3 pi
    assert_double_near(energy.volume, 8, 1e-9);
    toc_sim_destroy(sim);
}

// A bar hangs from its top: small strain, so that its end sinks by density g L^2 / 2 E.
static void hang_bar(bool forces) {
    toc_sim *sim = make_sim(10, 0.01, 40, 1);
    toc_sim_material material = toc_sim_material_default();
    material.young = 1e6;
    material.poisson = 0;
    material.damping = 20;
    material.forces = forces;
    toc_mesh *bar = test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 8), 0.125, 0, 0, 0); // 1 long
    const uint32_t body = test_sim_add(sim, bar, material);
    const double *x = toc_sim_get_positions(sim, body);
    for (uint32_t v = 0; v < 36; v++)
        if (x[3 * v + 2] > 0.999) assert_ok(toc_sim_pin_vertex(sim, body, v));
    run_steps(sim, 150);
    x = toc_sim_get_positions(sim, body);
    const double wanted = 1000 * 10 * 1.0 / (2 * 1e6);
    double got = 0;
    for (int v = 0; v < 4; v++) got -= x[3 * v + 2] / 4;
    print_message("extension %g, by formula %g\n", got, wanted);
    assert_double_near(got, wanted, 0.05 * wanted);
    toc_sim_destroy(sim);
}

static void a_hanging_bar_extends_by_hookes_law(void **state) {
    (void)state;
    hang_bar(false);
    hang_bar(true);
}

// A weight on a spring rests where stiffness times extension is its weight.
static void a_spring_extends_by_its_stiffness(void **state) {
    (void)state;
    toc_sim *sim = make_sim(10, 0.01, 20, 1);
    toc_sim_material material = toc_sim_material_default();
    material.line_density = 2; // 1 at each end
    material.stretch = 100;
    material.damping = 5;
    toc_mesh *mesh;
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, 2, (double[]){0, 0, 0, 0, 0, -1}, NULL));
    assert_ok(toc_mesh_add_elements(mesh, TOC_EDGE, 1, (uint32_t[]){0, 1}, NULL));
    const uint32_t body = test_sim_add(sim, mesh, material);
    assert_ok(toc_sim_pin_vertex(sim, body, 0));
    run_steps(sim, 400);
    assert_double_near(toc_sim_get_positions(sim, body)[5], -1.1, 1e-3);
    toc_sim_destroy(sim);
}

// Derivatives of the angle of a hinge are those of its differences.
static void the_gradient_of_a_hinge_is_its_derivative(void **state) {
    (void)state;
    test_random random = test_random_make(0);
    for (int round = 0; round < 100; round++) {
        double x[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}}, gradient[4][3], unused[4][3], angle;
        for (int i = 0; i < 12; i++) x[i / 3][i % 3] += test_random_between(&random, -0.4, 0.4);
        assert_true(toc_sim_hinge_angle(x, &angle, gradient));
        for (int i = 0; i < 12; i++) {
            double plus, minus, *c = &x[i / 3][i % 3];
            const double d = 1e-6, at = *c;
            *c = at + d;
            assert_true(toc_sim_hinge_angle(x, &plus, unused));
            *c = at - d;
            assert_true(toc_sim_hinge_angle(x, &minus, unused));
            *c = at;
            assert_double_near(gradient[i / 3][i % 3], (plus - minus) / (2 * d), 1e-6);
        }
    }
}

// A crumpled sheet with hinges goes back to flat; one without stays bent.
static double bend_of(double stiffness) {
    toc_sim *sim = make_sim(0, 0.01, 10, 1);
    toc_sim_material material = toc_sim_material_default();
    material.bend = stiffness;
    material.damping = 3;
    const uint32_t body = test_sim_add(sim, test_grid_sheet(TOC_TRIANGLE, 1, 1), material);
    double *moved = malloc(toc_sim_get_state(sim, NULL) * sizeof *moved);
    const size_t count = toc_sim_get_state(sim, moved);
    moved[2 + 3 + 2] = 0.3; // z of vertex 1, which is at a corner off the diagonal
    assert_ok(toc_sim_set_state(sim, moved, count));
    free(moved);
    run_steps(sim, 300);
    const double *x = toc_sim_get_positions(sim, body);
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = x[3 + k] - x[k], v[k] = x[6 + k] - x[k], w[k] = x[9 + k] - x[k];
    const double volume =
        u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
    toc_sim_destroy(sim);
    return fabs(volume);
}

static void hinges_flatten_a_sheet(void **state) {
    (void)state;
    assert_true(bend_of(0) > 0.1);
    assert_true(bend_of(1) < 0.01);
}

// Every shape of volume element keeps its volume when it is thrown about, and starts without a force.
static void volumes_stay(void **state) {
    (void)state;
    const toc_shape shapes[] = {TOC_TET, TOC_PYRAMID, TOC_WEDGE, TOC_HEX};
    for (int i = 0; i < 4; i++) {
        toc_sim *sim = make_sim(0, 0.01, 10, 1);
        toc_sim_material material = toc_sim_material_default();
        material.poisson = 0.45;
        const uint32_t body = test_sim_add(sim, test_grid_volume(shapes[i], 2, 2, 2), material);
        run_steps(sim, 3);
        assert_double_near(toc_sim_find_energy(sim).kinetic, 0, 1e-12);
        assert_ok(toc_sim_set_velocity(sim, body, (double[]){1, 0, 0}, (double[]){0, 0, 3}, (double[]){1, 1, 1}));
        const double kinetic = toc_sim_find_energy(sim).kinetic;
        for (int step = 0; step < 50; step++) {
            run_steps(sim, 1);
            const toc_sim_energy e = toc_sim_find_energy(sim);
            assert_double_near(e.volume, 8, 0.4);
            assert_true(e.kinetic < 1.001 * kinetic);
        }
        toc_sim_destroy(sim);
    }
}

// A closed surface is blown up to twice its volume.
static void pressure_inflates_a_bag(void **state) {
    (void)state;
    toc_sim *sim = make_sim(0, 0.01, 10, 1);
    toc_sim_material material = toc_sim_material_default();
    material.inflation = 2;
    material.stretch = 10;
    material.damping = 5;
    const uint32_t body = test_sim_add(sim, test_sphere(2), material);
    run_steps(sim, 200);
    const double *x = toc_sim_get_positions(sim, body);
    const double radius = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    assert_double_near(radius, cbrt(2), 0.05);
    toc_sim_destroy(sim);
}

// A lattice brings a squeezed body back to its shape.
static void a_lattice_restores_the_shape(void **state) {
    (void)state;
    toc_sim *sim = make_sim(0, 0.01, 10, 1);
    toc_sim_material material = toc_sim_material_default();
    material.stretch = material.bend = 0;
    material.lattice = 0.7;
    material.damping = 2;
    const uint32_t body = test_sim_add(sim, test_sphere(2), material);
    const size_t count = toc_sim_get_state(sim, NULL);
    double *squeezed = malloc(count * sizeof *squeezed);
    toc_sim_get_state(sim, squeezed);
    const size_t particles = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(sim), body));
    for (size_t i = 0; i < particles; i++) squeezed[2 + 3 * i + 2] *= 0.6;
    assert_ok(toc_sim_set_state(sim, squeezed, count));
    free(squeezed);
    run_steps(sim, 200);
    const double *x = toc_sim_get_positions(sim, body);
    for (size_t i = 0; i < particles; i++) {
        const double *p = x + 3 * i;
        assert_double_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), 1, 0.05);
    }
    toc_sim_destroy(sim);
}

// A rigid body that turns freely keeps its kinetic energy and its shape.
static void a_rigid_body_turns_freely(void **state) {
    (void)state;
    toc_sim *sim = make_sim(0, 0.01, 10, 1);
    toc_sim_material material = toc_sim_material_default();
    material.motion = TOC_SIM_RIGID;
    material.damping = 0;
    const uint32_t body = test_sim_add(sim, test_grid_volume(TOC_HEX, 1, 2, 3), material);
    assert_ok(toc_sim_set_velocity(sim, body, (double[]){0, 0, 0}, (double[]){1, 2, 0.5}, (double[]){0.5, 1, 1.5}));
    const double kinetic = toc_sim_find_energy(sim).kinetic;
    // I of a box of mass 6000: m / 12 (b^2 + c^2), ...
    assert_double_near(kinetic, 0.5 * 500 * (1 * 13 + 4 * 10 + 0.25 * 5), 1e-6);
    run_steps(sim, 200);
    assert_double_near(toc_sim_find_energy(sim).kinetic, kinetic, 0.03 * kinetic);
    const double *x = toc_sim_get_positions(sim, body);
    const double edge = hypot(hypot(x[3] - x[0], x[4] - x[1]), x[5] - x[2]);
    assert_double_near(edge, 1, 1e-9);
    toc_sim_destroy(sim);
}

// A joint hangs a rigid body from a guided one.
static void a_joint_holds_a_pendulum(void **state) {
    (void)state;
    toc_sim *sim = make_sim(10, 0.01, 20, 1);
    toc_sim_material rigid = toc_sim_material_default(), guided = rigid;
    rigid.motion = TOC_SIM_RIGID;
    guided.motion = TOC_SIM_GUIDED;
    const uint32_t bob = test_sim_add(sim, test_grid_volume(TOC_HEX, 1, 1, 1), rigid);
    const uint32_t hook = test_sim_add(sim, test_mesh_place(test_sphere(1), 0.2, 0, 0, 5), guided);
    assert_ok(toc_sim_join_vertices(sim, (uint32_t[]){bob, hook}, (uint32_t[]){7, 0}, INFINITY));
    const double *a = toc_sim_get_positions(sim, bob) + 21, *b = toc_sim_get_positions(sim, hook);
    const double length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    run_steps(sim, 100);
    assert_double_near(hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]), length, 0.02);
    toc_sim_destroy(sim);
}

// A motion that explodes is a status with a sentence, and the simulation is as before the step.
static void a_blow_up_is_said(void **state) {
    (void)state;
    toc_sim *sim = make_sim(10, 0.01, 1, 1);
    const uint32_t body = test_sim_add(sim, test_grid_volume(TOC_TET, 1, 1, 1), toc_sim_material_default());
    assert_ok(toc_sim_set_velocity(sim, body, (double[]){1e9, 0, 0}, (double[]){0, 0, 0}, (double[]){0, 0, 0}));
    assert_fails(toc_sim_step(sim, NULL), TOC_UNSTABLE, "unstable");
    assert_double_same(toc_sim_get_positions(sim, body)[3], 1);
    assert_double_same(toc_sim_get_time(sim), 0);
    assert_ok(toc_sim_set_velocity(sim, body, (double[]){1e300, 0, 0}, (double[]){0, 0, 0}, (double[]){0, 0, 0}));
    assert_fails(toc_sim_step(sim, NULL), TOC_UNSTABLE, "vertex 0 of body 0");
    toc_sim_destroy(sim);
}

static void mistakes_are_refused(void **state) {
    (void)state;
    toc_sim *sim = make_sim(10, 0.01, 1, 1);
    toc_sim_material material = toc_sim_material_default();
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    material.density = -1;
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT, "density is -1; it must be above 0");
    material = toc_sim_material_default();
    material.poisson = NAN;
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT, "poisson");
    material = toc_sim_material_default();
    assert_fails(toc_sim_add_body(sim, NULL, &material, NULL), TOC_BAD_INPUT, "mesh is NULL");
    assert_ok(toc_sim_add_body(sim, mesh, &material, NULL));
    assert_fails(toc_sim_pin_vertex(sim, 0, 8), TOC_BAD_INPUT, "body 0 has no vertex 8");
    assert_fails(toc_sim_pin_vertex(sim, 1, 0), TOC_BAD_INPUT, "no body 1");
    toc_sim_destroy(sim);
    toc_sim_settings settings = toc_sim_settings_default();
    settings.pushes = 10001;
    assert_fails(toc_sim_create(&settings, NULL, &sim), TOC_BAD_INPUT, "10001 pushes");
    settings.step = 0;
    assert_fails(toc_sim_create(&settings, NULL, &sim), TOC_BAD_INPUT, "the step is 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_freely),
        cmocka_unit_test(a_hanging_bar_extends_by_hookes_law),
        cmocka_unit_test(a_spring_extends_by_its_stiffness),
        cmocka_unit_test(the_gradient_of_a_hinge_is_its_derivative),
        cmocka_unit_test(hinges_flatten_a_sheet),
        cmocka_unit_test(volumes_stay),
        cmocka_unit_test(pressure_inflates_a_bag),
        cmocka_unit_test(a_lattice_restores_the_shape),
        cmocka_unit_test(a_rigid_body_turns_freely),
        cmocka_unit_test(a_joint_holds_a_pendulum),
        cmocka_unit_test(a_blow_up_is_said),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
