// SPDX-License-Identifier: Apache-2.0
// The simulation object: settings, life, getters.
#include <string.h>

#include "base/arithmetic.h"
#include "sim/core/defaults.h"
#include "sim/core/particles.h"
#include "sim/core/vector.h"
#include "sim/response/kept.h"

static const toc_sim_settings settings_default = {.size = sizeof settings_default,
                                                  .gravity = {0, 0, -9.81},
                                                  .step = 1.0 / 60,
                                                  .substeps = 10,
                                                  .preset = "auto",
                                                  .surface_only = true,
                                                  .continuous = true,
                                                  .rounds = 20,
                                                  .pushes = 200};

const toc_settings toc_sim_simulation_kind = {"toc_sim_settings_init", sizeof settings_default, sizeof settings_default,
                                              &settings_default};

static toc_status check_settings(const toc_sim_settings *s) {
    for (int k = 0; k < 3; k++)
        if (!isfinite(s->gravity[k])) return toc_fail(TOC_BAD_INPUT, "gravity[%d] is not finite", k);
    if (!(s->step > 0) || !isfinite(s->step))
        return toc_fail(TOC_BAD_INPUT, "the step is %g; it must be above 0", s->step);
    if (s->substeps < 1 || s->substeps > 1000)
        return toc_fail(TOC_BAD_INPUT, "%u substeps; 1 to 1000 are possible", s->substeps);
    if (!s->preset || strlen(s->preset) >= sizeof((toc_sim *)0)->preset)
        return toc_fail(TOC_BAD_INPUT, "the preset is NULL or its name is too long");
    if (s->rounds > 1000) return toc_fail(TOC_BAD_INPUT, "%u rounds; at most 1000 are possible", s->rounds);
    if (s->pushes > 10000) return toc_fail(TOC_BAD_INPUT, "%u pushes; at most 10000 are possible", s->pushes);
    return TOC_OK;
}

toc_status toc_sim_create(const toc_sim_settings *settings, const toc_allocator *allocator, toc_sim **out) {
    TOC_SCOPED_ARITHMETIC;
    TOC_NEED(out);
    toc_sim_settings taken;
    TOC_TRY(toc_settings_take(&toc_sim_simulation_kind, settings ? settings : &settings_default, &taken));
    TOC_TRY(check_settings(&taken));
    const toc_allocator memory = toc_allocator_or_default(allocator);
    toc_sim *sim = toc_new(&memory, 1, sizeof *sim);
    if (!sim) return TOC_OUT_OF_MEMORY;
    sim->memory = memory;
    sim->settings = taken;
    memcpy(sim->preset, taken.preset, strlen(taken.preset) + 1);
    sim->settings.preset = sim->preset;
    sim->threads = toc_sim_loop_threads(taken.threads);
    const toc_status status = toc_scene_create(&sim->memory, &sim->scene);
    if (status == TOC_OK) {
        *out = sim;
    } else {
        toc_sim_destroy(sim);
    }
    return status;
}

void toc_sim_destroy(toc_sim *sim) {
    if (!sim) return;
    const toc_allocator memory = sim->memory;
    toc_sim_kept_free(sim);
    toc_contacts_destroy(sim->near_found);
    toc_contacts_destroy(sim->impacts_found);
    toc_scene_destroy(sim->scene);
    toc_sim_particles_free(sim);
    toc_array_free(&memory, &sim->bodies);
    toc_array_free(&memory, &sim->rigids);
    toc_array_free(&memory, &sim->springs);
    toc_array_free(&memory, &sim->hinges);
    toc_array_free(&memory, &sim->tets);
    toc_array_free(&memory, &sim->clusters);
    toc_array_free(&memory, &sim->members);
    toc_array_free(&memory, &sim->first_sharer);
    toc_array_free(&memory, &sim->sharers);
    toc_array_free(&memory, &sim->bags);
    toc_array_free(&memory, &sim->bag_faces);
    toc_array_free(&memory, &sim->joints);
    toc_array_free(&memory, &sim->spans);
    toc_array_free(&memory, &sim->spring_colours.first);
    toc_array_free(&memory, &sim->hinge_colours.first);
    toc_array_free(&memory, &sim->tet_colours.first);
    toc_array_free(&memory, &sim->contacts);
    toc_array_free(&memory, &sim->impacts);
    toc_array_free(&memory, &sim->contact_order.items);
    toc_array_free(&memory, &sim->contact_order.colours.first);
    toc_array_free(&memory, &sim->impact_order.items);
    toc_array_free(&memory, &sim->impact_order.colours.first);
    toc_array_free(&memory, &sim->used);
    toc_array_free(&memory, &sim->colour_of);
    toc_array_free(&memory, &sim->nodes);
    toc_array_free(&memory, &sim->blocks);
    toc_array_free(&memory, &sim->contact_order.first);
    toc_array_free(&memory, &sim->impact_order.first);
    toc_array_free(&memory, &sim->zone_of);
    toc_array_free(&memory, &sim->zone_list);
    toc_array_free(&memory, &sim->scratch);
    toc_array_free(&memory, &sim->journal);
    toc_free(&memory, sim, 1, sizeof *sim);
}

toc_scene *toc_sim_get_scene(toc_sim *sim) { return sim ? sim->scene : NULL; }

static bool has_particles(const toc_sim *sim, uint32_t body) {
    return sim && body < sim->bodies.count && !sim->bodies.at[body].gone;
}

toc_sim_body_motion toc_sim_get_motion(const toc_sim *sim, uint32_t body) {
    toc_sim_body_motion motion = {.time = sim ? sim->time : 0};
    if (!has_particles(sim, body)) return motion;
    motion.positions = sim->x[sim->bodies.at[body].first];
    motion.velocities = sim->v[sim->bodies.at[body].first];
    return motion;
}

static void add_rigid_energy(const toc_sim *sim, const sim_rigid *r, toc_sim_energy *e) {
    if (r->inverse_mass == 0) return;
    const double mass = 1 / r->inverse_mass;
    double local[3], spin[3];
    const double inverse[4] = {-r->now.turn[0], -r->now.turn[1], -r->now.turn[2], r->now.turn[3]};
    sim_quaternion_rotate(inverse, r->angular, local);
    for (int k = 0; k < 3; k++) spin[k] = sim_dot(r->inertia[k], local);
    e->kinetic += 0.5 * mass * sim_dot(r->velocity, r->velocity) + 0.5 * sim_dot(local, spin);
    e->gravity -= mass * sim_dot(sim->settings.gravity, r->now.centre);
    sim_add(mass, r->velocity, e->momentum);
    e->mass += mass;
}

toc_sim_energy toc_sim_find_energy(const toc_sim *sim) {
    TOC_SCOPED_ARITHMETIC;
    toc_sim_energy e = {0};
    if (!sim) return e;
    for (size_t i = 0; i < sim->particle_count; i++) {
        if (sim->w[i] == 0) continue;
        e.kinetic += 0.5 * sim->mass[i] * sim_dot(sim->v[i], sim->v[i]);
        e.gravity -= sim->mass[i] * sim_dot(sim->settings.gravity, sim->x[i]);
        sim_add(sim->mass[i], sim->v[i], e.momentum);
        e.mass += sim->mass[i];
    }
    for (size_t i = 0; i < sim->rigids.count; i++) add_rigid_energy(sim, &sim->rigids.at[i], &e);
    for (size_t i = 0; i < sim->tets.count; i++) {
        const uint32_t *v = sim->tets.at[i].v;
        double edges[3][3];
        for (int k = 0; k < 3; k++) sim_sub(sim->x[v[k + 1]], sim->x[v[0]], edges[k]);
        e.volume += sim_determinant(edges) / 6;
    }
    return e;
}
