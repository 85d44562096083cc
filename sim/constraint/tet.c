// SPDX-License-Identifier: Apache-2.0
// Tetrahedra of a stable neo-Hookean material, as two constraints that are solved together.
//
// Energy density mu/2 (tr F'F - 3) + l/2 (det F - 1 - mu/l)^2 (Smith et al. 2018), where l is Lame's lambda + mu, so
// that small strains obey Hooke's law with the given modulus and ratio. Constraints after Macklin and Mueller 2021, "A
// constraint-based formulation of stable neo-Hookean materials": sqrt(tr F'F) and det F - goal. At rest their forces
// cancel only if both are solved at once, hence the 2 x 2 system.
#include <assert.h>
#include <math.h>
#include <stdatomic.h>

#include "sim/body/body.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"

static void edge_matrix(double (*x)[3], const uint32_t v[4], double rows[3][3]) {
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) rows[i][j] = x[v[j + 1]][i] - x[v[0]][i];
}

static void add_tet(toc_sim *sim, const sim_build *build, uint32_t element, const uint32_t v[4]) {
    const toc_sim_material *m = build->material;
    sim_tet t = {.element = element, .origin = (uint32_t)sim->bodies.count, .by_force = m->forces};
    double edges[3][3];
    for (int k = 0; k < 4; k++) t.v[k] = build->first + v[k];
    edge_matrix(sim->x, t.v, edges);
    const double volume = t.volume = sim_matrix_invert(edges, t.inverse_rest) / 6;
    t.mass = m->density * volume;
    const double mu = m->young / (2 * (1 + m->poisson));
    const double lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson)) + mu;
    t.goal = 1 + mu / lambda;
    t.shear_compliance = 1 / (mu * volume);
    t.volume_compliance = 1 / (lambda * volume);
    sim->tets.at[sim->tets.count++] = t;
}

toc_status toc_sim_tets_add(toc_sim *sim, const sim_build *build) {
    const double *x = toc_mesh_get_x1(build->mesh);
    for (uint32_t e = 0; e < toc_mesh_get_element_count(build->mesh); e++) {
        const toc_element element = toc_mesh_get_element(build->mesh, e);
        uint32_t tets[6][4];
        const int count = toc_sim_element_split(element.shape, element.corners, x, tets);
        TOC_TRY(toc_array_reserve(&sim->memory, &sim->tets, (size_t)count));
        for (int i = 0; i < count; i++) add_tet(sim, build, e, tets[i]);
    }
    return TOC_OK;
}

// Derivatives by the vertices from the derivative by F (rows: coordinates): dF times the transposed inverse of the
// rest.
static void spread_gradient(double by_f[3][3], const sim_tet *t, double out[4][3]) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) out[k + 1][i] = sim_dot(by_f[i], t->inverse_rest[k]);
    for (int i = 0; i < 3; i++) out[0][i] = -(out[1][i] + out[2][i] + out[3][i]);
}

// The deformation gradient F, from rest to now, and its cofactor.
static void deformation_of(double (*x)[3], const sim_tet *t, double f[3][3], double cofactor[3][3]) {
    double d[3][3];
    edge_matrix(x, t->v, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            f[i][j] =
                d[i][0] * t->inverse_rest[0][j] + d[i][1] * t->inverse_rest[1][j] + d[i][2] * t->inverse_rest[2][j];
    for (int i = 0; i < 3; i++) sim_cross(f[(i + 1) % 3], f[(i + 2) % 3], cofactor[i]);
}

static void solve_tet(double (*x)[3], const double *w, const sim_tet *t, double scale) {
    double f[3][3], cofactor[3][3], shear[4][3], volume[4][3], norm = 0;
    deformation_of(x, t, f, cofactor);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) norm += f[i][j] * f[i][j];
    norm = sqrt(norm);
    if (norm == 0) return;
    const double gap = sim_dot(f[0], cofactor[0]) - t->goal;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) f[i][j] /= norm;
    spread_gradient(f, t, shear);
    spread_gradient(cofactor, t, volume);
    double a = t->shear_compliance * scale, b = 0, c = t->volume_compliance * scale;
    for (int k = 0; k < 4; k++) {
        a += w[t->v[k]] * sim_dot(shear[k], shear[k]);
        b += w[t->v[k]] * sim_dot(shear[k], volume[k]);
        c += w[t->v[k]] * sim_dot(volume[k], volume[k]);
    }
    const double det = a * c - b * b; // above 0: the compliances are
    const double of_shear = (b * gap - c * norm) / det, of_volume = (b * norm - a * gap) / det;
    for (int k = 0; k < 4; k++) {
        sim_add(w[t->v[k]] * of_shear, shear[k], x[t->v[k]]);
        sim_add(w[t->v[k]] * of_volume, volume[k], x[t->v[k]]);
    }
}

static void solve_tets(void *user, size_t first, size_t last) {
    assert(first <= last);
    const sim_solve *solve = user;
    const double scale = 1 / (solve->h * solve->h);
    for (size_t i = first; i < last; i++)
        if (!solve->sim->tets.at[solve->first + i].by_force)
            solve_tet(solve->sim->x, solve->sim->w, &solve->sim->tets.at[solve->first + i], scale);
}

void toc_sim_tets_solve(toc_sim *sim, double h) { toc_sim_colours_run(sim, &sim->tet_colours, h, 128, solve_tets); }

// ---- the least volume: the energy above is finite for a flat element, so that a blow can turn it inside out

// Share of its volume at rest below which an element is as hard as a contact. Larger ones obey the energy alone.
static const double least_share = 0.2;
// Sweeps over all elements of a substep at most.
enum { UPHOLDING_SWEEPS = 4 };

static bool uphold_tet(double (*x)[3], const double *w, const sim_tet *t) {
    double f[3][3], cofactor[3][3], volume[4][3], sum = 0;
    deformation_of(x, t, f, cofactor);
    const double gap = sim_dot(f[0], cofactor[0]) - least_share;
    if (gap >= 0) return false;
    spread_gradient(cofactor, t, volume);
    for (int k = 0; k < 4; k++) sum += w[t->v[k]] * sim_dot(volume[k], volume[k]);
    for (int k = 0; k < 4 && sum > 0; k++) sim_add(-gap / sum * w[t->v[k]], volume[k], x[t->v[k]]);
    return true;
}

static void uphold_tets(void *user, size_t first, size_t last) {
    assert(first <= last);
    const sim_solve *solve = user;
    toc_sim *sim = solve->sim;
    for (size_t i = first; i < last; i++) {
        const sim_tet *t = &sim->tets.at[solve->first + i];
        if (!t->by_force && uphold_tet(sim->x, sim->w, t))
            atomic_store_explicit(&sim->upheld, true, memory_order_relaxed);
    }
}

bool toc_sim_tets_uphold(toc_sim *sim) {
    bool again = true;
    int sweep = 0;
    for (; sweep < UPHOLDING_SWEEPS && again; sweep++) {
        sim->upheld = false;
        toc_sim_colours_run(sim, &sim->tet_colours, 0, 256, uphold_tets);
        again = sim->upheld;
    }
    return sweep > 1;
}

// ---- explicit finite elements: the same energy as forces at the start of the substep

// The derivative of the energy by the vertices, and the cofactor of F.
static void energy_gradient(double (*x)[3], const sim_tet *t, double cofactor[3][3], double out[4][3]) {
    double f[3][3], stress[3][3];
    deformation_of(x, t, f, cofactor);
    const double gap = sim_dot(f[0], cofactor[0]) - t->goal;
    // First Piola-Kirchhoff stress times the volume: compliances are the inverse moduli over the volume.
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress[i][j] = f[i][j] / t->shear_compliance + gap * cofactor[i][j] / t->volume_compliance;
    spread_gradient(stress, t, out);
}

static void push_tet(double (*x)[3], double (*v)[3], const double *w, const sim_tet *t, double h) {
    assert(h > 0);
    double cofactor[3][3], gradient[4][3];
    energy_gradient(x, t, cofactor, gradient);
    for (int k = 0; k < 4; k++) sim_add(-h * w[t->v[k]], gradient[k], v[t->v[k]]);
}

void toc_sim_tet_forces(const toc_sim *sim, const sim_tet *t, double forces[4][3], double areas[4][3]) {
    double cofactor[3][3];
    energy_gradient(sim->x, t, cofactor, forces);
    spread_gradient(cofactor, t, areas);
    for (int k = 0; k < 12; k++) {
        forces[k / 3][k % 3] *= -1;
        areas[k / 3][k % 3] *= t->volume;
    }
}

static void push_tets(void *user, size_t first, size_t last) {
    assert(first <= last);
    const sim_solve *solve = user;
    for (size_t i = first; i < last; i++) {
        const sim_tet *t = &solve->sim->tets.at[solve->first + i];
        if (t->by_force) push_tet(solve->sim->x, solve->sim->v, solve->sim->w, t, solve->h);
    }
}

void toc_sim_tets_push(toc_sim *sim, double h) { toc_sim_colours_run(sim, &sim->tet_colours, h, 128, push_tets); }
