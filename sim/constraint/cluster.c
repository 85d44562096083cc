// SPDX-License-Identifier: Apache-2.0
// Shape matching lattices: a cluster for each cell of a grid around the body, each twice as wide as its cell, so that
// a vertex belongs to eight. A vertex moves a share of the way to the mean of its clusters' matched shapes.
//
// Mueller et al. 2005, "Meshless deformations based on shape matching"; the rotation by Mueller et al. 2016, "A robust
// method to extract the rotational part of deformations", from the rotation of the last match.
#include <math.h>

#include "sim/body/body.h"
#include "sim/constraint/constraint.h"
#include "sim/core/vector.h"

enum { LARGEST_LATTICE = 1 << 24, ROTATION_STEPS = 8 };

/// The grid of a lattice: cell (0, 0, 0) begins at `low`.
typedef struct sim_grid {
    double low[3], cell;
    uint32_t size[3];
} sim_grid;

static toc_status make_lattice(const toc_sim *sim, const sim_build *build, sim_grid *grid) {
    double high[3];
    const toc_features *f = build->features;
    grid->cell = build->material->lattice;
    for (int k = 0; k < 3; k++) grid->low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < f->vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            const double x = sim->x[build->first + f->vertices[i]][k];
            grid->low[k] = fmin(grid->low[k], x);
            high[k] = fmax(high[k], x);
        }
    double cells = 1;
    for (int k = 0; k < 3; k++) {
        grid->low[k] -= grid->cell; // half a cell at least on either side
        const double size = floor((high[k] - grid->low[k]) / grid->cell) + 2;
        cells *= size;
        if (!(cells <= LARGEST_LATTICE))
            return toc_sim_fail(TOC_BAD_INPUT, "the lattice has more than %d cells; make its cells larger than %g",
                                LARGEST_LATTICE, grid->cell);
        grid->size[k] = (uint32_t)size;
    }
    return TOC_OK;
}

// The eight cells of a vertex: along each axis the two whose centres are nearest.
static void cells_of(const sim_grid *grid, const double x[3], size_t out[8]) {
    uint32_t lower[3];
    for (int k = 0; k < 3; k++) {
        const double at = floor((x[k] - grid->low[k]) / grid->cell - 0.5);
        lower[k] = at < 0 ? 0 : (uint32_t)at;
        if (lower[k] + 2 > grid->size[k]) lower[k] = grid->size[k] - 2;
    }
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t i = lower[0] + (c & 1), j = lower[1] + (c >> 1 & 1), k = lower[2] + (c >> 2);
        out[c] = i + (size_t)grid->size[0] * (j + (size_t)grid->size[1] * k);
    }
}

// Number the cells with members, and count these: ends[c] becomes one past the members of cell c, as clusters.
static toc_status add_empty_clusters(toc_sim *sim, const sim_build *build, const sim_grid *grid, uint32_t *at) {
    const toc_features *f = build->features;
    const size_t cells = (size_t)grid->size[0] * grid->size[1] * grid->size[2];
    size_t of_vertex[8], occupied = 0;
    for (size_t i = 0; i < f->vertex_count; i++) {
        cells_of(grid, sim->x[build->first + f->vertices[i]], of_vertex);
        for (int c = 0; c < 8; c++) occupied += at[of_vertex[c]]++ == 0;
    }
    SIM_TRY(sim_array_reserve(&sim->memory, &sim->clusters, sim->clusters.count + occupied));
    SIM_TRY(sim_array_reserve(&sim->memory, &sim->members, sim->members.count + 8 * f->vertex_count));
    uint32_t first = (uint32_t)sim->members.count;
    for (size_t c = 0; c < cells; c++) {
        if (at[c] == 0) continue;
        sim->clusters.items[sim->clusters.count] = (sim_cluster){.first = first, .turn = {0, 0, 0, 1}};
        first += at[c];
        at[c] = (uint32_t)sim->clusters.count++;
    }
    return TOC_OK;
}

static void fill_clusters(toc_sim *sim, const sim_build *build, const sim_grid *grid, const uint32_t *at) {
    const toc_features *f = build->features;
    size_t cells[8];
    for (size_t i = 0; i < f->vertex_count; i++) {
        const uint32_t particle = build->first + f->vertices[i];
        cells_of(grid, sim->x[particle], cells);
        for (int c = 0; c < 8; c++) {
            sim_cluster *cluster = &sim->clusters.items[at[cells[c]]];
            sim->members.items[cluster->first + cluster->count++] = particle;
            cluster->mass += sim->mass[particle];
            sim_add(sim->mass[particle], sim->x[particle], cluster->centre);
        }
    }
    sim->members.count += 8 * f->vertex_count;
}

toc_status toc_sim_clusters_add(toc_sim *sim, const sim_build *build) {
    sim_grid grid;
    SIM_TRY(make_lattice(sim, build, &grid));
    SIM_ARRAY(uint32_t) at = {0};
    const size_t first = sim->clusters.count;
    SIM_TRY(sim_array_reserve(&sim->memory, &at, (size_t)grid.size[0] * grid.size[1] * grid.size[2]));
    const toc_status status = add_empty_clusters(sim, build, &grid, at.items);
    if (status == TOC_OK) {
        fill_clusters(sim, build, &grid, at.items);
        for (size_t c = first; c < sim->clusters.count; c++)
            for (int k = 0; k < 3; k++) sim->clusters.items[c].centre[k] /= sim->clusters.items[c].mass;
    }
    sim_array_free(&sim->memory, &at);
    return status;
}

// Turn q towards the rotation of the matrix whose columns are `a`.
static void extract_rotation(double a[3][3], double q[4]) {
    for (int step = 0; step < ROTATION_STEPS; step++) {
        double omega[3] = {0, 0, 0}, sum = 0;
        for (int k = 0; k < 3; k++) {
            const double unit[3] = {k == 0, k == 1, k == 2};
            double axis[3], cross[3];
            sim_quaternion_rotate(q, unit, axis);
            sim_cross(axis, a[k], cross);
            sim_add(1, cross, omega);
            sum += sim_dot(axis, a[k]);
        }
        const double scale = 1 / (fabs(sum) + 1e-300), length = sim_length(omega) * scale;
        // Done, or a cluster of one vertex, whose matrix is nothing but rounding.
        if (!(length > 1e-9 && length < 1e9)) break;
        const double rotation[3] = {omega[0] * scale, omega[1] * scale, omega[2] * scale};
        sim_quaternion_turn(q, rotation);
    }
}

// Places at rest are about the mass centre, so the centre drops out of the matrix, and one pass gives both. Positions
// count from a member, for accuracy far from the origin.
static void match_cluster(toc_sim *sim, sim_cluster *cluster) {
    const uint32_t *members = sim->members.items + cluster->first;
    double centre[3] = {0, 0, 0}, columns[3][3] = {{0}};
    const double *origin = sim->x[members[0]];
    for (uint32_t i = 0; i < cluster->count; i++) {
        const double mass = sim->mass[members[i]];
        double now[3], rest[3];
        sim_sub(sim->x[members[i]], origin, now);
        sim_sub(sim->rest[members[i]], cluster->centre, rest);
        sim_add(mass, now, centre);
        for (int k = 0; k < 3; k++) sim_add(mass * rest[k], now, columns[k]);
    }
    extract_rotation(columns, cluster->turn);
    for (int k = 0; k < 3; k++) cluster->goal[k] = origin[k] + centre[k] / cluster->mass;
}

static void match_clusters(void *user, size_t first, size_t last) {
    toc_sim *sim = user;
    for (size_t c = first; c < last; c++) match_cluster(sim, &sim->clusters.items[c]);
}

// Goals add up in the order of the clusters, on one thread: the same bits always.
static void gather_goals(toc_sim *sim, double (*goals)[3]) {
    for (size_t c = 0; c < sim->clusters.count; c++) {
        const sim_cluster *cluster = &sim->clusters.items[c];
        double columns[3][3];
        for (int k = 0; k < 3; k++)
            sim_quaternion_rotate(cluster->turn, (const double[3]){k == 0, k == 1, k == 2}, columns[k]);
        for (uint32_t i = 0; i < cluster->count; i++) {
            const uint32_t particle = sim->members.items[cluster->first + i];
            double rest[3], *goal = goals[particle];
            sim_sub(sim->rest[particle], cluster->centre, rest);
            for (int k = 0; k < 3; k++)
                goal[k] +=
                    cluster->goal[k] + rest[0] * columns[0][k] + rest[1] * columns[1][k] + rest[2] * columns[2][k];
        }
    }
}

void toc_sim_clusters_solve(toc_sim *sim, double h) {
    (void)h;
    if (sim->clusters.count == 0) return;
    double(*goals)[3] = (double(*)[3])(void *)sim->scratch.items;
    memset(goals, 0, sim->particle_count * sizeof *goals);
    toc_sim_team_run(sim->team, sim->clusters.count, 64, match_clusters, sim);
    gather_goals(sim, goals);
    for (size_t b = 0; b < sim->bodies.count; b++) {
        const sim_body *body = &sim->bodies.items[b];
        if (!(body->material.lattice > 0) || body->material.motion != TOC_SIM_SOFT) continue;
        const double share = body->material.lattice_stiffness;
        for (uint32_t i = body->first; i < body->first + body->count; i++)
            for (int k = 0; k < 3 && sim->w[i] > 0; k++) sim->x[i][k] += share * (goals[i][k] / 8 - sim->x[i][k]);
    }
}
