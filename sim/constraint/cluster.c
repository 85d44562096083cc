// SPDX-License-Identifier: Apache-2.0
// Shape matching lattices: a cluster for each cell of a grid around the body, each twice as wide as its cell, so that
// a vertex belongs to eight. A vertex moves a share of the way to the mean of its clusters' matched shapes.
//
// Mueller et al. 2005, "Meshless deformations based on shape matching"; the rotation by Mueller et al. 2016, "A robust
// method to extract the rotational part of deformations", from the rotation of the last match.
#include <assert.h>
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
            return toc_fail(TOC_BAD_INPUT, "the lattice has more than %d cells; make its cells larger than %g",
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
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->clusters, occupied));
    TOC_TRY(toc_array_reserve(&sim->memory, &sim->members, 8 * f->vertex_count));
    uint32_t first = (uint32_t)sim->members.count;
    for (size_t c = 0; c < cells; c++) {
        if (at[c] == 0) continue;
        sim->clusters.at[sim->clusters.count] = (sim_cluster){.first = first, .turn = {0, 0, 0, 1}};
        first += at[c];
        at[c] = (uint32_t)sim->clusters.count++;
    }
    return TOC_OK;
}

static void fill_clusters(toc_sim *sim, const sim_build *build, const sim_grid *grid, const uint32_t *at) {
    assert(build->features && at);
    const toc_features *f = build->features;
    size_t cells[8];
    for (size_t i = 0; i < f->vertex_count; i++) {
        const uint32_t particle = build->first + f->vertices[i];
        cells_of(grid, sim->x[particle], cells);
        for (int c = 0; c < 8; c++) {
            sim_cluster *cluster = &sim->clusters.at[at[cells[c]]];
            sim->members.at[cluster->first + cluster->count++] = particle;
            cluster->mass += sim->mass[particle];
            sim_add(sim->mass[particle], sim->x[particle], cluster->centre);
        }
    }
    sim->members.count += 8 * f->vertex_count;
}

toc_status toc_sim_clusters_add(toc_sim *sim, const sim_build *build) {
    if (!(build->material->lattice > 0)) return TOC_OK;
    sim_grid grid;
    TOC_TRY(make_lattice(sim, build, &grid));
    TOC_ARRAY(uint32_t) at = {0};
    const size_t first = sim->clusters.count;
    TOC_TRY(toc_array_room(&sim->memory, &at, (size_t)grid.size[0] * grid.size[1] * grid.size[2]));
    const toc_status status = add_empty_clusters(sim, build, &grid, at.at);
    if (status == TOC_OK) {
        fill_clusters(sim, build, &grid, at.at);
        for (size_t c = first; c < sim->clusters.count; c++)
            for (int k = 0; k < 3; k++) sim->clusters.at[c].centre[k] /= sim->clusters.at[c].mass;
    }
    toc_array_free(&sim->memory, &at);
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
    const uint32_t *members = sim->members.at + cluster->first;
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
    for (int k = 0; k < 3; k++) {
        double axis[3];
        cluster->goal[k] = origin[k] + centre[k] / cluster->mass;
        sim_quaternion_rotate(cluster->turn, (const double[3]){k == 0, k == 1, k == 2}, axis);
        for (int i = 0; i < 3; i++) cluster->axes[i][k] = axis[i];
    }
}

static void match_clusters(void *user, size_t first, size_t last) {
    toc_sim *sim = user;
    for (size_t c = first; c < last; c++) match_cluster(sim, &sim->clusters.at[c]);
}

// The clusters of each particle, ascending: those of particle p are sharers[first_sharer[p]] and so on.
static toc_status list_sharers(toc_sim *sim) {
    TOC_TRY(toc_array_room(&sim->memory, &sim->first_sharer, sim->particle_count + 2));
    TOC_TRY(toc_array_room(&sim->memory, &sim->sharers, sim->members.count));
    uint32_t *first = sim->first_sharer.at;
    memset(first, 0, (sim->particle_count + 2) * sizeof *first);
    for (size_t i = 0; i < sim->members.count; i++) first[sim->members.at[i] + 2]++;
    for (size_t p = 0; p < sim->particle_count; p++) first[p + 2] += first[p + 1];
    for (uint32_t c = 0; c < sim->clusters.count; c++) {
        const sim_cluster *cluster = &sim->clusters.at[c];
        for (uint32_t i = 0; i < cluster->count; i++)
            sim->sharers.at[first[sim->members.at[cluster->first + i] + 1]++] = c;
    }
    return TOC_OK;
}

toc_status toc_sim_clusters_update(toc_sim *sim) {
    if (sim->clusters.count == 0 || !sim->sharers_stale) return TOC_OK;
    TOC_TRY(list_sharers(sim));
    sim->sharers_stale = false;
    return TOC_OK;
}

static void add_goal(const toc_sim *sim, const sim_cluster *cluster, size_t particle, double goal[3]) {
    double rest[3];
    sim_sub(sim->rest[particle], cluster->centre, rest);
    for (int k = 0; k < 3; k++) goal[k] += cluster->goal[k] + sim_dot(rest, cluster->axes[k]);
}

// A share of the way to the mean of the goals, which add up in the order of the clusters: the same bits always.
static void move_to_goals(void *user, size_t first, size_t last) {
    toc_sim *sim = user;
    for (size_t i = first; i < last; i++) {
        const uint32_t begin = sim->first_sharer.at[i], end = sim->first_sharer.at[i + 1];
        const double share = sim->bodies.at[sim->owner[i]].material.lattice_stiffness;
        double goal[3] = {0, 0, 0};
        if (begin == end || sim->w[i] == 0) continue;
        for (uint32_t s = begin; s < end; s++) add_goal(sim, &sim->clusters.at[sim->sharers.at[s]], i, goal);
        for (int k = 0; k < 3; k++) sim->x[i][k] += share * (goal[k] / 8 - sim->x[i][k]);
    }
}

void toc_sim_clusters_solve(toc_sim *sim, double h) {
    assert(h > 0 && !(sim->clusters.count > 0 && sim->sharers_stale));
    (void)h;
    if (sim->clusters.count == 0) return;
    toc_sim_loop_run(sim->threads, sim->clusters.count, 64, match_clusters, sim);
    toc_sim_loop_run(sim->threads, sim->particle_count, 1024, move_to_goals, sim);
}
