// SPDX-License-Identifier: Apache-2.0
// Hinges: the angle between two faces at their common edge. Gradients after Bridson et al. 2003, "Simulation of
// clothing with folds and wrinkles".
#include <assert.h>
#include <math.h>

#include "sim/body/body.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"

bool toc_sim_hinge_angle(double x[4][3], double *angle, double gradient[4][3]) {
    double e[3], a[3], b[3], c[3], d[3], n[3], m[3], turned[3];
    sim_sub(x[3], x[2], e);
    sim_sub(x[0], x[2], a);
    sim_sub(x[0], x[3], b);
    sim_sub(x[1], x[3], c);
    sim_sub(x[1], x[2], d);
    sim_cross(a, b, n);
    sim_cross(c, d, m);
    const double nn = sim_dot(n, n), mm = sim_dot(m, m), length = sim_length(e);
    if (nn == 0 || mm == 0 || length == 0) return false;
    sim_cross(n, m, turned);
    *angle = atan2(-sim_dot(turned, e) / length, sim_dot(n, m));
    for (int k = 0; k < 3; k++) {
        const double u = n[k] / nn, v = m[k] / mm;
        gradient[0][k] = length * u;
        gradient[1][k] = length * v;
        gradient[2][k] = (sim_dot(b, e) * u + sim_dot(c, e) * v) / length;
        gradient[3][k] = -(sim_dot(a, e) * u + sim_dot(d, e) * v) / length;
    }
    return true;
}

// The place of an edge among the features, which are sorted.
static size_t edge_place(const toc_features *f, uint32_t a, uint32_t b) {
    assert(a != b);
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t from = 0, to = f->edge_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const uint32_t *e = f->edges[middle];
        if (e[0] < low || (e[0] == low && e[1] < high)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/// The faces at an edge: how many, and the vertices across of the first two.
typedef struct sim_edge_faces {
    uint32_t count, across[2], element[2];
} sim_edge_faces;

static bool is_surface_face(const sim_build *build, size_t face) {
    assert(face < build->features->face_count);
    const toc_lists *around = &build->features->face_elements;
    const toc_shape shape = toc_mesh_get_element(build->mesh, around->items[around->first[face]]).shape;
    return shape == TOC_TRIANGLE || shape == TOC_QUAD;
}

static void gather_faces(const sim_build *build, sim_edge_faces *at) {
    const toc_features *f = build->features;
    for (size_t i = 0; i < f->face_count; i++) {
        if (!is_surface_face(build, i)) continue;
        for (int k = 0; k < 3; k++) {
            const uint32_t *v = f->faces[i];
            sim_edge_faces *edge = &at[edge_place(f, v[k], v[(k + 1) % 3])];
            if (edge->count < 2) {
                edge->across[edge->count] = v[(k + 2) % 3];
                edge->element[edge->count] = f->face_elements.items[f->face_elements.first[i]];
            }
            edge->count++;
        }
    }
}

static void add_hinge(toc_sim *sim, const sim_build *build, const uint32_t edge[2], const sim_edge_faces *faces) {
    sim_hinge hinge = {.v = {build->first + faces->across[0], build->first + faces->across[1], build->first + edge[0],
                             build->first + edge[1]},
                       .origin = (uint32_t)sim->bodies.count,
                       .element = {faces->element[0], faces->element[1]},
                       .compliance = 1 / build->material->bend};
    double x[4][3], gradient[4][3];
    for (int k = 0; k < 4; k++) sim_copy(sim->x[hinge.v[k]], x[k]);
    if (!toc_sim_hinge_angle(x, &hinge.rest, gradient)) return;
    hinge.id = sim->hinges_made++;
    sim->hinges.at[sim->hinges.count++] = hinge;
}

toc_status toc_sim_hinges_add(toc_sim *sim, const sim_build *build) {
    if (!(build->material->bend > 0)) return TOC_OK;
    const toc_features *f = build->features;
    TOC_ARRAY(sim_edge_faces) at = {0};
    toc_status status = toc_array_reserve(&sim->memory, &sim->hinges, f->edge_count);
    if (status == TOC_OK) status = toc_array_room(&sim->memory, &at, f->edge_count);
    if (status == TOC_OK) {
        gather_faces(build, at.at);
        for (size_t i = 0; i < f->edge_count; i++)
            if (at.at[i].count == 2) add_hinge(sim, build, f->edges[i], &at.at[i]);
    }
    toc_array_free(&sim->memory, &at);
    return status;
}

static const double turn_full = 6.283185307179586476925;

double toc_sim_hinge_excess(const sim_hinge *hinge, double angle) { return remainder(angle - hinge->rest, turn_full); }

static void solve_hinge(double (*x)[3], const double *w, const sim_hinge *hinge, double scale) {
    double at[4][3], gradient[4][3], angle, sum = 0;
    for (int k = 0; k < 4; k++) sim_copy(x[hinge->v[k]], at[k]);
    if (!toc_sim_hinge_angle(at, &angle, gradient)) return;
    for (int k = 0; k < 4; k++) sum += w[hinge->v[k]] * sim_dot(gradient[k], gradient[k]);
    if (sum == 0) return;
    const double lambda = -toc_sim_hinge_excess(hinge, angle) / (sum + hinge->compliance * scale);
    for (int k = 0; k < 4; k++) sim_add(w[hinge->v[k]] * lambda, gradient[k], x[hinge->v[k]]);
}

static void solve_hinges(void *user, size_t first, size_t last) {
    assert(first <= last);
    const sim_solve *solve = user;
    const double scale = 1 / (solve->h * solve->h);
    for (size_t i = first; i < last; i++)
        solve_hinge(solve->sim->x, solve->sim->w, &solve->sim->hinges.at[solve->first + i], scale);
}

void toc_sim_hinges_solve(toc_sim *sim, double h) {
    assert(h > 0);
    toc_sim_colours_run(sim, &sim->hinge_colours, h, 256, solve_hinges);
}

void toc_sim_hinges_yield(toc_sim *sim) {
    for (size_t i = 0; i < sim->hinges.count; i++) {
        sim_hinge *hinge = &sim->hinges.at[i];
        const double limit = sim->bodies.at[sim->owner[hinge->v[0]]].material.bend_yield;
        if (limit == 0) continue;
        double x[4][3], gradient[4][3], angle;
        for (int k = 0; k < 4; k++) sim_copy(sim->x[hinge->v[k]], x[k]);
        if (!toc_sim_hinge_angle(x, &angle, gradient)) continue;
        const double excess = toc_sim_hinge_excess(hinge, angle);
        if (fabs(excess) > limit) hinge->rest += excess - copysign(limit, excess);
    }
}
