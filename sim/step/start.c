// SPDX-License-Identifier: Apache-2.0
// The start of a step: positions, velocities and poses.
#include "sim/step/start.h"

#include "sim/core/vector.h"

static void save_vertices(void *user, size_t first, size_t last) {
    toc_sim *sim = user;
    memcpy(sim->x0[first], sim->x[first], (last - first) * sizeof *sim->x);
    memcpy(sim->v0[first], sim->v[first], (last - first) * sizeof *sim->v);
}

void toc_sim_start_save(toc_sim *sim) {
    toc_sim_loop_run(sim->threads, sim->particle_count, SIM_LEAST, save_vertices, sim);
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.at[i];
        r->start = r->now;
        sim_copy(r->velocity, r->start_velocity);
        sim_copy(r->angular, r->start_angular);
    }
    for (size_t b = 0; b < sim->bodies.count; b++) sim_copy(sim->bodies.at[b].point, sim->bodies.at[b].start_point);
}

void toc_sim_start_restore(toc_sim *sim) {
    memcpy(sim->x, sim->x0, sim->particle_count * sizeof *sim->x);
    memcpy(sim->v, sim->v0, sim->particle_count * sizeof *sim->v);
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.at[i];
        r->now = r->start;
        sim_copy(r->start_velocity, r->velocity);
        sim_copy(r->start_angular, r->angular);
    }
}
