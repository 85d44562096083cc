// SPDX-License-Identifier: Apache-2.0
// The start of a step: positions, velocities and poses.
#include "sim/step/start.h"

#include "sim/core/vector.h"

void toc_sim_start_save(toc_sim *sim) {
    memcpy(sim->x0, sim->x, sim->particle_count * sizeof *sim->x);
    memcpy(sim->v0, sim->v, sim->particle_count * sizeof *sim->v);
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.items[i];
        r->start = r->now;
        sim_copy(r->velocity, r->start_velocity);
        sim_copy(r->angular, r->start_angular);
    }
    for (size_t b = 0; b < sim->bodies.count; b++)
        sim_copy(sim->bodies.items[b].point, sim->bodies.items[b].start_point);
}

void toc_sim_start_restore(toc_sim *sim) {
    memcpy(sim->x, sim->x0, sim->particle_count * sizeof *sim->x);
    memcpy(sim->v, sim->v0, sim->particle_count * sizeof *sim->v);
    for (size_t i = 0; i < sim->rigids.count; i++) {
        sim_rigid *r = &sim->rigids.items[i];
        r->now = r->start;
        sim_copy(r->start_velocity, r->velocity);
        sim_copy(r->start_angular, r->angular);
    }
}
