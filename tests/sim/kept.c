// SPDX-License-Identifier: Apache-2.0
// Pairs kept over several steps, and contacts solved in blocks: the bits of whole searches, on any number of threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/response/contact.h"
#include "sim/response/kept.h"
#include "support/simulation.h"

// A sheet falls onto a ball that turns, and a rigid ball onto both.
static toc_sim *make_scene(int threads) {
    toc_sim_settings settings = toc_sim_settings_default();
    settings.threads = threads;
    settings.step = 0.01;
    toc_sim *sim;
    assert_ok(toc_sim_create(&settings, NULL, &sim));
    toc_sim_material cloth = toc_sim_material_default(), ball = cloth, stone = cloth;
    cloth.stretch = 400;
    cloth.bend = 1e-5;
    ball.motion = TOC_SIM_GUIDED;
    stone.motion = TOC_SIM_RIGID;
    cloth.thickness = ball.thickness = stone.thickness = 0.02;
    cloth.friction = ball.friction = 0.5;
    const uint32_t cells = (uint32_t)test_less(24, 10);
    test_sim_add(sim, test_mesh_place(test_grid_sheet(TOC_TRIANGLE, cells, cells), 2.0 / cells, -1, -1, 0.6), cloth);
    const uint32_t guided = test_sim_add(sim, test_mesh_place(test_sphere(3), 0.5, 0.01, 0.02, 0), ball);
    test_sim_add(sim, test_mesh_place(test_sphere(2), 0.2, 0.1, 0, 1.2), stone);
    assert_ok(toc_sim_set_velocity(sim, guided, (double[3]){0}, (double[3]){0, 0, 1}, (double[3]){0}));
    return sim;
}

static void assert_same_states(const toc_sim *a, const toc_sim *b) {
    const size_t count = toc_sim_get_state(a, NULL);
    double *states[2] = {malloc(count * sizeof(double)), malloc(count * sizeof(double))};
    assert_int_equal(toc_sim_get_state(b, NULL), count);
    toc_sim_get_state(a, states[0]);
    toc_sim_get_state(b, states[1]);
    assert_memory_equal(states[0], states[1], count * sizeof(double));
    free(states[0]);
    free(states[1]);
}

// One keeps pairs, one searches in every step, on other numbers of threads.
static void kept_pairs_change_no_bit(void **state) {
    (void)state;
    toc_sim *keeps = make_scene(3), *searches = make_scene(1);
    toc_sim_report report;
    size_t contacts = 0, impacts = 0, longest = 0;
    for (int i = 0; i < test_less(90, 45); i++) {
        assert_ok(toc_sim_step(keeps, &report));
        toc_sim_kept_free(searches);
        assert_ok(toc_sim_step(searches, NULL));
        assert_same_states(keeps, searches);
        contacts += report.contacts;
        impacts += report.impacts;
        if (keeps->kept.age > longest) longest = keeps->kept.age;
    }
    print_message("%zu contacts, %zu impacts; pairs served up to %zu steps\n", contacts, impacts, longest);
    assert_true(contacts > 100 && longest > 1);
    assert_int_equal(test_sim_crossings(keeps), 0);
    toc_sim_destroy(keeps);
    toc_sim_destroy(searches);
}

// A vertex that is thrown out of its way in the middle of a span.
static void vertices_that_stray_are_noticed(void **state) {
    (void)state;
    toc_sim *keeps = make_scene(1), *searches = make_scene(1);
    int spans = 0;
    for (int i = 0; i < 30; i++) {
        toc_sim *both[2] = {keeps, searches};
        if (keeps->kept.age > 1 && i > 10) {
            const size_t count = toc_mesh_get_vertex_count(toc_scene_get_mesh(toc_sim_get_scene(keeps), 0));
            double *v = calloc(3 * count, sizeof *v);
            memcpy(v, toc_sim_get_velocities(keeps, 0), 3 * count * sizeof *v);
            v[3 * (count / 2) + 2] = -9;
            for (int k = 0; k < 2; k++) assert_ok(toc_sim_set_velocities(both[k], 0, count, v));
            free(v);
            spans++;
        }
        toc_sim_kept_free(searches);
        for (int k = 0; k < 2; k++) assert_ok(toc_sim_step(both[k], NULL));
        assert_same_states(keeps, searches);
    }
    assert_true(spans > 0);
    assert_int_equal(test_sim_crossings(keeps), 0);
    toc_sim_destroy(keeps);
    toc_sim_destroy(searches);
}

// Contacts of several threads share vertices of guided bodies. They were written with the same value, but for -0.
static void guided_vertices_are_not_written(void **state) {
    (void)state;
    toc_sim *sim = test_sim_without_gravity(1);
    toc_sim_material soft = toc_sim_material_default(), guided = soft;
    guided.motion = TOC_SIM_GUIDED;
    const uint32_t body[2] = {test_sim_add(sim, test_grid_sheet(TOC_TRIANGLE, 1, 1), soft),
                              test_sim_add(sim, test_grid_sheet(TOC_TRIANGLE, 1, 1), guided)};
    const toc_contact touch = {
        .kind = TOC_VF, .body = {body[0], body[1]}, .v = {0, 0, 1, 2}, .weights = {1, 0.25, 0.25, 0.5}};
    sim_contact contact = toc_sim_contact_make(sim, &touch, (double[3]){0, 0, -1});
    double(*floor[2])[3] = {sim->x + contact.v[1], sim->v + contact.v[1]}, before[2][4][3];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) floor[k][i][2] = -0.0;
    for (int k = 0; k < 2; k++) memcpy(before[k], floor[k], sizeof before[k]);
    sim->v[contact.v[0]][2] = 1;
    assert_true(toc_sim_contact_solve(sim, &contact, 0.1, sim->x, 0));
    toc_sim_contact_stop(sim, &contact);
    assert_true(sim->x[contact.v[0]][2] < 0 && sim->v[contact.v[0]][2] == 0); // both moved the soft vertex
    for (int k = 0; k < 2; k++) assert_memory_equal(before[k], floor[k], sizeof before[k]);
    toc_sim_destroy(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guided_vertices_are_not_written),
        cmocka_unit_test(kept_pairs_change_no_bit),
        cmocka_unit_test(vertices_that_stray_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
