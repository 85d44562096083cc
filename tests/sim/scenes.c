// SPDX-License-Identifier: Apache-2.0
// Simulations that are built in, as a user runs them: shells of the car fail near the wall, elements that meet hard
// stay the right way round, the blade in the liver loses no element.
#include "scenes/simulated/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "scenes/simulated/measure.h"
#include "support/simulation.h"

static simulation open_scene(const char *name, size_t size) {
    simulation s;
    const simulation_options options = {.size = size, .threads = 1};
    assert_ok(simulation_open(name, &options, &s));
    return s;
}

static double speed_energy(const simulation *s) { return toc_sim_find_energy(s->sim).kinetic; }

// Where the removed elements of a body were, along x, at the start: the largest.
static double farthest_removed(const simulation *s, uint32_t body, const double *start, const toc_mesh *whole) {
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(s->sim), body);
    double farthest = 0;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++) {
        if (toc_mesh_get_element(mesh, e).shape != TOC_REMOVED) continue;
        const double x = start[3 * (size_t)toc_mesh_get_element(whole, e).corners[0]];
        if (x > farthest) farthest = x;
    }
    return farthest;
}

// The car comes from the right, its bumper at 0.23 m. Without gravity, energy of motion is only lost.
static void shells_of_the_car_fail_near_the_wall(void **state) {
    (void)state;
    if (TEST_BRIEF) skip();
    const size_t size = 8, frames = 60;
    simulation s = open_scene("car", size), other = open_scene("car", size);
    const size_t bytes =
        3 * sizeof(double) * toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(s.sim), 0));
    double *start = malloc(bytes);
    const double all = speed_energy(&s);
    memcpy(start, toc_sim_get_positions(s.sim, 0), bytes);
    toc_sim_report sum = {0};
    for (size_t i = 1; i < frames; i++) {
        assert_ok(simulation_advance(&s, i, &sum));
        assert_true(speed_energy(&s) < 1.01 * all);
    }
    const double farthest = farthest_removed(&s, 0, start, toc_scene_get_mesh(toc_sim_get_scene(other.sim), 0));
    print_message("%zu shells failed, up to %g m; %g of %g J are left\n", sum.eroded, farthest, speed_energy(&s), all);
    assert_true(sum.eroded > 0);
    assert_true(farthest < 1.5);
    assert_true(speed_energy(&s) < 0.95 * all);
    assert_int_equal(test_sim_crossings(s.sim), 0);
    free(start);
    simulation_close(&s);
    simulation_close(&other);
}

// Two triangles with a common vertex, one of which passes through the other: no pair of faces without a common vertex.
static void neighbours_that_cross_are_counted(void **state) {
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        const double z = apart ? 1 : -0.5;
        const double x[15] = {0, 0, 0, 4, -1, 0, 4, 1, 0, 2, 0, z, 2, 0, 1.5};
        toc_sim *sim = test_sim_without_gravity(1);
        toc_mesh *mesh;
        size_t surface = 0, inside = 0;
        assert_ok(toc_mesh_create(NULL, &mesh));
        assert_ok(toc_mesh_add_vertices(mesh, 5, x, NULL));
        assert_ok(toc_mesh_add_elements(mesh, TOC_TRIANGLE, 2, (const uint32_t[]){0, 1, 2, 3, 4, 0}, NULL));
        test_sim_add(sim, mesh, toc_sim_material_default());
        assert_ok(measure_crossings(sim, 1, false, &surface));
        assert_ok(measure_crossings(sim, 1, true, &inside));
        assert_int_equal(surface, !apart);
        assert_int_equal(inside, !apart);
        toc_sim_destroy(sim);
    }
}

// Contacts of the surface alone: nothing but the elements themselves keeps the inside from folding.
static void a_blow_folds_no_elements(void **state) {
    (void)state;
    simulation s = open_scene("merging", test_less(5, 4));
    measure_overlaps overlaps = {0};
    size_t inside = 0;
    for (size_t i = 1; i < 40; i++) {
        assert_ok(simulation_advance(&s, i, NULL));
        assert_ok(measure_crossings(s.sim, 1, true, &inside));
        assert_ok(measure_penetration(s.sim, 1, &overlaps));
    }
    assert_true(inside == 0 && overlaps.pairs == 0);
    simulation_close(&s);
}

static void the_liver_is_cut_without_loss(void **state) {
    (void)state;
    simulation s = open_scene("liver", 2);
    measure_pieces before, after;
    assert_ok(measure_debris(s.sim, &before));
    const double mass = toc_sim_find_energy(s.sim).mass;
    toc_sim_report sum = {0};
    for (size_t i = 1; i < 160; i += 8) {
        assert_ok(simulation_advance(&s, i, &sum));
        assert_int_equal(test_sim_crossings(s.sim), 0);
    }
    assert_ok(measure_debris(s.sim, &after));
    print_message("%zu vertices split\n", sum.splits);
    assert_true(sum.splits > 0 && sum.eroded == 0);
    // A divided edge adds an element at least.
    assert_true(sum.divided > 0 && after.elements >= before.elements + sum.divided);
    assert_double_near(toc_sim_find_energy(s.sim).mass, mass, 1e-12 * mass);
    simulation_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_of_the_car_fail_near_the_wall),
        cmocka_unit_test(neighbours_that_cross_are_counted),
        cmocka_unit_test(a_blow_folds_no_elements),
        cmocka_unit_test(the_liver_is_cut_without_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
