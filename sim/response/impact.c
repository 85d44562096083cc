// SPDX-License-Identifier: Apache-2.0
// Impacts: contacts of the straight motion from x0 to x. Rounds of a query and of corrections go on until the query
// finds none. Every round relaxes all impacts of the step so far, so that they settle together (Harmon et al. 2008).
// After so many rounds, zones move as a whole; after as many again the step is cut where it is safe.
//
// The motion that is accepted has no contact by the last query: G1 and G13 of the library are the proof.
#include "sim/body/rigid.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "sim/response/contact.h"

enum { SWEEPS = 8 };
// Impacts leave at least this share of the target as a gap, and this share of the gap at the start of the step.
static const double least_gap = 0.05, kept_gap = 0.5;
// Without a thickness, gaps are this small against the extent of the bodies.
static const double thin_gap = 1e-5;

static toc_status find_impacts(toc_sim *sim, size_t *count) {
    const double began = toc_sim_seconds();
    SIM_TRY(toc_sim_scene_move(sim, sim->x));
    const toc_query query = toc_sim_query_make(sim);
    toc_contacts *found;
    SIM_TRY(toc_scene_find_contacts(sim->scene, &query, &found));
    sim->detection_seconds += toc_sim_seconds() - began;
    *count = found->count;
    const toc_status status = sim_array_reserve(&sim->memory, &sim->impacts, sim->impacts.count + found->count);
    for (size_t i = 0; i < found->count && status == TOC_OK; i++) {
        sim_contact c = toc_sim_contact_make(sim, &found->contacts[i], found->contacts[i].normal);
        const double start = toc_sim_contact_gap(sim, &c, sim->x0, 2);
        const double full = fmax(c.target, thin_gap * sim->extent);
        c.target = fmin(full, fmax(kept_gap * start, least_gap * full));
        sim->impacts.items[sim->impacts.count++] = c;
    }
    toc_contacts_destroy(found);
    return status;
}

static void relax_impacts(toc_sim *sim) {
    bool moved = true;
    for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
        moved = false;
        for (size_t i = 0; i < sim->impacts.count; i++) {
            const sim_contact *c = &sim->impacts.items[i];
            if (toc_sim_contact_solve(sim, c, c->target, sim->x0, 2)) moved = true;
        }
        if (toc_sim_tets_uphold(sim)) moved = true;
    }
    toc_sim_rigids_place(sim, sim->x);
}

// Velocities follow the corrections since the solver ended, which is in `before`, and stop to approach.
static void update_velocities(toc_sim *sim, double step) {
    for (size_t i = 0; i < sim->particle_count; i++)
        for (int k = 0; k < 3 && sim->w[i] > 0; k++) sim->v[i][k] += (sim->x[i][k] - sim->before[i][k]) / step;
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.items[i];
        double rotation[3];
        sim_quaternion_between(r->before.turn, r->now.turn, rotation);
        for (int k = 0; k < 3; k++) r->velocity[k] += (r->now.centre[k] - r->before.centre[k]) / step;
        sim_add(1 / step, rotation, r->angular);
    }
    for (size_t i = 0; i < sim->impacts.count; i++) toc_sim_contact_stop(sim, &sim->impacts.items[i]);
}

// Everything stops at a fraction of its way. Vertices of rigid bodies, too: their poses follow as near as they can.
static toc_status cut_step(toc_sim *sim, double *fraction) {
    const double began = toc_sim_seconds();
    SIM_TRY(toc_sim_scene_move(sim, sim->x));
    const toc_query query = toc_sim_query_make(sim);
    SIM_TRY(toc_scene_find_safe_step(sim->scene, &query, fraction));
    toc_positions_interpolate(*fraction, 3 * sim->particle_count, sim->x0[0], sim->x[0], sim->x[0]);
    SIM_TRY(toc_sim_scene_move(sim, sim->x));
    sim->detection_seconds += toc_sim_seconds() - began;
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.items[i];
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

static void remember_solution(toc_sim *sim) {
    memcpy(sim->before, sim->x, sim->particle_count * sizeof *sim->x);
    for (size_t i = 0; i < sim->rigids.count; i++) sim->rigids.items[i].before = sim->rigids.items[i].now;
}

toc_status toc_sim_impacts_resolve(toc_sim *sim, double step, double *fraction) {
    const uint32_t rounds = sim->settings.rounds;
    size_t zone_first = 0, found = 1;
    sim->impacts.count = 0;
    *fraction = 1;
    remember_solution(sim);
    for (uint32_t round = 0; found > 0 && round < 2 * rounds; round++) {
        const size_t known = sim->impacts.count;
        SIM_TRY(find_impacts(sim, &found));
        sim->rounds++;
        if (found > 0 && round == rounds) zone_first = known;
        if (found > 0 && round < rounds) relax_impacts(sim);
        if (found > 0 && round >= rounds) SIM_TRY(toc_sim_zones_move(sim, zone_first, step));
    }
    if (sim->impacts.count > 0) update_velocities(sim, step);
    return found > 0 ? cut_step(sim, fraction) : TOC_OK;
}
