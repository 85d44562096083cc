// SPDX-License-Identifier: Apache-2.0
// Bodies that glue: mass and momentum stay, nothing crosses, the two go on as one. Glue that breaks, surfaces that
// yield.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/simulation.h"

static const double at_rest[3] = {0, 0, 0};

// Two blocks of different density fly at each other; a third body and the spare vertices of a material that can fail
// lie between them in the order of the particles.
static toc_sim *make_blocks(double adhesion, double failure, int threads) {
    toc_sim *sim = test_sim_without_gravity(threads);
    toc_sim_material soft = toc_sim_material_default(), other = soft, bystander = soft;
    soft.damping = other.damping = 0;
    soft.thickness = other.thickness = 0.01;
    soft.adhesion = 0.8 * adhesion, other.adhesion = 1.2 * adhesion;
    soft.failure = other.failure = failure;
    other.density = 300;
    const uint32_t a = test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 0.2, -0.45, 0, 0), soft);
    test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 1), 0.2, 3, 3, 3), bystander);
    const uint32_t b =
        test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 0.2, 0.05, 0.013, 0.021), other);
    assert_ok(toc_sim_set_velocity(sim, a, (double[]){0.6, 0, 0}, at_rest, at_rest));
    assert_ok(toc_sim_set_velocity(sim, b, (double[]){-0.4, 0.03, 0}, at_rest, at_rest));
    return sim;
}

static void assert_same_sums(const toc_sim_energy *before, const toc_sim_energy *after) {
    assert_double_near(after->mass, before->mass, 1e-12 * before->mass);
    for (int k = 0; k < 3; k++) assert_double_near(after->momentum[k], before->momentum[k], 1e-9 * before->mass);
}

// The blocks become one body of the lower id, with the mass and the momentum of both.
static void glued_bodies_keep_mass_and_momentum(void **state) {
    (void)state;
    for (int breaks = 0; breaks < 2; breaks++) {
        toc_sim *sim = make_blocks(0.06, breaks ? 1e9 : 0, 1);
        const toc_sim_energy before = toc_sim_find_energy(sim);
        toc_sim_report report;
        size_t glued = 0;
        for (int i = 0; i < 60; i++) {
            assert_ok(toc_sim_step(sim, &report));
            glued += report.glued;
            assert_int_equal(test_sim_crossings(sim), 0);
            const toc_sim_energy now = toc_sim_find_energy(sim);
            assert_same_sums(&before, &now);
        }
        toc_scene *scene = toc_sim_get_scene(sim);
        print_message("%zu vertices glued\n", glued);
        assert_true(glued >= 4);
        assert_true(toc_scene_has_body(scene, 0) && toc_scene_has_body(scene, 1) && !toc_scene_has_body(scene, 2));
        assert_null(toc_sim_get_positions(sim, 2));
        assert_int_equal(toc_mesh_get_element_count(toc_scene_get_mesh(scene, 0)), 96);
        assert_fails(toc_sim_pin_vertex(sim, 2, 0), TOC_BAD_INPUT, "glued");
        toc_sim_destroy(sim);
    }
}

// The vertices that glue when blocks meet at a speed, the force of a step being given.
static size_t glued_at(double speed, double force) {
    toc_sim *sim = test_sim_without_gravity(1);
    toc_sim_material soft = toc_sim_material_default();
    soft.thickness = 0.01;
    soft.adhesion = 0.05;
    soft.adhesion_force = force;
    test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 1), 0.2, -0.24, 0, 0), soft);
    soft.adhesion_force = 3 * force;
    const uint32_t b =
        test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 1), 0.2, 0.02, 0.013, 0.021), soft);
    assert_ok(toc_sim_set_velocity(sim, b, (double[]){-speed, 0, 0}, at_rest, at_rest));
    toc_sim_report report;
    size_t glued = 0;
    for (int i = 0; i < 40; i++) {
        assert_ok(toc_sim_step(sim, &report));
        glued += report.glued;
        assert_int_equal(test_sim_crossings(sim), 0);
    }
    toc_sim_destroy(sim);
    return glued;
}

// A vertex has a mass of 1 kg and stops within a step of 1/60 s or a few: 6 N at 0.1 m/s at most, some 100 N at 4 m/s.
// Without a force, nearness alone counts.
static void bodies_glue_under_force(void **state) {
    (void)state;
    const size_t soft = glued_at(0.1, 20), hard = glued_at(4, 20), near = glued_at(0.1, 0);
    print_message("%zu glued slowly, %zu fast, %zu without a force\n", soft, hard, near);
    assert_true(soft == 0 && hard >= 4 && near >= 4);
}

// How far apart the farthest vertices are along x after the two have met.
static double width_after(double adhesion) {
    toc_sim *sim = make_blocks(adhesion, 0, 1);
    for (int i = 0; i < 240; i++) assert_ok(toc_sim_step(sim, NULL));
    double low = INFINITY, high = -INFINITY;
    for (uint32_t b = 0; b < 3; b += 2) {
        const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(sim), b);
        for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
            const double x = toc_sim_get_positions(sim, b)[3 * (size_t)v];
            low = fmin(low, x), high = fmax(high, x);
        }
    }
    toc_sim_destroy(sim);
    return high - low;
}

static void glued_bodies_stay_together(void **state) {
    (void)state;
    const double apart = width_after(0), together = width_after(0.06);
    print_message("%g wide without adhesion, %g with\n", apart, together);
    assert_true(together < 1.1 && apart > 1.2);
}

static void gluing_is_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    toc_sim *sims[2] = {make_blocks(0.06, 0, 1), make_blocks(0.06, 0, 2)};
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 2; k++) assert_ok(toc_sim_step(sims[k], NULL));
    const size_t count = toc_sim_get_state(sims[0], NULL);
    assert_int_equal(count, toc_sim_get_state(sims[1], NULL));
    double *states[2] = {malloc(count * sizeof(double)), malloc(count * sizeof(double))};
    for (int k = 0; k < 2; k++) toc_sim_get_state(sims[k], states[k]);
    assert_memory_equal(states[0], states[1], count * sizeof(double));
    for (int k = 0; k < 2; k++) {
        free(states[k]);
        toc_sim_destroy(sims[k]);
    }
}

static void materials_that_cannot_glue_or_cut_are_refused(void **state) {
    (void)state;
    toc_sim *sim = test_sim_without_gravity(1);
    toc_mesh *mesh = test_grid_volume(TOC_TET, 1, 1, 1);
    toc_sim_material material = toc_sim_material_default();
    material.adhesion = -1;
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT, "adhesion is -1");
    material.adhesion = 0;
    material.adhesion_force = 1;
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT, "adhesion_force is 1 and adhesion 0");
    material.adhesion_force = 0;
    material.adhesion = 0.1;
    material.lattice = 0.5;
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT, "lattice");
    material.lattice = 0;
    material.motion = TOC_SIM_RIGID;
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT, "only soft bodies");
    material = toc_sim_material_default();
    material.sharp = true;
    assert_fails(toc_sim_add_body(sim, mesh, &material, NULL), TOC_BAD_INPUT, "cut");
    toc_mesh_destroy(mesh);
    toc_sim_destroy(sim);
}

// From corner to corner.
static double diagonal_of(const toc_sim *sim, uint32_t body, size_t count) {
    const double *x = toc_sim_get_positions(sim, body), *y = x + 3 * (count - 1);
    return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
}

// How much a sheet grows that is pulled for a while: elastic ones come back, those that yield stay longer, and erosion
// tears them.
static double pull_sheet(double yield, double erosion, size_t *eroded) {
    toc_sim *sim = test_sim_without_gravity(1);
    toc_sim_material cloth = toc_sim_material_default();
    cloth.yield = yield;
    cloth.erosion = erosion;
    cloth.damping = 3;
    cloth.stretch = 20;
    const uint32_t body = test_sim_add(sim, test_mesh_place(test_grid_sheet(TOC_QUAD, 4, 2), 0.1, 0, 0, 0), cloth);
    const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(sim), body));
    double *v = calloc(3 * count, sizeof *v);
    for (size_t i = 0; i < count; i++) v[3 * i] = 8 * (toc_sim_get_positions(sim, body)[3 * i] - 0.2);
    assert_ok(toc_sim_set_velocities(sim, body, count, v));
    free(v);
    toc_sim_report report;
    const double before = diagonal_of(sim, body, count);
    for (int i = 0; i < 400; i++) {
        assert_ok(toc_sim_step(sim, &report));
        *eroded += report.eroded;
    }
    const double after = diagonal_of(sim, body, count);
    toc_sim_destroy(sim);
    return after / before;
}

static void surfaces_that_yield_stay_longer(void **state) {
    (void)state;
    size_t none = 0, torn = 0;
    const double elastic = pull_sheet(0, 0, &none), plastic = pull_sheet(0.02, 0, &none);
    pull_sheet(0.02, 1.1, &torn);
    print_message("length %g elastic, %g plastic, %zu shells torn\n", elastic, plastic, torn);
    assert_double_near(elastic, 1, 0.01);
    assert_true(plastic > 1.03);
    assert_true(none == 0 && torn > 0);
}

/// A bar of two glued halves between plates: the lower one rests, the upper one moves.
typedef struct glued_bar {
    toc_sim *sim;
    uint32_t bar, plate;
} glued_bar;

static const double bar_length = 0.8015, bar_young = 1e5;

static void join_end(toc_sim *sim, uint32_t bar, uint32_t plate, double z) {
    const toc_scene *scene = toc_sim_get_scene(sim);
    const double *x = toc_sim_get_positions(sim, bar), *p = toc_sim_get_positions(sim, plate);
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, bar)); v++)
        for (uint32_t w = 0; w < toc_mesh_get_vertex_count(toc_scene_get_mesh(scene, plate)); w++) {
            const double *a = x + 3 * (size_t)v, *b = p + 3 * (size_t)w;
            if (fabs(a[2] - z) > 1e-6 || fabs(a[0] - b[0]) > 1e-6 || fabs(a[1] - b[1]) > 1e-6) continue;
            assert_ok(toc_sim_join_vertices(sim, (uint32_t[]){bar, plate}, (uint32_t[]){v, w}, INFINITY));
        }
}

static glued_bar make_glued_bar(double strength, double speed) {
    glued_bar b = {.sim = test_sim_without_gravity(1)};
    toc_sim_material soft = toc_sim_material_default(), plate = soft;
    soft.young = bar_young;
    soft.poisson = 0;
    soft.adhesion = 0.02;
    soft.adhesion_strength = strength;
    soft.thickness = plate.thickness = 0.001;
    soft.damping = 20;
    plate.motion = TOC_SIM_GUIDED;
    b.bar = test_sim_add(b.sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 4), 0.1, 0, 0, 0), soft);
    const uint32_t top =
        test_sim_add(b.sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 4), 0.1, 0, 0, 0.4015), soft);
    const uint32_t below =
        test_sim_add(b.sim, test_mesh_place(test_grid_sheet(TOC_QUAD, 2, 2), 0.1, 0, 0, -0.05), plate);
    b.plate = test_sim_add(b.sim, test_mesh_place(test_grid_sheet(TOC_QUAD, 2, 2), 0.1, 0, 0, 0.8515), plate);
    join_end(b.sim, b.bar, below, 0);
    join_end(b.sim, top, b.plate, bar_length);
    assert_ok(toc_sim_set_velocity(b.sim, b.plate, (double[]){0, 0, speed}, at_rest, at_rest));
    return b;
}

// The stress of the bar when the first vertex comes apart; 0 if none does.
static double break_bar(double strength, double speed, int steps, size_t *unglued) {
    glued_bar b = make_glued_bar(strength, speed);
    toc_sim_report report;
    double stress = 0;
    size_t glued = 0;
    // Some more steps after the last vertex: none glues again.
    for (int i = 0, after = 0; i < steps && after < 20; i++) {
        assert_ok(toc_sim_step(b.sim, &report));
        after += *unglued == 9;
        glued += report.glued;
        if (*unglued == 0 && report.unglued > 0) stress = bar_young * speed * report.time / bar_length;
        *unglued += report.unglued;
        if (i % 20 == 0) assert_int_equal(test_sim_crossings(b.sim), 0);
    }
    assert_int_equal(glued, 9);
    toc_sim_destroy(b.sim);
    return stress;
}

// A bar without Poisson's effect bears Young's modulus times its strain at every cross section. Glue that broke stays
// broken, however near the halves are.
static void glue_breaks_at_its_strength(void **state) {
    (void)state;
    size_t low = 0, high = 0, never = 0;
    const double at_low = break_bar(4e3, 0.05, 400, &low);
    assert_double_near(at_low, 4e3, 400);
    if (TEST_BRIEF) return;
    const double at_high = break_bar(8e3, 0.05, 400, &high);
    assert_double_near(break_bar(0, 0.05, 200, &never), 0, 0);
    print_message("strength 4000 breaks at %g, 8000 at %g\n", at_low, at_high);
    assert_double_near(at_high, 8e3, 800);
    assert_true(low == 9 && high == 9 && never == 0);
}

// Less pressure than bends the bar aside, and more than the strength.
static void pressure_does_not_break_glue(void **state) {
    (void)state;
    size_t unglued = 0;
    assert_double_near(break_bar(2e3, -0.05, 80, &unglued), 0, 0);
    assert_int_equal(unglued, 0);
}

// A state after the first vertices came apart, taken over with another number of threads.
static void breaking_glue_goes_on_with_the_same_bits(void **state) {
    (void)state;
    glued_bar bars[2] = {make_glued_bar(1e3, 0.5), make_glued_bar(1e3, 0.5)};
    toc_sim_report report = {0};
    for (int i = 0; i < 200 && report.unglued == 0; i++) assert_ok(toc_sim_step(bars[0].sim, &report));
    assert_true(report.unglued > 0);
    size_t count = toc_sim_get_state(bars[0].sim, NULL);
    double *states[2] = {malloc(count * sizeof(double)), NULL};
    toc_sim_get_state(bars[0].sim, states[0]);
    assert_ok(toc_sim_set_state(bars[1].sim, states[0], count));
    free(states[0]);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 2; k++) assert_ok(toc_sim_step(bars[k].sim, NULL));
    count = toc_sim_get_state(bars[0].sim, NULL);
    assert_int_equal(toc_sim_get_state(bars[1].sim, NULL), count);
    for (int k = 0; k < 2; k++) {
        states[k] = malloc(count * sizeof(double));
        toc_sim_get_state(bars[k].sim, states[k]);
        toc_sim_destroy(bars[k].sim);
    }
    assert_memory_equal(states[0], states[1], count * sizeof(double));
    for (int k = 0; k < 2; k++) free(states[k]);
}

// A block on one that is pinned, in either order of the bodies: when the glue breaks, the pinned vertices stay, and the
// others are free.
static void pinned_vertices_stay_with_their_body(void **state) {
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        toc_sim *sim = test_sim_without_gravity(1);
        toc_sim_material soft = toc_sim_material_default();
        soft.adhesion = 0.02;
        soft.adhesion_strength = 500;
        soft.thickness = 0.001;
        for (int b = 0; b < 2; b++)
            test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 0.1, 0, 0, b == pinned ? 0 : 0.202),
                         soft);
        for (uint32_t v = 0; v < 27; v++) assert_ok(toc_sim_pin_vertex(sim, (uint32_t)pinned, v));
        assert_ok(toc_sim_set_velocity(sim, (uint32_t)!pinned, (double[]){0, 0, 1}, at_rest, at_rest));
        toc_sim_report report;
        size_t unglued = 0, still = 0, low = 0;
        for (int i = 0; i < 60; i++) {
            assert_ok(toc_sim_step(sim, &report));
            unglued += report.unglued;
        }
        assert_int_equal(unglued, 9);
        const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(sim), 0);
        for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++) {
            if (!toc_mesh_has_vertex(mesh, v)) continue;
            const double *x = toc_sim_get_positions(sim, 0) + 3 * (size_t)v,
                         *u = toc_sim_get_velocities(sim, 0) + 3 * (size_t)v;
            low += x[2] < 0.2001;
            still += x[2] < 0.2001 && u[0] == 0 && u[1] == 0 && u[2] == 0;
        }
        assert_int_equal(low, 27);
        assert_int_equal(still, 27);
        toc_sim_destroy(sim);
    }
}

static bool is_used(const toc_mesh *mesh, uint32_t vertex) {
    for (uint32_t i = 0; i < toc_mesh_get_element_count(mesh); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        for (int k = 0; k < e.corner_count; k++)
            if (e.corners[k] == vertex) return true;
    }
    return false;
}

// A glued vertex that the material split before may have elements of one body alone: there is no glue left to break.
static void glue_breaks_once_beside_cracks(void **state) {
    (void)state;
    toc_sim *sim = test_sim_without_gravity(1);
    toc_sim_material soft = toc_sim_material_default();
    soft.adhesion = 0.02;
    soft.adhesion_strength = 3e3;
    soft.failure = 1e3;
    soft.thickness = 0.001;
    for (int b = 0; b < 2; b++)
        test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 0.1, 0, 0, 0.202 * b), soft);
    toc_sim_report report;
    size_t glued = 0, unglued = 0, splits = 0;
    for (int i = 0; i < 60; i++) {
        if (i == 2) {
            assert_null(toc_sim_get_positions(sim, 1));
            const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(sim), 0));
            double *v = calloc(3 * count, sizeof *v);
            for (size_t k = 0; k < count; k++) v[3 * k + 2] = 10 * (toc_sim_get_positions(sim, 0)[3 * k + 2] - 0.2);
            assert_ok(toc_sim_set_velocities(sim, 0, count, v));
            free(v);
        }
        assert_ok(toc_sim_step(sim, &report));
        glued += report.glued;
        unglued += report.unglued;
        splits += report.splits;
    }
    print_message("%zu glued, %zu split, %zu came apart\n", glued, splits, unglued);
    assert_true(splits > 0 && unglued > 0);
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(sim), 0);
    for (uint32_t v = 0; v < toc_mesh_get_vertex_count(mesh); v++)
        assert_true(!toc_mesh_has_vertex(mesh, v) || is_used(mesh, v));
    toc_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glued_bodies_keep_mass_and_momentum),
        cmocka_unit_test(bodies_glue_under_force),
        cmocka_unit_test(glued_bodies_stay_together),
        cmocka_unit_test(gluing_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(materials_that_cannot_glue_or_cut_are_refused),
        cmocka_unit_test(surfaces_that_yield_stay_longer),
        cmocka_unit_test(glue_breaks_at_its_strength),
        cmocka_unit_test(pressure_does_not_break_glue),
        cmocka_unit_test(breaking_glue_goes_on_with_the_same_bits),
        cmocka_unit_test(pinned_vertices_stay_with_their_body),
        cmocka_unit_test(glue_breaks_once_beside_cracks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
