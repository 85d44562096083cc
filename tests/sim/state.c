// SPDX-License-Identifier: Apache-2.0
// States of simulations whose meshes were edited: a new simulation makes the edits, and goes on with the same bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/simulation.h"

/// A plate that a ball breaks: hexes that erode, or tets that split.
typedef struct plate {
    toc_shape shape;
    double failure, erosion;
    bool forces;
} plate;

static toc_sim *make_plate(const plate *p, int threads, const toc_allocator *allocator) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.gravity[2] = 0;
    settings.step = 2e-4;
    settings.substeps = 4;
    settings.surface_only = false;
    settings.threads = threads;
    toc_sim *sim;
    if (toc_sim_create(&settings, allocator, &sim) != TOC_OK) return NULL;
    toc_sim_material soft = toc_sim_material_default(), steel = soft;
    soft.young = 2e6;
    soft.failure = p->failure;
    soft.erosion = p->erosion;
    soft.forces = p->forces;
    soft.thickness = steel.thickness = 0.002;
    steel.motion = TOC_SIM_RIGID;
    steel.density = 8000;
    toc_mesh *meshes[2] = {test_mesh_place(test_grid_volume(p->shape, 6, 6, 1), 0.05, -0.15, -0.15, 0),
                           test_mesh_place(test_sphere(1), 0.05, 0.003, 0.004, 0.105)};
    for (int i = 0; i < 2; i++) {
        if (toc_sim_add_body(sim, meshes[i], i ? &steel : &soft, NULL) == TOC_OK) continue;
        for (; i < 2; i++) toc_mesh_destroy(meshes[i]);
        toc_sim_destroy(sim);
        return NULL;
    }
    const double *x = toc_sim_get_positions(sim, 0);
    for (uint32_t v = 0; v < 98; v++)
        if (fabs(x[3 * v]) > 0.14) assert_ok(toc_sim_pin_vertex(sim, 0, v));
    assert_ok(toc_sim_set_velocity(sim, 1, (double[]){0, 0, -60}, (double[3]){0}, (double[3]){0}));
    return sim;
}

static double *state_of(const toc_sim *sim, size_t *count) {
    *count = toc_sim_get_state(sim, NULL);
    double *state = malloc(*count * sizeof *state);
    assert_int_equal(toc_sim_get_state(sim, state), *count);
    return state;
}

static void assert_same_state(const toc_sim *a, const toc_sim *b) {
    size_t counts[2];
    double *states[2] = {state_of(a, &counts[0]), state_of(b, &counts[1])};
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(states[0], states[1], counts[0] * sizeof **states);
    free(states[0]);
    free(states[1]);
}

static void assert_same_elements(toc_sim *a, toc_sim *b) {
    const toc_mesh *meshes[2] = {toc_scene_get_mesh(toc_sim_get_scene(a), 0),
                                 toc_scene_get_mesh(toc_sim_get_scene(b), 0)};
    assert_int_equal(toc_mesh_get_element_count(meshes[0]), toc_mesh_get_element_count(meshes[1]));
    assert_int_equal(toc_mesh_get_vertex_count(meshes[0]), toc_mesh_get_vertex_count(meshes[1]));
    for (uint32_t e = 0; e < toc_mesh_get_element_count(meshes[0]); e++) {
        const toc_element p = toc_mesh_get_element(meshes[0], e), q = toc_mesh_get_element(meshes[1], e);
        assert_int_equal(p.shape, q.shape);
        for (int k = 0; k < p.corner_count; k++) assert_int_equal(p.corners[k], q.corners[k]);
    }
}

// Saved while the plate breaks, at every few steps, and taken over by a new simulation with another number of threads.
static void go_on_after_edits(const plate *p, size_t least) {
    toc_sim *whole = make_plate(p, 1, NULL), *resumed = NULL;
    toc_sim_report report;
    size_t edits = 0;
    for (int i = 0; i < 36; i++) {
        assert_ok(toc_sim_step(whole, &report));
        edits += report.splits + report.eroded;
        if (resumed) assert_ok(toc_sim_step(resumed, NULL));
        if (i % 9 != 8) continue;
        if (resumed) assert_same_state(whole, resumed);
        size_t count;
        double *state = state_of(whole, &count);
        toc_sim_destroy(resumed);
        resumed = make_plate(p, 2, NULL);
        assert_ok(toc_sim_set_state(resumed, state, count));
        assert_same_state(whole, resumed);
        assert_same_elements(whole, resumed);
        free(state);
    }
    print_message("%zu edits\n", edits);
    assert_true(edits > least);
    toc_sim_destroy(whole);
    toc_sim_destroy(resumed);
}

static void a_run_goes_on_after_its_material_failed(void **state) {
    (void)state;
    go_on_after_edits(&(plate){TOC_HEX, 0, 1.1, false}, 3);
    if (!TEST_BRIEF) go_on_after_edits(&(plate){TOC_TET, 3e4, 1.4, true}, 5);
}

// Two soft boxes that fly into each other and are glued: a body is gone, and its particles have other numbers.
static toc_sim *make_glued(int threads) {
    toc_sim *sim = test_sim_without_gravity(threads);
    toc_sim_material sticky = toc_sim_material_default();
    sticky.adhesion = 0.1;
    sticky.failure = 3e4;
    sticky.thickness = 0.02;
    test_sim_add(sim, test_grid_volume(TOC_TET, 2, 2, 2), sticky);
    test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 1, 1, 1), 1, 9, 0, 0), sticky);
    test_sim_add(sim, test_mesh_place(test_grid_volume(TOC_TET, 2, 2, 2), 1, 2.3, 0.01, 0.02), sticky);
    assert_ok(toc_sim_set_velocity(sim, 2, (double[]){-3, 0, 0}, (double[3]){0}, (double[3]){0}));
    return sim;
}

static void a_run_goes_on_after_bodies_glued(void **state) {
    (void)state;
    toc_sim *whole = make_glued(1), *resumed = NULL;
    toc_sim_report report;
    size_t glued = 0;
    for (int i = 0; i < 40; i++) {
        assert_ok(toc_sim_step(whole, &report));
        glued += report.glued;
        if (resumed) assert_ok(toc_sim_step(resumed, NULL));
        if (i % 10 != 9) continue;
        if (resumed) assert_same_state(whole, resumed);
        size_t count;
        double *saved = state_of(whole, &count);
        toc_sim_destroy(resumed);
        resumed = make_glued(2);
        assert_ok(toc_sim_set_state(resumed, saved, count));
        assert_same_state(whole, resumed);
        assert_same_elements(whole, resumed);
        free(saved);
    }
    print_message("%zu vertices glued\n", glued);
    assert_true(glued > 0);
    assert_null(toc_sim_get_positions(resumed, 2));
    toc_sim_destroy(whole);
    toc_sim_destroy(resumed);
}

// Numbers that are no journal, or that do not fit, are refused with a sentence.
static void damaged_states_are_refused(void **state) {
    (void)state;
    const plate p = {TOC_HEX, 0, 1.1, false};
    toc_sim *sim = make_plate(&p, 1, NULL), *other = make_plate(&p, 1, NULL);
    size_t count, early;
    double *before = state_of(sim, &early);
    for (int i = 0; i < 36; i++) assert_ok(toc_sim_step(sim, NULL));
    double *saved = state_of(sim, &count);
    assert_true(saved[1] > 0);
    assert_fails(toc_sim_set_state(sim, before, early), TOC_BAD_INPUT, "another topology");
    assert_fails(toc_sim_set_state(other, saved, count - 1), TOC_BAD_INPUT, "doubles");
    assert_fails(toc_sim_set_state(other, saved, 1), TOC_BAD_INPUT, "1 doubles");
    const struct {
        size_t at;
        double value;
        const char *words;
    } damages[] = {{1, 1e9, "numbers of edits"}, {1, -1, "numbers of edits"}, {1, 0.5, "numbers of edits"},
                   {2, 7, "the edit at"},        {3, 99, "the edit at"},      {4, 1e12, "the edit at"},
                   {5, -3, "the edit at"},       {5, NAN, "not finite"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const double kept = saved[damages[i].at];
        saved[damages[i].at] = damages[i].value;
        assert_fails(toc_sim_set_state(other, saved, count), TOC_BAD_INPUT, damages[i].words);
        saved[damages[i].at] = kept;
    }
    // The last numbers are those of the colours: the end of the last one is the number of tets.
    saved[count - 1] = 1e6;
    assert_fails(toc_sim_set_state(other, saved, count), TOC_BAD_INPUT, "the state is damaged");
    free(before);
    free(saved);
    toc_sim_destroy(sim);
    toc_sim_destroy(other);
}

static toc_status take_over(const toc_allocator *allocator, void *user) {
    const double *state = user;
    toc_sim *sim = make_plate(&(plate){TOC_HEX, 0, 1.1, false}, 1, allocator);
    if (!sim) return TOC_OUT_OF_MEMORY;
    const toc_status status = toc_sim_set_state(sim, state + 1, (size_t)state[0]);
    toc_sim_destroy(sim);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    toc_sim *sim = make_plate(&(plate){TOC_HEX, 0, 1.1, false}, 1, NULL);
    for (int i = 0; i < 30; i++) assert_ok(toc_sim_step(sim, NULL));
    const size_t count = toc_sim_get_state(sim, NULL);
    double *saved = malloc((count + 1) * sizeof *saved);
    saved[0] = (double)toc_sim_get_state(sim, saved + 1);
    assert_true(test_every_allocation(take_over, saved) > 20);
    free(saved);
    toc_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_after_its_material_failed),
        cmocka_unit_test(a_run_goes_on_after_bodies_glued),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
