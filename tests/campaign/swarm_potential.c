// SPDX-License-Identifier: Apache-2.0
// Potentials of the swarm: near pairs of a scene that do not touch. Energy is not negative, forces sum to zero, the
// gradient is that of differences of the energy, the Hessian is symmetric and not negative along any direction tried.
#include "toccata/potential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/swarm_scene.h"

typedef struct potential_case {
    swarm_scene *scene;
    toc_scene *bodies;
    uint32_t body_count;
    double x[SWARM_BODIES][SWARM_VERTICES][3], way[SWARM_BODIES][SWARM_VERTICES][3];
    double rest[SWARM_BODIES * SWARM_VERTICES * 3];
    toc_near *near;
    toc_potential_query query;
} potential_case;

static void fail_potential(const potential_case *c, const char *what, double got, double wanted) {
    swarm_fail(c->scene->counts, c->scene->seed, "potential: %s: %.17g, %.17g", what, got, wanted);
}

// Positions off the lattice, where closest points do not change their features for a small move.
static void place_bodies(potential_case *c) {
    size_t at = 0;
    for (uint32_t i = 0; i < c->body_count; i++)
        for (uint32_t v = 0; v < c->scene->bodies[i].vertex_count; v++)
            for (int k = 0; k < 3; k++, at++) {
                c->x[i][v][k] = c->scene->bodies[i].x0[v][k] + trial_between(&c->scene->random, -0.2, 0.2);
                c->way[i][v][k] = trial_between(&c->scene->random, -1, 1);
                c->rest[at] = c->x[i][v][k];
            }
}

static toc_status build_bodies(potential_case *c) {
    TOC_TRY_(toc_scene_create(NULL, &c->bodies));
    for (uint32_t i = 0; i < c->body_count; i++) {
        const swarm_body *b = &c->scene->bodies[i];
        toc_mesh *mesh;
        TOC_TRY_(toc_mesh_create(NULL, &mesh));
        TOC_TRY_(toc_mesh_add_vertices(mesh, b->vertex_count, c->x[i][0], NULL));
        TOC_TRY_(toc_mesh_add_elements(mesh, TOC_TRIANGLE, b->triangle_count, b->triangles[0], NULL));
        TOC_TRY_(toc_scene_add_body(c->bodies, mesh, NULL));
    }
    return TOC_OK;
}

// Near pairs that are at least a tenth of the distance apart.
static toc_status find_near_pairs(potential_case *c) {
    const toc_query query = toc_query_default();
    toc_near_query wanted = toc_near_query_default();
    toc_near *all;
    wanted.distance = c->query.distance;
    TOC_TRY_(toc_scene_find_near(c->bodies, &query, &wanted, NULL, &all));
    toc_near_pair *kept = calloc(all->count + 1, sizeof *kept);
    size_t count = 0;
    if (!kept) abort();
    for (size_t i = 0; i < all->count; i++)
        if (all->pairs[i].distance > 0.1 * c->query.distance) kept[count++] = all->pairs[i];
    const toc_status status = toc_near_create(NULL, count, kept, &c->near);
    toc_near_destroy(all);
    free(kept);
    return status;
}

// Move along the way of all vertices.
static toc_status find_at(potential_case *c, double by, toc_potential_order order, toc_potential **out) {
    const toc_query query = toc_query_default();
    double moved[SWARM_VERTICES][3];
    for (uint32_t i = 0; i < c->body_count; i++) {
        const uint32_t count = c->scene->bodies[i].vertex_count;
        for (uint32_t v = 0; v < count; v++)
            for (int k = 0; k < 3; k++) moved[v][k] = c->x[i][v][k] + by * c->way[i][v][k];
        TOC_TRY_(toc_mesh_set_motion(toc_scene_edit_mesh(c->bodies, i), count, moved[0], moved[0]));
    }
    c->query.order = order;
    c->scene->counts->calls++;
    return toc_scene_find_potential(c->bodies, &query, c->near, &c->query, out);
}

static void check_gradient(const potential_case *c, const toc_potential *p, double slope) {
    double sum[3] = {0, 0, 0}, size = 0, along = 0;
    for (uint32_t i = 0; i < c->body_count; i++)
        for (uint32_t v = 0; v < c->scene->bodies[i].vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                const double g = p->gradient[3 * (p->body_first[i] + v) + (size_t)k];
                sum[k] += g;
                size += fabs(g);
                along += g * c->way[i][v][k];
            }
    for (int k = 0; k < 3; k++)
        if (!(fabs(sum[k]) <= 1e-9 * size)) fail_potential(c, "forces do not sum to zero", sum[k], size);
    if (!(fabs(along - slope) <= 1e-4 * size)) fail_potential(c, "gradient", along, slope);
}

static void check_hessian(const potential_case *c, const toc_potential *p) {
    const double *way = c->rest; // any direction will do
    double square = 0, size = 0, most = 0;
    for (size_t i = 0; i < p->value_count; i++) most = fmax(most, fabs(p->values[i]));
    for (size_t row = 0; row < 3 * p->vertex_count; row++)
        for (size_t i = p->rows[row]; i < p->rows[row + 1]; i++) {
            const size_t column = p->columns[i];
            double mirrored = NAN;
            for (size_t j = p->rows[column]; j < p->rows[column + 1]; j++)
                if (p->columns[j] == row) mirrored = p->values[j];
            square += way[row] * p->values[i] * way[column];
            size += fabs(way[row] * p->values[i] * way[column]);
            if (!(fabs(mirrored - p->values[i]) <= 1e-12 * most))
                fail_potential(c, "not symmetric", p->values[i], mirrored);
        }
    if (!(square >= -1e-9 * size)) fail_potential(c, "negative along a direction", square, size);
}

static void compare_differences(potential_case *c) {
    const double h = 1e-6;
    toc_potential *at[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++)
        if (find_at(c, h * (i - 1), i == 1 ? TOC_HESSIAN : TOC_ENERGY, &at[i]) != TOC_OK)
            swarm_fail(c->scene->counts, c->scene->seed, "potential: %s", toc_message_get());
    if (at[0] && at[1] && at[2]) {
        if (!(at[1]->energy >= 0)) fail_potential(c, "energy", at[1]->energy, 0);
        check_gradient(c, at[1], (at[2]->energy - at[0]->energy) / (2 * h));
        check_hessian(c, at[1]);
    }
    for (int i = 0; i < 3; i++) toc_potential_destroy(at[i]);
}

void swarm_ask_potential(swarm_scene *s) {
    static potential_case c;
    memset(&c, 0, sizeof c);
    c.scene = s;
    c.body_count = s->body_count;
    c.query = toc_potential_query_default();
    c.query.distance = trial_between(&s->random, 0.2, 2);
    c.query.stiffness = trial_between(&s->random, 0.1, 10);
    c.query.rest = c.rest;
    place_bodies(&c);
    if (build_bodies(&c) != TOC_OK || find_near_pairs(&c) != TOC_OK)
        swarm_fail(s->counts, s->seed, "potential: %s", toc_message_get());
    else
        compare_differences(&c);
    toc_near_destroy(c.near);
    toc_scene_destroy(c.bodies);
}
