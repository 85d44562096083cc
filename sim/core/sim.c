// SPDX-License-Identifier: Apache-2.0
// The simulation object: settings, life, getters.
#include <string.h>
#include <time.h>

#include "sim/core/sim.h"
#include "sim/core/vector.h"

static const toc_sim_settings settings_default = {.size = sizeof settings_default,
                                                  .gravity = {0, 0, -9.81},
                                                  .step = 1.0 / 60,
                                                  .substeps = 10,
                                                  .preset = "auto",
                                                  .surface_only = true,
                                                  .continuous = true,
                                                  .rounds = 20,
                                                  .pushes = 200};

double toc_sim_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

toc_status toc_sim_settings_init(toc_sim_settings *settings, size_t size) {
    SIM_NEED(settings);
    if (size != sizeof *settings)
        return toc_sim_fail(TOC_BAD_INPUT, "the settings have a size of %zu bytes, not %zu", size, sizeof *settings);
    *settings = settings_default;
    return TOC_OK;
}

static toc_status check_settings(const toc_sim_settings *s) {
    if (s->size != sizeof *s)
        return toc_sim_fail(TOC_BAD_INPUT, "the settings have a size of %u bytes; toc_sim_settings_init gives them %zu",
                            s->size, sizeof *s);
    for (int k = 0; k < 3; k++)
        if (!isfinite(s->gravity[k])) return toc_sim_fail(TOC_BAD_INPUT, "gravity[%d] is not finite", k);
    if (!(s->step > 0) || !isfinite(s->step))
        return toc_sim_fail(TOC_BAD_INPUT, "the step is %g; it must be above 0", s->step);
    if (s->substeps < 1 || s->substeps > 1000)
        return toc_sim_fail(TOC_BAD_INPUT, "%u substeps; 1 to 1000 are possible", s->substeps);
    if (!s->preset || strlen(s->preset) >= sizeof((toc_sim *)0)->preset)
        return toc_sim_fail(TOC_BAD_INPUT, "the preset is NULL or its name is too long");
    if (s->rounds > 1000) return toc_sim_fail(TOC_BAD_INPUT, "%u rounds; at most 1000 are possible", s->rounds);
    if (s->pushes > 10000) return toc_sim_fail(TOC_BAD_INPUT, "%u pushes; at most 10000 are possible", s->pushes);
    return TOC_OK;
}

toc_status toc_sim_create(const toc_sim_settings *settings, const toc_allocator *allocator, toc_sim **out) {
    SIM_NEED(out);
    if (!settings) settings = &settings_default;
    SIM_TRY(check_settings(settings));
    const toc_allocator memory = allocator ? *allocator : toc_allocator_get_default();
    toc_sim *sim = memory.resize(memory.user, NULL, 0, sizeof *sim);
    if (!sim) return toc_sim_fail(TOC_OUT_OF_MEMORY, "out of memory: %zu bytes", sizeof *sim);
    memset(sim, 0, sizeof *sim);
    sim->memory = memory;
    sim->settings = *settings;
    memcpy(sim->preset, settings->preset, strlen(settings->preset) + 1);
    sim->settings.preset = sim->preset;
    toc_status status = toc_scene_create(&sim->memory, &sim->scene);
    if (status == TOC_OK) status = toc_sim_team_create(&sim->memory, settings->threads, &sim->team);
    if (status == TOC_OK) {
        *out = sim;
    } else {
        toc_sim_destroy(sim);
    }
    return status;
}

static void free_particles(toc_sim *sim) {
    const toc_allocator *m = &sim->memory;
    void *triples[] = {sim->x, sim->x0, sim->before, sim->v, sim->v0, sim->rest};
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++)
        if (triples[i]) m->resize(m->user, triples[i], sim->particle_capacity * sizeof *sim->x, 0);
    void *singles[] = {sim->w, sim->mass, sim->thin};
    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
        if (singles[i]) m->resize(m->user, singles[i], sim->particle_capacity * sizeof *sim->w, 0);
    uint32_t *bodies[] = {sim->owner, sim->origin, sim->spent};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (bodies[i]) m->resize(m->user, bodies[i], sim->particle_capacity * sizeof *sim->owner, 0);
}

void toc_sim_destroy(toc_sim *sim) {
    if (!sim) return;
    const toc_allocator memory = sim->memory;
    toc_sim_team_destroy(sim->team);
    toc_scene_destroy(sim->scene);
    free_particles(sim);
    sim_array_free(&memory, &sim->bodies);
    sim_array_free(&memory, &sim->rigids);
    sim_array_free(&memory, &sim->springs);
    sim_array_free(&memory, &sim->hinges);
    sim_array_free(&memory, &sim->tets);
    sim_array_free(&memory, &sim->clusters);
    sim_array_free(&memory, &sim->members);
    sim_array_free(&memory, &sim->bags);
    sim_array_free(&memory, &sim->bag_faces);
    sim_array_free(&memory, &sim->joints);
    sim_array_free(&memory, &sim->spring_colours.first);
    sim_array_free(&memory, &sim->hinge_colours.first);
    sim_array_free(&memory, &sim->tet_colours.first);
    sim_array_free(&memory, &sim->contacts);
    sim_array_free(&memory, &sim->impacts);
    sim_array_free(&memory, &sim->zone_of);
    sim_array_free(&memory, &sim->zone_list);
    sim_array_free(&memory, &sim->scratch);
    sim_array_free(&memory, &sim->journal);
    memory.resize(memory.user, sim, sizeof *sim, 0);
}

toc_scene *toc_sim_get_scene(toc_sim *sim) { return sim ? sim->scene : NULL; }
double toc_sim_get_time(const toc_sim *sim) { return sim ? sim->time : 0; }

static bool has_particles(const toc_sim *sim, uint32_t body) {
    return sim && body < sim->bodies.count && !sim->bodies.items[body].gone;
}

const double *toc_sim_get_positions(const toc_sim *sim, uint32_t body) {
    return has_particles(sim, body) ? sim->x[sim->bodies.items[body].first] : NULL;
}

const double *toc_sim_get_velocities(const toc_sim *sim, uint32_t body) {
    return has_particles(sim, body) ? sim->v[sim->bodies.items[body].first] : NULL;
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
    toc_sim_energy e = {0};
    if (!sim) return e;
    for (size_t i = 0; i < sim->particle_count; i++) {
        if (sim->w[i] == 0) continue;
        e.kinetic += 0.5 * sim->mass[i] * sim_dot(sim->v[i], sim->v[i]);
        e.gravity -= sim->mass[i] * sim_dot(sim->settings.gravity, sim->x[i]);
        sim_add(sim->mass[i], sim->v[i], e.momentum);
        e.mass += sim->mass[i];
    }
    for (size_t i = 0; i < sim->rigids.count; i++) add_rigid_energy(sim, &sim->rigids.items[i], &e);
    for (size_t i = 0; i < sim->tets.count; i++) {
        const uint32_t *v = sim->tets.items[i].v;
        double edges[3][3];
        for (int k = 0; k < 3; k++) sim_sub(sim->x[v[k + 1]], sim->x[v[0]], edges[k]);
        e.volume += sim_determinant(edges) / 6;
    }
    return e;
}
