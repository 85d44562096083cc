// SPDX-License-Identifier: Apache-2.0
// The stack of simulations and characters: every built-in simulation, and a character with each preset, on one thread
// and on some.
#include "support/stack.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "scenes/creatures.h"
#include "scenes/simulated/simulation.h"
#include "support/characters.h"
#include "support/simulation.h"

typedef struct run_question {
    const char *name;
    int threads;
} run_question;

// Opening adds bodies and pushes them apart; the state is saved and set.
static toc_status run_simulation(void *user) {
    enum { FRAMES = 8 };
    const run_question *q = user;
    const simulation_options options = {.size = 4, .threads = q->threads};
    simulation s;
    toc_status status = simulation_open(q->name, &options, &s);
    if (status != TOC_OK) return status;
    for (size_t i = 1; i <= FRAMES && status == TOC_OK; i++) status = simulation_advance(&s, i, NULL);
    double *kept = malloc(toc_sim_get_state(s.sim, NULL) * sizeof *kept);
    if (status == TOC_OK && kept) status = toc_sim_set_state(s.sim, kept, toc_sim_get_state(s.sim, kept));
    (void)toc_sim_find_energy(s.sim);
    free(kept);
    simulation_close(&s);
    return status;
}

static void simulations_fit_on_a_small_stack(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip(); // sanitizers make frames several times as large
    for (size_t i = 0; simulation_name(i); i++)
        for (int threads = 1; threads <= 2; threads++) {
            char name[128];
            run_question q = {simulation_name(i), threads};
            snprintf(name, sizeof name, "%s, %d threads", q.name, threads);
            test_stack_measure(name, run_simulation, &q);
        }
}

typedef struct pose_question {
    creature *made;
    toc_character_preset preset;
} pose_question;

static toc_status run_character(void *user) {
    const pose_question *q = user;
    toc_character_settings settings = toc_character_settings_default();
    toc_character *c;
    double matrices[12 * 64];
    size_t count;
    settings.preset = q->preset;
    settings.iterations = 4;
    settings.respond = true;
    TOC_TRY(toc_character_create(&q->made->skeleton.def, &settings, NULL, &c));
    toc_status status = TOC_OK;
    for (int i = 0; i < 3 && status == TOC_OK; i++) {
        toc_character_report report;
        creature_pose(q->made, 0.1 * i, matrices);
        status = toc_character_step(c, q->made->joint_count, matrices, &report);
    }
    if (status == TOC_OK) status = toc_character_count_all(c, &count);
    toc_character_destroy(c);
    return status;
}

static toc_status make_cage(void *user) {
    const toc_character_def *skin = user;
    toc_cage_settings settings = toc_cage_settings_default();
    toc_cage *cage;
    toc_binding *binding = NULL;
    toc_cage_report report;
    settings.distance = 0.05;
    TOC_TRY(toc_cage_create(skin, &settings, NULL, &cage));
    toc_status status = toc_cage_inspect(toc_cage_get_def(cage), skin, &report);
    if (status == TOC_OK) status = toc_cage_bind(toc_cage_get_def(cage), skin, NULL, &binding);
    toc_binding_destroy(binding);
    toc_cage_destroy(cage);
    return status;
}

// A ball with one joint.
static void cages_fit_on_a_small_stack(void **state) {
    (void)state;
    enum { VERTICES = 66 };
    if (TEST_SANITIZED) skip();
    toc_mesh *ball = test_sphere(2);
    const uint32_t none = UINT32_MAX, joints[VERTICES] = {0};
    const double bind[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    size_t ends[VERTICES];
    double weights[VERTICES];
    assert_int_equal(toc_mesh_get_vertex_count(ball), VERTICES);
    for (size_t i = 0; i < VERTICES; i++) ends[i] = i + 1, weights[i] = 1;
    toc_character_def skin = {ball, 1, &none, bind, ends, joints, weights};
    test_stack_measure("cage", make_cage, &skin);
    toc_mesh_destroy(ball);
}

static void characters_fit_on_a_small_stack(void **state) {
    (void)state;
    if (TEST_SANITIZED) skip();
    creature made;
    assert_ok(creature_make(CREATURE_HUMAN, 0.5, &made));
    for (size_t p = 0; toc_character_preset_get_name(p); p++) {
        pose_question q = {&made, (toc_character_preset)p};
        test_stack_measure(toc_character_preset_get_name(p), run_character, &q);
    }
    creature_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(simulations_fit_on_a_small_stack),
                                       cmocka_unit_test(characters_fit_on_a_small_stack),
                                       cmocka_unit_test(cages_fit_on_a_small_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
