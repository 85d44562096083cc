// SPDX-License-Identifier: Apache-2.0
// Springs along the edges of surfaces and along loose edges, and joints between any two vertices.
#include <assert.h>
#include <math.h>

#include "sim/body/body.h"
#include "sim/body/rigid.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"

static bool is_thin_edge(const sim_build *build, size_t edge) {
    assert(edge < build->features->edge_count);
    const toc_lists *around = &build->features->edge_elements;
    const toc_element e = toc_mesh_get_element(build->mesh, around->items[around->first[edge]]);
    return e.shape == TOC_EDGE || e.shape == TOC_TRIANGLE || e.shape == TOC_QUAD;
}

toc_status toc_sim_springs_add(toc_sim *sim, const sim_build *build) {
    if (!(build->material->stretch > 0)) return TOC_OK;
    const toc_features *f = build->features;
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->springs, f->edge_count));
    for (size_t i = 0; i < f->edge_count; i++) {
        if (!is_thin_edge(build, i)) continue;
        sim_spring s = {.v = {build->first + f->edges[i][0], build->first + f->edges[i][1]},
                        .origin = (uint32_t)sim->bodies.count,
                        .compliance = 1 / build->material->stretch};
        double edge[3];
        sim_sub(sim->x[s.v[0]], sim->x[s.v[1]], edge);
        s.rest = sim_length(edge);
        s.id = sim->springs_made++;
        sim->springs.at[sim->springs.count++] = s;
    }
    return TOC_OK;
}

static void solve_springs(void *user, size_t first, size_t last) {
    assert(first <= last);
    const sim_solve *solve = user;
    const double scale = 1 / (solve->h * solve->h), *w = solve->sim->w;
    double(*x)[3] = solve->sim->x;
    for (size_t i = first; i < last; i++) {
        const sim_spring *s = &solve->sim->springs.at[solve->first + i];
        const uint32_t a = s->v[0], b = s->v[1];
        double along[3];
        sim_sub(x[a], x[b], along);
        const double length = sim_normalize(along), sum = w[a] + w[b];
        if (sum == 0 || length == 0) continue;
        const double lambda = (s->rest - length) / (sum + s->compliance * scale);
        sim_add(w[a] * lambda, along, x[a]);
        sim_add(-w[b] * lambda, along, x[b]);
    }
}

void toc_sim_springs_solve(toc_sim *sim, double h) {
    assert(h > 0);
    toc_sim_colours_run(sim, &sim->spring_colours, h, 1024, solve_springs);
}

// Beyond its strain a spring keeps the excess: the rest follows, and the strain at the limit stays.
void toc_sim_springs_yield(toc_sim *sim) {
    for (size_t i = 0; i < sim->springs.count; i++) {
        sim_spring *s = &sim->springs.at[i];
        const double limit = sim->bodies.at[sim->owner[s->v[0]]].material.yield;
        if (limit == 0) continue;
        double along[3];
        sim_sub(sim->x[s->v[0]], sim->x[s->v[1]], along);
        const double length = sim_length(along);
        if (length > (1 + limit) * s->rest) s->rest = length / (1 + limit);
        if (length < (1 - limit) * s->rest && length > 0) s->rest = length / (1 - limit);
    }
}

// ---- joints

static sim_rigid *rigid_of(toc_sim *sim, uint32_t particle) {
    assert(particle < sim->particle_count);
    const uint32_t rigid = sim->bodies.at[sim->owner[particle]].rigid;
    return rigid == SIM_NONE ? NULL : &sim->rigids.at[rigid];
}

static void solve_joint(toc_sim *sim, const sim_joint *joint, double h) {
    assert(h > 0);
    double point[2][3], along[3], inverse_mass = 0;
    for (int k = 0; k < 2; k++) {
        const sim_rigid *r = rigid_of(sim, joint->v[k]);
        if (r) {
            toc_sim_pose_apply(&r->now, sim->rest[joint->v[k]], point[k]);
        } else {
            sim_copy(sim->x[joint->v[k]], point[k]);
        }
    }
    sim_sub(point[0], point[1], along);
    const double length = sim_normalize(along);
    if (length == 0) return;
    for (int k = 0; k < 2; k++) {
        const sim_rigid *r = rigid_of(sim, joint->v[k]);
        inverse_mass += r ? toc_sim_rigid_inverse_mass(r, point[k], along) : sim->w[joint->v[k]];
    }
    if (inverse_mass == 0) return;
    const double lambda = (joint->rest - length) / (inverse_mass + joint->compliance / (h * h));
    for (int k = 0; k < 2; k++) {
        sim_rigid *r = rigid_of(sim, joint->v[k]);
        double impulse[3] = {0, 0, 0};
        sim_add(k ? -lambda : lambda, along, impulse);
        if (r) {
            toc_sim_rigid_push(r, point[k], impulse);
        } else {
            sim_add(sim->w[joint->v[k]], impulse, sim->x[joint->v[k]]);
        }
    }
}

void toc_sim_joints_solve(toc_sim *sim, double h) {
    assert(h > 0);
    for (size_t i = 0; i < sim->joints.count; i++) solve_joint(sim, &sim->joints.at[i], h);
}
