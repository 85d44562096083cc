// SPDX-License-Identifier: Apache-2.0
// Glue of surfaces that breaks: seams of edges, laps of faces, cloth on a block, balloons.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/simulation.h"

static const double at_rest[3] = {0, 0, 0};
static const double three_turns = 18.84955592153875943;

// ---- a seam around a tube

enum { AROUND = 8, ALONG = 2, RING = ALONG * AROUND }; // RING: the first vertex of the last ring
static const double tube_radius = 0.1, tube_cell = 0.05, seam_gap = 0.00105, load_cell = 200;

// A tube of triangles whose lower end is at z, open at both ends.
static toc_mesh *make_tube(double z) {
    toc_mesh *mesh;
    double x[3 * (ALONG + 1) * AROUND];
    for (int i = 0; i < (ALONG + 1) * AROUND; i++) {
        const double angle = three_turns / 3 * (i % AROUND) / AROUND;
        x[3 * i] = tube_radius * cos(angle);
        x[3 * i + 1] = tube_radius * sin(angle);
        x[3 * i + 2] = z + tube_cell * (i / AROUND);
    }
    assert_ok(toc_mesh_create(NULL, &mesh));
    assert_ok(toc_mesh_add_vertices(mesh, (ALONG + 1) * AROUND, x, NULL));
    for (uint32_t i = 0; i < ALONG * AROUND; i++) {
        const uint32_t next = i / AROUND * AROUND + (i + 1) % AROUND;
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2,
                                        (uint32_t[]){i, next, next + AROUND, i, next + AROUND, i + AROUND}, NULL));
    }
    return mesh;
}

/// Two tubes with a seam between them: the lower end is held, the upper one is joined to a plate through springs.
typedef struct seamed_tube {
    toc_sim *sim;
    uint32_t plate;
    size_t glued, unglued;
} seamed_tube;

static seamed_tube make_seamed_tube(double strength, double speed, int threads) {
    seamed_tube t = {.sim = test_sim_without_gravity(threads)};
    toc_sim_material soft = toc_sim_material_default(), plate = soft;
    soft.stretch = 400;
    soft.area_density = 2; // springs whose vertices are light against them differ from their forces
    soft.adhesion = 0.002;
    soft.adhesion_strength = strength;
    soft.thickness = plate.thickness = 0.001;
    soft.damping = 20;
    plate.motion = TOC_SIM_GUIDED;
    const double height = 2 * ALONG * tube_cell + seam_gap;
    const uint32_t low = test_sim_add(t.sim, make_tube(0), soft);
    const uint32_t high = test_sim_add(t.sim, make_tube(ALONG * tube_cell + seam_gap), soft);
    t.plate = test_sim_add(t.sim, make_tube(height + tube_cell), plate);
    for (uint32_t v = 0; v < AROUND; v++) {
        assert_ok(toc_sim_pin_vertex(t.sim, low, v));
        assert_ok(toc_sim_join_vertices(t.sim, (uint32_t[]){high, t.plate}, (uint32_t[]){RING + v, v}, load_cell));
    }
    assert_ok(toc_sim_set_velocity(t.sim, t.plate, (double[]){0, 0, speed}, at_rest, at_rest));
    return t;
}

static void step_tube(seamed_tube *t) {
    toc_sim_report report;
    assert_ok(toc_sim_step(t->sim, &report));
    t->glued += report.glued;
    t->unglued += report.unglued;
}

// The load that the springs of the plate measure, upwards.
static double load_of(const seamed_tube *t) {
    const uint32_t first = (ALONG + 1) * AROUND + RING; // of the last ring, in the mesh of both tubes
    const double *x = toc_sim_get_positions(t->sim, 0), *p = toc_sim_get_positions(t->sim, t->plate);
    double load = 0;
    for (uint32_t v = 0; v < AROUND; v++) {
        double way[3];
        for (uint32_t k = 0; k < 3; k++) way[k] = p[3 * v + k] - x[3 * (first + v) + k];
        load += load_cell * (hypot(hypot(way[0], way[1]), way[2]) - tube_cell);
    }
    return load;
}

// The stress that the plate measures over the cross section of the seam, when the seam breaks.
static double break_tube(double strength, double speed, int steps, size_t *unglued) {
    seamed_tube t = make_seamed_tube(strength, speed, 1);
    const double section = AROUND * 2 * tube_radius * sin(three_turns / 6 / AROUND) * 0.001;
    double stress = 0;
    for (int i = 0; i < steps; i++) {
        if (t.unglued == 0 && i > 0) stress = load_of(&t) / section;
        step_tube(&t);
        assert_int_equal(test_sim_crossings(t.sim), 0);
    }
    assert_int_equal(t.glued, AROUND);
    *unglued = t.unglued;
    toc_sim_destroy(t.sim);
    return stress;
}

static void a_seam_breaks_at_its_strength(void **state) {
    (void)state;
    size_t low, high, never;
    const double at_low = break_tube(1e4, 0.02, 140, &low);
    assert_double_near(at_low, 1e4, 500);
    assert_int_equal(low, AROUND);
    if (TEST_BRIEF) return;
    const double at_high = break_tube(2e4, 0.02, 260, &high);
    const double most = break_tube(0, 0.02, 260, &never);
    print_message("strength 10000 breaks at %g, 20000 at %g; %g without a strength\n", at_low, at_high, most);
    assert_double_near(at_high, 2e4, 1000);
    assert_true(high == AROUND && never == 0 && most > 2.2e4);
}

// A seam under twice its strength, but from both sides.
static void pressure_does_not_break_a_seam(void **state) {
    (void)state;
    size_t unglued;
    const double stress = break_tube(1500, -0.02, 100, &unglued);
    assert_true(stress < -3000);
    assert_int_equal(unglued, 0);
}

static void assert_same_states(toc_sim *const sims[2]) {
    const size_t count = toc_sim_get_state(sims[0], NULL);
    double *states[2];
    assert_int_equal(toc_sim_get_state(sims[1], NULL), count);
    for (int k = 0; k < 2; k++) {
        states[k] = malloc(count * sizeof(double));
        toc_sim_get_state(sims[k], states[k]);
    }
    assert_memory_equal(states[0], states[1], count * sizeof(double));
    for (int k = 0; k < 2; k++) free(states[k]);
}

// A state after the seam broke, taken over with another number of threads.
static void a_broken_seam_goes_on_with_the_same_bits(void **state) {
    (void)state;
    seamed_tube tubes[2] = {make_seamed_tube(1e3, 0.05, 1), make_seamed_tube(1e3, 0.05, 2)};
    for (int i = 0; i < 100 && tubes[0].unglued == 0; i++) step_tube(&tubes[0]);
    assert_true(tubes[0].unglued > 0);
    const size_t count = toc_sim_get_state(tubes[0].sim, NULL);
    double *saved = malloc(count * sizeof(double));
    toc_sim_get_state(tubes[0].sim, saved);
    assert_ok(toc_sim_set_state(tubes[1].sim, saved, count));
    free(saved);
    toc_sim *const sims[2] = {tubes[0].sim, tubes[1].sim};
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 2; k++) step_tube(&tubes[k]);
    assert_same_states(sims);
    for (int k = 0; k < 2; k++) toc_sim_destroy(sims[k]);
}

// ---- laps

enum { SIDE = 4, LAP = (SIDE / 2 + 1) * (SIDE + 1) };

static toc_sim_material lap_material(double strength) {
    toc_sim_material cloth = toc_sim_material_default();
    cloth.stretch = 2000;
    cloth.adhesion = 0.01;
    cloth.adhesion_strength = strength;
    cloth.thickness = 0.002;
    cloth.damping = 0;
    return cloth;
}

/// Two sheets that lap by half: the first has the lower x.
typedef struct lapped_sheets {
    toc_shape shape;
    double gap;   // of the second above the first
    double speed; // of the end of the second along z, and against it of the first
} lapped_sheets;

// Their ends are torn apart once they are glued.
static void tear_sheets(toc_sim *sim, double speed) {
    const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(sim), 0));
    const double *x = toc_sim_get_positions(sim, 0);
    double *v = calloc(3 * count, sizeof *v);
    for (size_t i = 0; i < count; i++) v[3 * i + 2] = x[3 * i] < 0.15 ? -speed : x[3 * i] > 0.45 ? speed : 0;
    assert_ok(toc_sim_set_velocities(sim, 0, count, v));
    free(v);
}

// Where a sheet is left after it came off: the mean of z, by the elements of the one mesh.
static double height_of_half(const toc_sim *sim, bool second) {
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene((toc_sim *)sim), 0);
    const uint32_t half = (uint32_t)toc_mesh_get_element_count(mesh) / 2;
    double sum = 0, corners = 0;
    for (uint32_t i = second ? half : 0; i < (second ? 2 * half : half); i++) {
        const toc_element e = toc_mesh_get_element(mesh, i);
        for (int k = 0; k < e.corner_count; k++) sum += toc_sim_get_positions(sim, 0)[3 * (size_t)e.corners[k] + 2];
        corners += e.corner_count;
    }
    return sum / corners;
}

static void tear_lap(const lapped_sheets *lap) {
    toc_sim *sim = test_sim_without_gravity(1);
    toc_sim_material cloth = lap_material(50), dense = cloth;
    dense.area_density = 0.5;
    test_sim_add(sim, test_mesh_place(test_grid_sheet(lap->shape, SIDE, SIDE), 0.1, 0, 0, 0), cloth);
    test_sim_add(sim, test_mesh_place(test_grid_sheet(lap->shape, SIDE, SIDE), 0.1, 0.2, 0, lap->gap), dense);
    const toc_sim_energy before = toc_sim_find_energy(sim);
    toc_sim_report report;
    assert_ok(toc_sim_step(sim, &report));
    assert_int_equal(report.glued, LAP);
    tear_sheets(sim, lap->speed);
    const toc_sim_energy torn = toc_sim_find_energy(sim);
    size_t unglued = 0;
    for (int i = 0; i < test_less(120, 40); i++) {
        assert_ok(toc_sim_step(sim, &report));
        unglued += report.unglued;
        assert_int_equal(report.glued, 0);
        assert_int_equal(test_sim_crossings(sim), 0);
        const toc_sim_energy now = toc_sim_find_energy(sim);
        assert_double_near(now.mass, before.mass, 1e-12 * before.mass);
        for (int k = 0; k < 3; k++) assert_double_near(now.momentum[k], torn.momentum[k], 1e-9);
    }
    const double apart = height_of_half(sim, true) - height_of_half(sim, false);
    print_message("%zu of %d came apart, the second sheet is %g above the first\n", unglued, LAP, apart);
    assert_int_equal(unglued, LAP);
    assert_true(apart * lap->speed > 0);
    toc_sim_destroy(sim);
}

// A lap opens from its ends: mass and momentum stay, no face crosses another one.
static void a_lap_is_torn_open(void **state) {
    (void)state;
    tear_lap(&(lapped_sheets){TOC_TRIANGLE, 0.0025, 5});
    tear_lap(&(lapped_sheets){TOC_QUAD, -0.0025, -5});
    if (TEST_BRIEF) return;
    tear_lap(&(lapped_sheets){TOC_TRIANGLE, -0.0025, -5});
    tear_lap(&(lapped_sheets){TOC_QUAD, 0.0025, 5});
}

// A strip in its own plane pulls at a sheet that is held: the first vertices of the lap bear all of it, and the one
// with a triangle less breaks first.
static void a_lap_breaks_at_its_strength(void **state) {
    (void)state;
    const double cell = 0.1, strength = 3e3, speed = 0.02;
    toc_sim *sim = test_sim_without_gravity(1);
    toc_sim_material cloth = lap_material(strength), plate = cloth;
    cloth.damping = 20;
    cloth.bend = 0;
    cloth.area_density = 2;
    plate.adhesion = plate.adhesion_strength = 0;
    plate.motion = TOC_SIM_GUIDED;
    const uint32_t held = test_sim_add(sim, test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 1, 1), cell, 0, 0, 0), cloth);
    const uint32_t strip =
        test_sim_add(sim, test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 4, 1), cell, 0, 0, 0.0025), cloth);
    const uint32_t grip =
        test_sim_add(sim, test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 1, 1), cell, 5 * cell, 0, 0.0025), plate);
    for (uint32_t v = 0; v < 4; v++) assert_ok(toc_sim_pin_vertex(sim, held, v));
    for (uint32_t v = 0; v < 2; v++)
        assert_ok(toc_sim_join_vertices(sim, (uint32_t[]){strip, grip}, (uint32_t[]){4 + 5 * v, 2 * v}, load_cell));
    assert_ok(toc_sim_set_velocity(sim, grip, (double[]){speed, 0, 0}, at_rest, at_rest));
    toc_sim_report report;
    double load = 0;
    size_t glued = 0, unglued = 0;
    for (int i = 0; i < 2000 && unglued == 0; i++) {
        load = 0;
        const double *x = toc_sim_get_positions(sim, 0), *p = toc_sim_get_positions(sim, grip);
        for (uint32_t v = 0; v < 2 && i > 0; v++)
            load += load_cell * (p[3 * (size_t)(2 * v)] - x[3 * (size_t)(4 + 4 + 5 * v)] - cell);
        assert_ok(toc_sim_step(sim, &report));
        glued += report.glued;
        unglued += report.unglued;
    }
    print_message("%zu glued; the first vertex breaks under %g N\n", glued, load);
    assert_int_equal(glued, 4);
    // Half of the load over a third of one triangle.
    assert_double_near(load, 2 * strength * cell * cell / 6, 0.2 * strength * cell * cell / 3);
    assert_ok(toc_sim_set_velocity(sim, grip, (double[]){0.3, 0, 0}, at_rest, at_rest));
    for (int i = 0; i < 60; i++) {
        assert_ok(toc_sim_step(sim, &report));
        unglued += report.unglued;
        assert_int_equal(test_sim_crossings(sim), 0);
    }
    assert_int_equal(unglued, 4);
    toc_sim_destroy(sim);
}

// ---- other bodies

// Cloth on a block that is held, in either order of the bodies: a pull at its free half takes it off, and the block
// stays where it is.
static void cloth_comes_off_a_block(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        toc_sim *sim = test_sim_without_gravity(1);
        toc_sim_material cloth = lap_material(100), block = cloth;
        toc_mesh *sheet = test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 4, 2), 0.1, 0, 0, 0.2025);
        toc_mesh *solid = test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 0.1, 0, 0, 0);
        const size_t mine = first ? 0 : 27;
        test_sim_add(sim, first ? sheet : solid, first ? cloth : block);
        test_sim_add(sim, first ? solid : sheet, first ? block : cloth);
        for (uint32_t v = 0; v < 27; v++) assert_ok(toc_sim_pin_vertex(sim, first ? 1 : 0, v));
        const double mass = toc_sim_find_energy(sim).mass; // of the cloth: held vertices have none
        toc_sim_report report;
        assert_ok(toc_sim_step(sim, &report));
        assert_int_equal(report.glued, 9);
        double v[3 * 42] = {0};
        for (size_t i = 0; i < 15; i++) v[3 * (mine + i) + 2] = i % 5 > 2 ? 4 : 0;
        assert_ok(toc_sim_set_velocities(sim, 0, 42, v));
        size_t unglued = 0;
        for (int i = 0; i < 60; i++) {
            assert_ok(toc_sim_step(sim, &report));
            unglued += report.unglued;
            assert_int_equal(test_sim_crossings(sim), 0);
        }
        assert_int_equal(unglued, 9);
        assert_double_near(toc_sim_find_energy(sim).mass, mass, 1e-12 * mass);
        const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(sim), 0);
        size_t still = 0;
        for (uint32_t i = 0; i < toc_mesh_get_vertex_count(mesh); i++) {
            const double *u = toc_sim_get_velocities(sim, 0) + 3 * (size_t)i;
            still += toc_mesh_has_vertex(mesh, i) && u[0] == 0 && u[1] == 0 && u[2] == 0;
        }
        assert_int_equal(still, 27);
        toc_sim_destroy(sim);
    }
}

// Two balloons that fly into each other.
static toc_sim *make_balloons(double strength) {
    toc_sim *sim = test_sim_without_gravity(1);
    toc_sim_material rubber = lap_material(strength);
    rubber.adhesion = 0.02;
    rubber.thickness = 0.01;
    rubber.inflation = 1;
    test_sim_add(sim, test_mesh_place(test_sphere(2), 0.3, 0, 0, -0.32), rubber);
    test_sim_add(sim, test_mesh_place(test_sphere(2), 0.3, 0.003, 0.002, 0.32), rubber);
    assert_ok(toc_sim_set_velocity(sim, 0, (double[]){0, 0, 1}, at_rest, at_rest));
    assert_ok(toc_sim_set_velocity(sim, 1, (double[]){0, 0, -1}, at_rest, at_rest));
    return sim;
}

static void tear_balloons(toc_sim *sim) {
    const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(sim), 0));
    const double *x = toc_sim_get_positions(sim, 0);
    double *v = calloc(3 * count, sizeof *v);
    for (size_t i = 0; i < count; i++) v[3 * i + 2] = x[3 * i + 2] > 0.1 ? 8 : x[3 * i + 2] < -0.1 ? -8 : 0;
    assert_ok(toc_sim_set_velocities(sim, 0, count, v));
    free(v);
}

// Balloons come off each other if their glue is weak, without a crossing, and stay together if it is strong.
static void balloons_come_apart(void **state) {
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        toc_sim *sim = make_balloons(strong ? 1e9 : 5e3);
        const toc_sim_energy before = toc_sim_find_energy(sim);
        toc_sim_report report;
        size_t glued = 0, unglued = 0;
        for (int i = 0; i < 60; i++) {
            if (i == 20) tear_balloons(sim);
            assert_ok(toc_sim_step(sim, &report));
            glued += report.glued;
            unglued += report.unglued;
            assert_int_equal(test_sim_crossings(sim), 0);
            assert_double_near(toc_sim_find_energy(sim).mass, before.mass, 1e-12 * before.mass);
        }
        print_message("%zu glued, %zu came apart\n", glued, unglued);
        assert_true(glued > 4);
        assert_true(strong ? unglued == 0 : unglued > 4);
        toc_sim_destroy(sim);
    }
}

static toc_status break_starved(const toc_allocator *allocator, void *user) {
    (void)user;
    toc_sim *sim;
    toc_status status = test_sim_try(allocator, &sim);
    if (status != TOC_OK) return status;
    toc_sim_material cloth = lap_material(1e-3);
    toc_mesh *meshes[2] = {test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 1, 1), 0.1, 0, 0, 0),
                           test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 1, 1), 0.1, 0, 0, 0.0025)};
    for (int i = 0; i < 2; i++) {
        if (status == TOC_OK) status = toc_sim_add_body(sim, meshes[i], &cloth, NULL);
        if (status != TOC_OK) toc_mesh_destroy(meshes[i]);
    }
    if (status == TOC_OK) status = toc_sim_pin_vertex(sim, 0, 0);
    toc_sim_report report = {0};
    size_t unglued = 0;
    for (int i = 0; i < 4 && status == TOC_OK; i++) {
        status = toc_sim_step(sim, &report);
        unglued += report.unglued;
    }
    if (status == TOC_OK) assert_true(unglued > 0);
    toc_sim_destroy(sim);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_true(test_every_allocation(break_starved, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seam_breaks_at_its_strength),
        cmocka_unit_test(pressure_does_not_break_a_seam),
        cmocka_unit_test(a_broken_seam_goes_on_with_the_same_bits),
        cmocka_unit_test(a_lap_is_torn_open),
        cmocka_unit_test(a_lap_breaks_at_its_strength),
        cmocka_unit_test(cloth_comes_off_a_block),
        cmocka_unit_test(balloons_come_apart),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
