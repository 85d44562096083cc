// SPDX-License-Identifier: Apache-2.0
// Simulations, cages and bindings in hosts with another floating-point state: the same bits, and the state is kept.
#include <stdlib.h>
#include <string.h>

#include "scenes/skeleton.h"
#include "support/modes.h"
#include "support/simulation.h"
#include "toccata/character.h"

// ---- a simulation

typedef struct run {
    size_t count;
    double *state;
    toc_sim_energy energy;
} run;

// A soft block falls onto a rigid ball and a plate that is held at a corner. Only calls for the simulation see the
// mode.
static run simulate_in_mode(int mode, int threads) {
    run r;
    toc_sim_settings settings = toc_sim_settings_default();
    settings.threads = threads;
    settings.substeps = 4;
    toc_sim_material soft = toc_sim_material_default(), rigid = soft;
    soft.young = 1e5;
    rigid.motion = TOC_SIM_RIGID;
    toc_mesh *meshes[3] = {test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 0.1, 0.01, 0.02, 0.23),
                           test_mesh_place(test_sphere(1), 0.1, 0.003, 0.004, 0.105),
                           test_mesh_place(test_grid_sheet(TOC_TRIANGLE, 3, 3), 0.1, 0.3, 0.2, 0)};
    toc_sim *sim;

    enter_mode(mode);
    toc_status status = toc_sim_create(&settings, NULL, &sim);
    for (int i = 0; i < 3 && status == TOC_OK; i++)
        status = toc_sim_add_body(sim, meshes[i], i == 1 ? &rigid : &soft, NULL);
    if (status == TOC_OK) status = toc_sim_pin_vertex(sim, 2, 0);
    if (status == TOC_OK)
        status = toc_sim_set_velocity(sim, 0, (const double[]){0.1, 0.2, -3}, (const double[]){1, 0.3, 0.7},
                                      (const double[]){0.1, 0, 0.3});
    for (int i = 0; i < 6 && status == TOC_OK; i++) status = toc_sim_step(sim, NULL);
    r.energy = toc_sim_find_energy(sim);
    leave_mode(mode);

    assert_ok(status);
    r.count = toc_sim_get_state(sim, NULL);
    r.state = malloc(r.count * sizeof *r.state);
    assert_int_equal(toc_sim_get_state(sim, r.state), r.count);
    toc_sim_destroy(sim);
    return r;
}

static void a_run_is_the_same_in_every_state(void **state) {
    (void)state;
    const run right = simulate_in_mode(0, 1);
    assert_true(right.energy.kinetic > 0);
    for (int mode = 1; mode < MODES; mode++) {
        const run r = simulate_in_mode(mode, 1 + mode % 3);
        assert_int_equal(r.count, right.count);
        assert_memory_equal(r.state, right.state, r.count * sizeof *r.state);
        assert_memory_equal(&r.energy, &right.energy, sizeof r.energy);
        free(r.state);
    }
    free(right.state);
}

// ---- a cage and its skin

enum { PLACES = 3 * 200 };

static size_t bind_in_mode(int mode, double *places) {
    toc_mesh *mesh = test_sphere(2);
    const size_t count = toc_mesh_get_vertex_count(mesh);
    skeleton skin;
    toc_cage_settings settings = toc_cage_settings_default();
    toc_cage *cage = NULL;
    toc_binding *binding = NULL;
    settings.distance = 0.05;
    assert_in_range(3 * count, 1, PLACES);
    assert_ok(skeleton_begin(mesh, 1, &skin));
    for (size_t i = 0; i < count; i++)
        assert_ok(skeleton_add_vertex(&skin, 1, (const uint32_t[]){0}, (const double[]){1}));

    enter_mode(mode);
    toc_status status = toc_cage_create(&skin.def, &settings, NULL, &cage);
    const toc_mesh *tets = status == TOC_OK ? toc_cage_get_def(cage)->cage : NULL;
    if (status == TOC_OK) status = toc_cage_bind(toc_cage_get_def(cage), &skin.def, NULL, &binding);
    if (status == TOC_OK)
        status = toc_binding_apply(binding, toc_mesh_get_vertex_count(tets), toc_mesh_get_x0(tets), count, places);
    leave_mode(mode);

    assert_ok(status);
    toc_binding_destroy(binding);
    toc_cage_destroy(cage);
    toc_mesh_destroy(mesh);
    skeleton_free(&skin);
    return 3 * count;
}

static void a_cage_is_the_same_in_every_state(void **state) {
    (void)state;
    double right[PLACES], places[PLACES];
    const size_t count = bind_in_mode(0, right);
    for (int mode = 1; mode < MODES; mode++) {
        assert_int_equal(bind_in_mode(mode, places), count);
        assert_memory_equal(places, right, count * sizeof *right);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_is_the_same_in_every_state),
                                       cmocka_unit_test(a_cage_is_the_same_in_every_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
