// SPDX-License-Identifier: Apache-2.0
// A step: contacts of the predicted motion, substeps of the solver, impacts. A failure undoes the whole step.
//
// Substeps with one iteration each: Macklin et al. 2019, "Small steps in physics simulation".
#include <assert.h>

#include "base/arithmetic.h"
#include "sim/body/rigid.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"
#include "sim/fracture/fracture.h"
#include "sim/response/contact.h"
#include "sim/response/kept.h"
#include "sim/step/start.h"

// A vertex that moves further than this many extents of the bodies in one step is lost.
static const double far_away = 100;
// Steps in a row without way, and the share of a step that counts as none.
enum { STALLED_STEPS = 100 };
static const double no_way = 1e-9;

// ---- guided bodies: their vertices move on straight lines to where the turn takes them

/// A guided body and its turn in a step.
typedef struct guide_turn {
    toc_sim *sim;
    const sim_body *body;
    double step, turn[4];
    bool turns;
} guide_turn;

static void guide_vertices(void *user, size_t first, size_t last) {
    const guide_turn *guide = user;
    const sim_body *body = guide->body;
    for (size_t i = body->first + first; i < body->first + last; i++) {
        double arm[3], end[3], *v = guide->sim->v[i];
        sim_sub(guide->sim->x0[i], body->point, arm);
        sim_quaternion_rotate(guide->turn, arm, end);
        for (int k = 0; k < 3; k++) v[k] = body->velocity[k] + (guide->turns ? (end[k] - arm[k]) / guide->step : 0);
    }
}

static void guide_body(toc_sim *sim, const sim_body *body, double step) {
    guide_turn guide = {.sim = sim, .body = body, .step = step, .turn = {0, 0, 0, 1}};
    const double rotation[3] = {body->angular[0] * step, body->angular[1] * step, body->angular[2] * step};
    guide.turns = sim_length(rotation) > 0;
    sim_quaternion_turn(guide.turn, rotation);
    toc_sim_loop_run(sim->threads, body->count, SIM_LEAST, guide_vertices, &guide);
}

static void guide_bodies(toc_sim *sim, double step) {
    for (size_t b = 0; b < sim->bodies.count; b++)
        if (sim->bodies.at[b].material.motion == TOC_SIM_GUIDED) guide_body(sim, &sim->bodies.at[b], step);
}

// ---- substeps

static void predict_particles(void *user, size_t first, size_t last) {
    assert(first <= last);
    const sim_solve *solve = user;
    toc_sim *sim = solve->sim;
    for (size_t i = first; i < last; i++) {
        sim_copy(sim->x[i], sim->before[i]);
        const sim_body *body = &sim->bodies.at[sim->owner[i]];
        if (sim->w[i] > 0) {
            sim_add(solve->h, sim->settings.gravity, sim->v[i]);
            for (int k = 0; k < 3; k++) sim->v[i][k] /= 1 + solve->h * body->material.damping;
        }
        if (body->rigid == SIM_NONE) sim_add(solve->h, sim->v[i], sim->x[i]);
    }
}

static void update_particles(void *user, size_t first, size_t last) {
    assert(first <= last);
    const sim_solve *solve = user;
    toc_sim *sim = solve->sim;
    for (size_t i = first; i < last; i++)
        for (int k = 0; k < 3 && sim->w[i] > 0; k++) sim->v[i][k] = (sim->x[i][k] - sim->before[i][k]) / solve->h;
}

static void predict_rigids(toc_sim *sim, double h) {
    assert(h > 0);
    for (size_t b = 0; b < sim->bodies.count; b++) {
        const sim_body *body = &sim->bodies.at[b];
        if (body->rigid == SIM_NONE) continue;
        sim_rigid *r = &sim->rigids.at[body->rigid];
        r->before = r->now;
        toc_sim_rigid_predict(sim, r, body->material.damping, h);
    }
}

static void run_substep(toc_sim *sim, double h) {
    assert(h > 0);
    sim_solve solve = {.sim = sim, .h = h};
    toc_sim_contacts_meet(sim, h);
    toc_sim_tets_push(sim, h);
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, predict_particles, &solve);
    predict_rigids(sim, h);
    toc_sim_constraints_solve(sim, h);
    toc_sim_contacts_solve(sim, h);
    toc_sim_tets_uphold(sim);
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, update_particles, &solve);
    for (size_t i = 0; i < sim->rigids.count; i++) toc_sim_rigid_update(&sim->rigids.at[i], h);
    toc_sim_contacts_leave(sim);
}

// ---- the end of a step

static double way_of_vertex(const toc_sim *sim, size_t particle) {
    double moved[3];
    sim_sub(sim->x[particle], sim->x0[particle], moved);
    return sim_length(moved);
}

/// The first particle that is lost.
typedef struct motion_check {
    const toc_sim *sim;
    atomic_size_t lost;
} motion_check;

// Positions that are far away or not numbers at all. The differences are large in both cases.
static void check_vertices(void *user, size_t first, size_t last) {
    motion_check *check = user;
    const double bound = far_away * check->sim->extent;
    size_t i = first;
    while (i < last && way_of_vertex(check->sim, i) <= bound) i++;
    size_t known = atomic_load(&check->lost);
    while (i < last && i < known && !atomic_compare_exchange_weak(&check->lost, &known, i)) {
    }
}

static toc_status check_motion(const toc_sim *sim) {
    motion_check check = {.sim = sim, .lost = SIZE_MAX};
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, check_vertices, &check);
    const size_t lost = check.lost;
    if (lost == SIZE_MAX) return TOC_OK;
    const uint32_t body = sim->owner[lost];
    return toc_fail(TOC_UNSTABLE,
                    "the simulation is unstable: at time %g vertex %u of body %u moves by %g in a step, and the "
                    "bodies are %g wide; try more substeps, a shorter step or a softer material",
                    sim->time, (uint32_t)(lost - sim->bodies.at[body].first), body, way_of_vertex(sim, lost),
                    sim->extent);
}

static toc_status check_way(toc_sim *sim, double fraction) {
    assert(0 <= fraction && fraction <= 1);
    sim->stalled = fraction > no_way ? 0 : sim->stalled + 1;
    if (sim->stalled < STALLED_STEPS) return TOC_OK;
    sim->stalled = 0;
    return toc_fail(TOC_UNSTABLE,
                    "the simulation is stuck at time %g: %d steps were cut at once; guided bodies may leave others no "
                    "room",
                    sim->time, STALLED_STEPS);
}

// Velocities of the vertices of rigid bodies, for callers that read them.
static void name_velocities(void *user, size_t first, size_t last) {
    toc_sim *sim = user;
    for (size_t i = first; i < last; i++) {
        const uint32_t r = sim->bodies.at[sim->owner[i]].rigid;
        if (r == SIM_NONE) continue;
        const sim_rigid *rigid = &sim->rigids.at[r];
        double arm[3];
        sim_sub(sim->x[i], rigid->now.centre, arm);
        sim_cross(rigid->angular, arm, sim->v[i]);
        sim_add(1, rigid->velocity, sim->v[i]);
    }
}

static void move_on(toc_sim *sim, double step) {
    sim->time += step;
    for (size_t b = 0; b < sim->bodies.count; b++) sim_add(step, sim->bodies.at[b].velocity, sim->bodies.at[b].point);
    if (sim->rigids.count > 0) toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, name_velocities, sim);
}

// The first step, and the first after a change: bodies that cross already would pass as apart. After a failure of the
// material, faces of the inside may cross that the queries of the surface did not see: no reason to stop.
static toc_status check_start(toc_sim *sim) {
    if (sim->checked || !sim->settings.continuous || sim->journal.count > 0) return TOC_OK;
    return toc_sim_push_apart(sim, NULL);
}

static toc_status make_step(toc_sim *sim, double *fraction) {
    const double step = sim->settings.step;
    guide_bodies(sim, step);
    TOC_TRY(toc_sim_contacts_find(sim, step));
    for (uint32_t i = 0; i < sim->settings.substeps; i++) run_substep(sim, step / sim->settings.substeps);
    toc_sim_rigids_place(sim, sim->x);
    TOC_TRY(check_motion(sim));
    *fraction = 1;
    if (!sim->settings.continuous) return toc_sim_scene_move(sim, sim->x);
    TOC_TRY(toc_sim_impacts_resolve(sim, step, fraction));
    TOC_TRY(check_motion(sim));
    return check_way(sim, *fraction);
}

static toc_status prepare_step(toc_sim *sim) {
    sim->detection_seconds = 0;
    sim->rounds = sim->zones = sim->impacts.count = sim->splits = sim->eroded = sim->glued = sim->unglued =
        sim->unsplit = sim->divided = 0;
    sim->edited = false;
    TOC_TRY(toc_array_room(&sim->memory, &sim->scratch, 3 * sim->particle_count));
    TOC_TRY(toc_sim_colours_update(sim));
    return check_start(sim);
}

static toc_status take_step(toc_sim *sim, double *fraction) {
    TOC_TRY(prepare_step(sim));
    toc_sim_start_save(sim);
    const toc_status status = make_step(sim, fraction);
    if (status != TOC_OK) {
        toc_sim_start_restore(sim);
        return status;
    }
    move_on(sim, *fraction * sim->settings.step);
    toc_sim_kept_advance(sim);
    return toc_sim_topology_update(sim);
}

// The loops of a step share their threads.
static toc_status take_step_in_team(toc_sim *sim, double *fraction) {
    toc_team team;
    toc_team_begin(&team, &sim->settings.tasks);
    const toc_status status = take_step(sim, fraction);
    toc_team_end(&team);
    return status;
}

toc_status toc_sim_step_sized(toc_sim *sim, toc_sim_report *report, size_t size) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(sim);
    const double began = toc_seconds();
    double fraction = 1;
    TOC_TRY(take_step_in_team(sim, &fraction));
    const toc_sim_report result = {.time = sim->time,
                                   .fraction = fraction,
                                   .contacts = sim->contacts.count,
                                   .impacts = sim->impacts.count,
                                   .rounds = sim->rounds,
                                   .zones = sim->zones,
                                   .dynamics_seconds = toc_seconds() - began - sim->detection_seconds,
                                   .detection_seconds = sim->detection_seconds,
                                   .splits = sim->splits,
                                   .eroded = sim->eroded,
                                   .glued = sim->glued,
                                   .pushed = sim->pushed,
                                   .unglued = sim->unglued,
                                   .unsplit = sim->unsplit,
                                   .divided = sim->divided};
    sim->pushed = 0;
    if (report) {
        memset(report, 0, size);
        memcpy(report, &result, size < sizeof result ? size : sizeof result);
    }
    return TOC_OK;
}
