// SPDX-License-Identifier: Apache-2.0
// Materials that fail: vertices split, elements erode, and nothing crosses.
#include <math.h>
#include <stdlib.h>

#include "sim/core/sim.h"
#include "sim/fracture/fracture.h"
#include "support/simulation.h"

// Principal values of a matrix with known ones, turned.
static void principal_values_are_found(void **state) {
    (void)state;
    const double c = cos(0.7), s = sin(0.7);
    // diag(1, 5, -3) turned about z.
    double m[3][3] = {{c * c + 5 * s * s, (1 - 5) * c * s, 0}, {(1 - 5) * c * s, s * s + 5 * c * c, 0}, {0, 0, -3}};
    double axis[3];
    assert_double_near(toc_sim_largest_eigenvalue(m, axis), 5, 1e-12);
    assert_double_near(fabs(axis[0] * -s + axis[1] * c), 1, 1e-9);
}

/// The outcome of a bar whose halves fly apart.
typedef struct torn_bar {
    size_t splits, eroded, unsplit, vertices, elements;
    double mass;
} torn_bar;

// With ids for so many splits.
static torn_bar tear_with(size_t ids, toc_shape shape, double failure, double erosion, bool forces) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.gravity[2] = 0;
    settings.step = 0.002;
    settings.substeps = 10;
    settings.threads = 1;
    toc_sim *sim;
    assert_ok(toc_sim_create(&settings, NULL, &sim));
    toc_sim_material material = toc_sim_material_default();
    material.failure = failure;
    material.erosion = erosion;
    material.forces = forces;
    material.thickness = 0.001;
    const uint32_t body = test_sim_add(sim, test_mesh_place(test_grid_volume(shape, 2, 2, 6), 0.1, 0, 0, 0), material);
    // The velocity grows along the bar, so that it is torn.
    const size_t count = toc_sim_get_state(sim, NULL);
    double *saved = malloc(count * sizeof *saved);
    toc_sim_get_state(sim, saved);
    const toc_mesh *mesh = toc_scene_get_mesh(toc_sim_get_scene(sim), body);
    const size_t vertices = toc_mesh_get_vertex_count(mesh);
    const size_t particles = (count - 2 - 3) / 6;
    if (ids < sim->bodies.at[0].room - vertices) sim->bodies.at[0].room = (uint32_t)(vertices + ids);
    for (size_t i = 0; i < vertices; i++) saved[2 + 3 * particles + 3 * i + 2] = 20 * (saved[2 + 3 * i + 2] - 0.3);
    assert_ok(toc_sim_set_state(sim, saved, count));
    torn_bar result = {0};
    toc_sim_report report;
    for (int i = 0; i < 25; i++) {
        assert_ok(toc_sim_step(sim, &report));
        result.splits += report.splits;
        result.eroded += report.eroded;
        result.unsplit += report.unsplit;
        assert_int_equal(test_sim_crossings(sim), 0);
    }
    result.vertices = toc_mesh_get_vertex_count(mesh) - vertices;
    for (uint32_t e = 0; e < toc_mesh_get_element_count(mesh); e++)
        result.elements += toc_mesh_get_element(mesh, e).shape != TOC_REMOVED;
    // A state of before the edits does not fit any more.
    if (result.splits + result.eroded > 0)
        assert_fails(toc_sim_set_state(sim, saved, count), TOC_BAD_INPUT, "another topology");
    free(saved);
    toc_sim_destroy(sim);
    return result;
}

static torn_bar tear(toc_shape shape, double failure, double erosion, bool forces) {
    return tear_with(SIZE_MAX, shape, failure, erosion, forces);
}

static void a_bar_that_is_torn_splits(void **state) {
    (void)state;
    for (int forces = 0; forces < 2; forces++) {
        const torn_bar whole = tear(TOC_TET, 1e9, 0, forces), torn = tear(TOC_TET, 1e4, 0, forces);
        assert_int_equal(whole.splits, 0);
        assert_int_equal(whole.elements, 144);
        assert_true(torn.splits > 5);
        assert_true(torn.vertices >= torn.splits);
        assert_int_equal(torn.elements, 144);
        assert_int_equal(torn.unsplit, 0);
    }
}

// A body whose ids run out stays whole there, and the report says so.
static void ids_that_run_out_are_told(void **state) {
    (void)state;
    const torn_bar torn = tear_with(3, TOC_TET, 1e4, 0, false);
    assert_int_equal(torn.vertices, 3);
    assert_true(torn.unsplit > 0);
}

static void elements_stretched_too_far_erode(void **state) {
    (void)state;
    const torn_bar torn = tear(TOC_HEX, 0, 1.1, false);
    assert_true(torn.eroded > 0);
    assert_int_equal(torn.elements + torn.eroded, 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(principal_values_are_found),
        cmocka_unit_test(a_bar_that_is_torn_splits),
        cmocka_unit_test(elements_stretched_too_far_erode),
        cmocka_unit_test(ids_that_run_out_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
