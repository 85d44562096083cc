// SPDX-License-Identifier: Apache-2.0
// The reference pose of the safe rule: that of the first frame. For each cluster of the cage it lists the boundary
// vertices that are close there, with their distances. O(n) with the hash of that frame, once.
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"
#include "sim/core/vector.h"

/// Vertices further away than this are not listed: they are tested where they come into the box of the cluster.
static double near_reach(const toc_character *c) { return c->mean_edge; }

/// Squared distance between a point and a box.
static double box_distance2(const character_box *box, const double p[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double gap = fmax(fmax(box->low[k] - p[k], p[k] - box->high[k]), 0);
        sum += gap * gap;
    }
    return sum;
}

/// The distance between a vertex and the tets of a cluster that it is no corner of, or `most` if that is less.
static double cluster_gap(const toc_character *c, const character_cluster *cluster, uint32_t vertex, double most) {
    const double *x = c->reference.at, *p = x + 3 * (size_t)vertex;
    double best = most;
    for (uint32_t i = cluster->first_tet; i < cluster->end_tet && best > 0; i++) {
        const uint32_t *v = c->tets.at[c->cluster_tets.at[i]].v;
        const character_box box = character_tet_box(x, v);
        if (v[0] == vertex || v[1] == vertex || v[2] == vertex || v[3] == vertex) continue;
        if (box_distance2(&box, p) < best * best) best = fmin(best, toc_character_distance(p, x, v));
    }
    return best;
}

/// A gap in single precision that is surely there. Distances are off by roundings only, far below a millionth of an
/// edge.
static float sure_gap(const toc_character *c, const character_cluster *cluster, uint32_t vertex) {
    const double gap = cluster_gap(c, cluster, vertex, near_reach(c));
    return (float)fmax((1 - 0x1p-20) * gap - 0x1p-20 * c->mean_edge, 0);
}

static bool is_cluster_vertex(const toc_character *c, const character_cluster *cluster, uint32_t vertex) {
    for (uint32_t i = cluster->first_vertex; i < cluster->end_vertex; i++)
        if (c->cluster_vertices.at[i] == vertex) return true;
    return false;
}

static toc_status list_near(toc_character *c, character_cluster *cluster) {
    const double reach = near_reach(c);
    character_box box = character_box_empty();
    for (uint32_t i = cluster->first_vertex; i < cluster->end_vertex; i++) {
        const uint32_t v = c->cluster_vertices.at[i];
        character_box_add(&box, c->reference.at + 3 * (size_t)v);
        c->corner_gaps.at[i] = sure_gap(c, cluster, v);
    }
    for (int k = 0; k < 3; k++) box.low[k] -= reach, box.high[k] += reach;
    const size_t count = toc_character_grid_find(c, toc_character_grid_box(c, &box), c->grid.found.at);
    TOC_TRY(toc_array_reserve(&c->memory, &c->near, count));
    cluster->first_near = (uint32_t)c->near.count;
    for (size_t i = 0; i < count; i++) {
        const uint32_t v = c->grid.found.at[i];
        if (v >= c->bodies.at[0].count || is_cluster_vertex(c, cluster, v)) continue;
        const float gap = sure_gap(c, cluster, v);
        if (gap > 0) c->near.at[c->near.count++] = (character_near){v, gap};
    }
    cluster->end_near = (uint32_t)c->near.count;
    toc_character_blend_cluster(c, cluster, c->matrices.at, cluster->reference);
    return TOC_OK;
}

static void measure_reference(toc_character *c) {
    memset(c->reference_most, 0, sizeof c->reference_most);
    for (size_t i = 0; i < 3 * (size_t)c->bodies.at[0].count; i++)
        c->reference_most[i % 3] = fmax(c->reference_most[i % 3], fabs(c->reference.at[i]));
}

/// A pose that is crumpled, such as all vertices at one point, is no reference: everything is near everything.
static bool near_is_full(const toc_character *c) {
    enum { MOST_OF_TET = 100 };
    return c->near.count > MOST_OF_TET * (size_t)c->bodies.at[0].tet_count;
}

toc_status toc_character_take_reference(toc_character *c) {
    const size_t numbers = 3 * (size_t)c->bodies.at[0].count;
    TOC_TRY(toc_array_room(&c->memory, &c->reference, numbers));
    memcpy(c->reference.at, c->x.at, numbers * sizeof(double));
    measure_reference(c);
    c->near.count = 0;
    for (size_t i = 0; i < c->clusters.count && !near_is_full(c); i++)
        if (c->clusters.at[i].body == 0) TOC_TRY(list_near(c, &c->clusters.at[i]));
    c->has_reference = !near_is_full(c);
    return TOC_OK;
}
