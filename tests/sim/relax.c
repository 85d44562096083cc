// SPDX-License-Identifier: Apache-2.0
// The sweep of flesh in lanes: each width with the bits of one lane, the step of a lane that of the scalar solver; and
// searches that keep the contacts of what did not move: the same frames as with full searches.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lanes.h"
#include "scenes/creatures.h"
#include "scenes/limbs.h"
#include "sim/character/character.h"
#include "support/characters.h"

/// Settings of a clip with response.
static toc_character_settings response_settings(toc_character_preset preset) {
    toc_character_settings settings = toc_character_settings_default();
    settings.preset = preset;
    settings.iterations = 9;
    settings.respond = true;
    return settings;
}

/// Bend a limb, then hold it; the positions of all frames go to `x`, and the contacts that were left and the vertices
/// found in inverted tets are added.
static void bend(const limb *l, toc_character *c, int frames, double *x, size_t *left) {
    const size_t numbers = 3 * toc_mesh_get_vertex_count(l->cage);
    double matrices[12 * LIMB_JOINTS];
    for (int i = 0; i < frames; i++) {
        toc_character_report report;
        limb_pose(l, 0.3 + 0.6 * fmin(1.25 * i / frames, 1), matrices);
        assert_ok(test_character_step(c, matrices, &report));
        memcpy(x + (size_t)i * numbers, toc_character_get_positions(c, 0), numbers * sizeof *x);
        *left += report.contacts + report.inside_inverted;
    }
}

// TOC_SIMD must not change a frame.
static void every_width_gives_the_same_bits(void **state) {
    (void)state;
    enum { FRAMES = 8 };
    const toc_character_settings settings = response_settings(TOC_CHARACTER_AUTO);
    limb l;
    assert_ok(limb_make(LIMB_ARM, 3, &l));
    const size_t count = FRAMES * 3 * toc_mesh_get_vertex_count(l.cage);
    double *x = malloc(count * sizeof *x), *first = malloc(count * sizeof *x);
    assert_true(x && first);
    for (int lanes = 1; lanes <= toc_lanes_most(); lanes *= 2) {
        size_t left = 0;
        toc_character *c;
        assert_ok(toc_character_create(&l.skeleton.def, &settings, NULL, &c));
        assert_int_equal(c->lanes, toc_lanes_here());
        c->lanes = lanes;
        bend(&l, c, test_less(FRAMES, 2), lanes == 1 ? first : x, &left);
        if (lanes > 1) assert_memory_equal(x, first, count / FRAMES * (size_t)test_less(FRAMES, 2) * sizeof *x);
        toc_character_destroy(c);
    }
    free(x);
    free(first);
    limb_free(&l);
}

/// A character in the middle of a bend, with its contacts.
static toc_character *make_bent(const limb *l) {
    const toc_character_settings settings = response_settings(TOC_CHARACTER_AUTO);
    double matrices[12 * LIMB_JOINTS];
    toc_character *c;
    assert_ok(toc_character_create(&l->skeleton.def, &settings, NULL, &c));
    for (int i = 0; i < 3; i++) {
        limb_pose(l, 0.5 + 0.1 * i, matrices);
        assert_ok(test_character_step(c, matrices, NULL));
    }
    return c;
}

// Two ways to the same place: one vertex with all its terms, and a lane without any.
static void a_lane_moves_as_the_scalar_solver_does(void **state) {
    (void)state;
    limb l;
    size_t moved = 0, left = 0;
    assert_ok(limb_make(LIMB_ARM, 3, &l));
    toc_character *c = make_bent(&l);
    const size_t count = c->bodies.at[0].count;
    test_random random = test_random_make(0);
    for (size_t i = 0; i < 3 * count; i++) c->x.at[i] += c->mean_edge * test_random_between(&random, -0.02, 0.02);
    for (uint32_t v = 0; v < count; v++) {
        double step, before[3], lane[3];
        flesh_relax work = toc_character_elastic_relaxed(c);
        memcpy(before, c->x.at + 3 * (size_t)v, sizeof before);
        work.vertices = &v;
        work.count = 1;
        work.steps = &step;
        toc_relax_kernel1(&work);
        memcpy(lane, c->x.at + 3 * (size_t)v, sizeof lane);
        if (step < 0) {
            assert_memory_equal(lane, before, sizeof before);
            left++;
            continue;
        }
        assert_true(step <= work.most_step);
        memcpy(c->x.at + 3 * (size_t)v, before, sizeof before);
        const double length = toc_character_elastic_relax(c, v, c->flesh.terms.at);
        assert_true(fabs(length - step) < 1e-9 * c->mean_edge);
        for (size_t k = 0; k < 3; k++) assert_true(fabs(c->x.at[3 * (size_t)v + k] - lane[k]) < 1e-9 * c->mean_edge);
        moved++;
    }
    assert_true(moved > 10 * left && left > 0); // pushes, at least
    toc_character_destroy(c);
    limb_free(&l);
}

// The search of all pairs keeps nothing; the others keep contacts in each frame and must not lose or invent one.
static void kept_contacts_change_no_frame(void **state) {
    (void)state;
    enum { FRAMES = 16 };
    static const toc_character_preset presets[] = {TOC_CHARACTER_HASH, TOC_CHARACTER_ONDEMAND_SAFE, TOC_CHARACTER_AUTO};
    limb l;
    assert_ok(limb_make(LIMB_ARM, 3, &l));
    const size_t count = FRAMES * 3 * toc_mesh_get_vertex_count(l.cage);
    double *x = malloc(count * sizeof *x), *first = malloc(count * sizeof *x);
    assert_true(x && first);
    for (int i = 0; i < 3; i++) {
        const toc_character_settings settings = response_settings(presets[i]);
        size_t left = 0, rested = 0;
        toc_character *c;
        assert_ok(toc_character_create(&l.skeleton.def, &settings, NULL, &c));
        bend(&l, c, FRAMES, i == 0 ? first : x, &left);
        for (size_t k = 0; k < c->clusters.count; k++) rested += c->clusters.at[k].rests;
        assert_int_equal(rested > 0, i > 0);
        if (i > 0) assert_memory_equal(x, first, count * sizeof *x);
        toc_character_destroy(c);
    }
    free(x);
    free(first);
    limb_free(&l);
}

// Contacts that are there to be kept: some vertices of a crossed pose move, and the search sees no more than that.
static void kept_contacts_are_those_of_a_full_search(void **state) {
    (void)state;
    limb l;
    size_t kept = 0, crossed = 0;
    test_random random = test_random_make(0);
    assert_ok(limb_make(LIMB_ARM, 3, &l));
    toc_character *c = make_bent(&l);
    const size_t count = c->vertex_count;
    double seconds = 0, matrices[12 * LIMB_JOINTS];
    limb_pose(&l, 1, matrices);
    memcpy(c->matrices.at, matrices, sizeof matrices);
    assert_ok(toc_character_skin(c, c->x.at)); // as bones alone place it, with contacts
    for (int round = 0; round < test_less(30, 5); round++) {
        size_t inverted;
        assert_ok(toc_character_push_find(c, &seconds));
        assert_int_equal(c->hits.count, test_count_every_pair(c, &inverted));
        assert_int_equal(c->inside_inverted, inverted);
        crossed += c->hits.count;
        for (size_t k = 0; k < c->clusters.count; k++) kept += c->clusters.at[k].rests;
        for (int i = 0; i < 4; i++) {
            double *p = c->x.at + 3 * (size_t)test_random_below(&random, (uint32_t)count);
            for (int k = 0; k < 3; k++) p[k] += c->mean_edge * test_random_between(&random, -0.5, 0.5);
        }
    }
    assert_true(crossed > 100 && kept > 100);
    toc_character_destroy(c);
    limb_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_gives_the_same_bits),
        cmocka_unit_test(a_lane_moves_as_the_scalar_solver_does),
        cmocka_unit_test(kept_contacts_change_no_frame),
        cmocka_unit_test(kept_contacts_are_those_of_a_full_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
