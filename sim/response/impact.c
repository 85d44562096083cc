// SPDX-License-Identifier: Apache-2.0
// Impacts: contacts of the straight motion from x0 to x. Rounds of a query and of corrections go on until the query
// finds none. Every round relaxes all impacts of the step so far, so that they settle together (Harmon et al. 2008).
// After `rounds` rounds, zones move as a whole; after 2 x `rounds`, the step is cut where it is safe.
//
// The motion that is accepted has no contact by the last query: G1 and G13 of the library are the proof.
#include <assert.h>

#include "sim/body/rigid.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"
#include "sim/response/kept.h"

enum { SWEEPS = 8 };
// Impacts leave at least this share of the target as a gap, and this share of the gap at the start of the step.
static const double least_gap = 0.05, kept_gap = 0.5;
// Without a thickness, gaps are this small against the extent of the bodies.
static const double thin_gap = 1e-5;

static toc_status find_impacts(toc_sim *sim, size_t *count) {
    const double began = toc_seconds();
    TOC_TRY(toc_sim_kept_ask(sim, sim->x, 0, &sim->impacts_found));
    const toc_contacts *found = sim->impacts_found;
    sim->detection_seconds += toc_seconds() - began;
    *count = found->count;
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->impacts, found->count));
    for (size_t i = 0; i < found->count; i++) {
        sim_contact c = toc_sim_contact_make(sim, &found->contacts[i], found->contacts[i].normal);
        const double start = toc_sim_contact_gap(sim, &c, sim->x0, 2);
        const double full = fmax(c.target, thin_gap * sim->extent);
        c.target = fmin(full, fmax(kept_gap * start, least_gap * full));
        sim->impacts.at[sim->impacts.count++] = c;
    }
    return toc_sim_contacts_order(sim, &sim->impacts, &sim->impact_order);
}

static void part_impact(toc_sim *sim, sim_contact *c) {
    if (toc_sim_contact_solve(sim, c, c->target, sim->x0, 2))
        atomic_store_explicit(&sim->parted, true, memory_order_relaxed);
}

static void relax_impacts(toc_sim *sim) {
    bool moved = true;
    for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
        sim->parted = false;
        toc_sim_contacts_visit(sim, &sim->impacts, &sim->impact_order, part_impact);
        moved = toc_sim_tets_uphold(sim) || sim->parted;
    }
    toc_sim_rigids_place(sim, sim->x);
}

static void correct_velocities(void *user, size_t first, size_t last) {
    const sim_solve *solve = user;
    const toc_sim *sim = solve->sim;
    for (size_t i = first; i < last; i++)
        for (int k = 0; k < 3 && sim->w[i] > 0; k++) sim->v[i][k] += (sim->x[i][k] - sim->before[i][k]) / solve->h;
}

// Velocities follow the corrections since the solver ended, which is in `before`, and stop to approach.
static void update_velocities(toc_sim *sim, double step) {
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, correct_velocities,
                     &(sim_solve){.sim = sim, .h = step});
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.at[i];
        double rotation[3];
        sim_quaternion_between(r->before.turn, r->now.turn, rotation);
        for (int k = 0; k < 3; k++) r->velocity[k] += (r->now.centre[k] - r->before.centre[k]) / step;
        sim_add(1 / step, rotation, r->angular);
    }
    toc_sim_contacts_visit(sim, &sim->impacts, &sim->impact_order, toc_sim_contact_stop);
    if (!sim->bounces) return;
    for (size_t i = 0; i < sim->impacts.count; i++) toc_sim_contact_meet(sim, &sim->impacts.at[i], true, 2 * step);
    toc_sim_contacts_bounce(sim, &sim->impacts, &sim->impact_order);
}

// Everything stops at a fraction of its way. Vertices of rigid bodies, too: their poses follow as near as they can.
static toc_status cut_step(toc_sim *sim, double *fraction) {
    const double began = toc_seconds();
    TOC_TRY(toc_sim_scene_move(sim, sim->x));
    const toc_query query = toc_sim_query_make(sim);
    TOC_TRY(toc_scene_find_safe_step(sim->scene, &query, fraction));
    assert(*fraction >= 0 && *fraction <= 1);
    toc_positions_interpolate(*fraction, 3 * sim->particle_count, sim->x0[0], sim->x[0], NULL, sim->x[0]);
    TOC_TRY(toc_sim_scene_move(sim, sim->x));
    sim->detection_seconds += toc_seconds() - began;
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.at[i];
        double rotation[3];
        sim_quaternion_between(r->start.turn, r->now.turn, rotation);
        for (int k = 0; k < 3; k++) {
            rotation[k] *= *fraction;
            r->now.centre[k] = (1 - *fraction) * r->start.centre[k] + *fraction * r->now.centre[k];
        }
        r->now = (sim_pose){.centre = {r->now.centre[0], r->now.centre[1], r->now.centre[2]},
                            .turn = {r->start.turn[0], r->start.turn[1], r->start.turn[2], r->start.turn[3]}};
        sim_quaternion_turn(r->now.turn, rotation);
    }
    return TOC_OK;
}

static void remember_vertices(void *user, size_t first, size_t last) {
    toc_sim *sim = user;
    memcpy(sim->before[first], sim->x[first], (last - first) * sizeof *sim->x);
}

static void remember_solution(toc_sim *sim) {
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, remember_vertices, sim);
    for (size_t i = 0; i < sim->rigids.count; i++) sim->rigids.at[i].before = sim->rigids.at[i].now;
}

toc_status toc_sim_impacts_resolve(toc_sim *sim, double step, double *fraction) {
    const uint32_t rounds = sim->settings.rounds;
    assert(step > 0);
    size_t zone_first = 0, found = 1;
    sim->impacts.count = 0;
    *fraction = 1;
    remember_solution(sim);
    for (uint32_t round = 0; found > 0 && round < 2 * rounds; round++) {
        const size_t known = sim->impacts.count;
        TOC_TRY(find_impacts(sim, &found));
        sim->rounds++;
        if (found > 0 && round == rounds) zone_first = known;
        if (found > 0 && round < rounds) relax_impacts(sim);
        if (found > 0 && round >= rounds) TOC_TRY(toc_sim_zones_move(sim, zone_first, step));
    }
    if (sim->impacts.count > 0) update_velocities(sim, step);
    return found > 0 ? cut_step(sim, fraction) : TOC_OK;
}
