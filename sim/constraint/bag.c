// SPDX-License-Identifier: Apache-2.0
// Bags: closed surfaces with a pressure inside, as a constraint on their volume.
#include <assert.h>
#include <math.h>

#include "sim/body/body.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"

static double bag_volume(const toc_sim *sim, const sim_bag *bag) {
    const uint32_t *v = sim->bag_faces.at + bag->first;
    const double *origin = sim->x[v[0]];
    double volume = 0;
    for (uint32_t i = 0; i < bag->count; i++, v += 3) {
        double a[3], b[3], c[3], n[3];
        sim_sub(sim->x[v[0]], origin, a);
        sim_sub(sim->x[v[1]], origin, b);
        sim_sub(sim->x[v[2]], origin, c);
        sim_cross(b, c, n);
        volume += sim_dot(a, n) / 6;
    }
    return volume;
}

toc_status toc_sim_bag_add(toc_sim *sim, const sim_build *build) {
    if (!(build->material->inflation > 0)) return TOC_OK;
    const toc_features *f = build->features;
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->bags, 1));
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->bag_faces, 3 * f->face_count));
    toc_mesh_report report;
    TOC_TRY(toc_mesh_inspect(build->mesh, &report));
    if (report.boundary_edges > 0)
        return toc_fail(TOC_BAD_INPUT, "a body to inflate is not closed: %zu edges have one face",
                        report.boundary_edges);
    sim_bag bag = {.first = (uint32_t)sim->bag_faces.count,
                   .origin = (uint32_t)sim->bodies.count,
                   .compliance = 1 / build->material->inflation_stiffness};
    for (size_t i = 0; i < f->face_count; i++) {
        if (!(f->face_flags[i] & TOC_FEATURE_ON_BOUNDARY)) continue;
        for (int k = 0; k < 3; k++) sim->bag_faces.at[sim->bag_faces.count++] = build->first + f->faces[i][k];
        bag.count++;
    }
    if (bag.count == 0) return toc_fail(TOC_BAD_INPUT, "a body to inflate has no faces");
    bag.volume = bag_volume(sim, &bag) * build->material->inflation;
    sim->bags.at[sim->bags.count++] = bag;
    return TOC_OK;
}

// The gradient by a vertex is a third of the area vectors around it; scratch holds it, 0 between calls.
static void solve_bag(toc_sim *sim, const sim_bag *bag, double (*gradient)[3], double h) {
    assert(h > 0);
    const uint32_t *faces = sim->bag_faces.at + bag->first;
    for (uint32_t i = 0; i < bag->count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *v = faces + 3 * i;
            double b[3], c[3], n[3];
            sim_sub(sim->x[v[(k + 1) % 3]], sim->x[v[k]], b);
            sim_sub(sim->x[v[(k + 2) % 3]], sim->x[v[k]], c);
            sim_cross(b, c, n);
            sim_add(1.0 / 6, n, gradient[v[k]]);
        }
    double sum = bag->compliance / (h * h), lambda;
    const sim_body *body = &sim->bodies.at[sim->owner[faces[0]]];
    const uint32_t end = body->first + body->count;
    for (uint32_t i = body->first; i < end; i++) sum += sim->w[i] * sim_dot(gradient[i], gradient[i]);
    lambda = (bag->volume - bag_volume(sim, bag)) / sum;
    for (uint32_t i = body->first; i < end; i++) sim_add(sim->w[i] * lambda, gradient[i], sim->x[i]);
}

void toc_sim_bags_solve(toc_sim *sim, double h) {
    assert(h > 0);
    if (sim->bags.count == 0) return;
    double(*gradient)[3] = (double(*)[3])(void *)sim->scratch.at;
    memset(gradient, 0, sim->particle_count * sizeof *gradient);
    for (size_t i = 0; i < sim->bags.count; i++) solve_bag(sim, &sim->bags.at[i], gradient, h);
}
