// SPDX-License-Identifier: Apache-2.0
// Clusters: up to CLUSTER_TETS tets of a part that lie close together in the bind pose, so that a search leaves them
// out at once.
//
// Tets are sorted by part and along a Morton curve; each run of them is a cluster. O(n).
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"

/// A tet in the order of its cluster.
typedef struct placed_tet {
    uint64_t key; // part, then place on the curve
    uint32_t tet;
} placed_tet;

/// Scratch memory of the division.
typedef struct cluster_maker {
    TOC_ARRAY(placed_tet) order, other;
    TOC_ARRAY(double) sums;     // by joint: weights in the present cluster
    TOC_ARRAY(uint32_t) marks;  // by vertex: the last cluster with it, plus one
    TOC_ARRAY(uint32_t) places; // by vertex: where it is in that cluster
} cluster_maker;

// Ten bits, two zeros between each.
static uint64_t spread_bits(uint32_t x) {
    uint64_t out = 0;
    for (int k = 0; k < 10; k++) out |= (uint64_t)(x >> k & 1) << 3 * k;
    return out;
}

static uint64_t curve_place(const double *x, const uint32_t v[4], const character_box *all, double extent) {
    uint64_t place = 0;
    for (int k = 0; k < 3; k++) {
        double mean = 0;
        for (int i = 0; i < 4; i++) mean += 0.25 * (x[3 * (size_t)v[i] + (size_t)k] - all->low[k]);
        const double at = extent > 0 ? 1023 * mean / extent : 0;
        place |= spread_bits(at > 0 ? at < 1023 ? (uint32_t)at : 1023 : 0) << k;
    }
    return place;
}

/// Sort by the keys, byte by byte from the lowest.
static void sort_placed(placed_tet *order, placed_tet *other, size_t count) {
    for (int shift = 0; shift < 64; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; i++) starts[(order[i].key >> shift & 255) + 1]++;
        for (int k = 0; k < 256; k++) starts[k + 1] += starts[k];
        for (size_t i = 0; i < count; i++) other[starts[order[i].key >> shift & 255]++] = order[i];
        memcpy(order, other, count * sizeof *order);
    }
}

static toc_status order_tets(toc_character *c, const character_body *b, cluster_maker *m) {
    character_box all = character_box_empty();
    double extent = 0;
    TOC_TRY(toc_array_room(&c->memory, &m->order, b->tet_count));
    TOC_TRY(toc_array_room(&c->memory, &m->other, b->tet_count));
    for (uint32_t v = b->first; v < b->first + b->count; v++) character_box_add(&all, c->bind.at + 3 * (size_t)v);
    for (int k = 0; k < 3; k++) extent = fmax(extent, all.high[k] - all.low[k]);
    for (uint32_t i = 0; i < b->tet_count; i++) {
        const character_tet *t = &c->tets.at[b->first_tet + i];
        const uint64_t place = curve_place(c->bind.at, t->v, &all, extent);
        m->order.at[i] = (placed_tet){(uint64_t)t->part << 32 | place, b->first_tet + i};
    }
    sort_placed(m->order.at, m->other.at, b->tet_count);
    return TOC_OK;
}

/// Add the corners of the last tet to its cluster.
static toc_status add_cluster_corners(toc_character *c, cluster_maker *m, const character_cluster *cluster) {
    const size_t at = c->cluster_tets.count - 1, most = c->cluster_vertices.count + 4;
    const uint32_t mark = (uint32_t)c->clusters.count;
    TOC_TRY(toc_array_room(&c->memory, &c->cluster_vertices, most));
    TOC_TRY(toc_array_room(&c->memory, &c->corner_gaps, most));
    TOC_TRY(toc_array_room(&c->memory, &c->corner_tets, most));
    TOC_TRY(toc_array_room(&c->memory, &c->cluster_corners, at + 1));
    for (int k = 0; k < 4; k++) {
        const uint32_t v = c->tets.at[c->cluster_tets.at[at]].v[k];
        if (m->marks.at[v] != mark) {
            m->marks.at[v] = mark;
            m->places.at[v] = (uint32_t)c->cluster_vertices.count;
            c->corner_tets.at[c->cluster_vertices.count] = 0;
            c->cluster_vertices.at[c->cluster_vertices.count++] = v;
        }
        c->corner_tets.at[m->places.at[v]] |= UINT32_C(1) << (at - cluster->first_tet);
        c->cluster_corners.at[at].at[k] = (uint8_t)(m->places.at[v] - cluster->first_vertex);
    }
    return TOC_OK;
}

/// The mean weights of the corners, joint by joint.
static toc_status take_mean_weights(toc_character *c, cluster_maker *m, character_cluster *cluster) {
    const double share = 1.0 / (cluster->end_vertex - cluster->first_vertex);
    cluster->first_weight = (uint32_t)c->cluster_weights.count;
    for (uint32_t i = cluster->first_vertex; i < cluster->end_vertex && cluster->body == 0; i++) {
        const uint32_t v = c->cluster_vertices.at[i];
        for (size_t k = v > 0 ? c->weight_ends.at[v - 1] : 0; k < c->weight_ends.at[v]; k++) {
            double *sum = &m->sums.at[c->weight_joints.at[k]];
            if (c->weights.at[k] == 0) continue;
            TOC_TRY(toc_array_reserve(&c->memory, &c->cluster_weights, 1));
            if (*sum == 0) c->cluster_weights.at[c->cluster_weights.count++].joint = c->weight_joints.at[k];
            *sum += share * c->weights.at[k];
        }
    }
    cluster->end_weight = (uint32_t)c->cluster_weights.count;
    for (uint32_t i = cluster->first_weight; i < cluster->end_weight; i++) {
        character_weight *w = &c->cluster_weights.at[i];
        w->weight = m->sums.at[w->joint];
        m->sums.at[w->joint] = 0;
    }
    return TOC_OK;
}

static toc_status add_cluster(toc_character *c, cluster_maker *m, size_t first, size_t end) {
    const character_tet *t = &c->tets.at[m->order.at[first].tet];
    TOC_TRY(toc_array_reserve(&c->memory, &c->clusters, 1));
    TOC_TRY(toc_array_reserve(&c->memory, &c->cluster_tets, end - first));
    character_cluster *cluster = &c->clusters.at[c->clusters.count++];
    *cluster = (character_cluster){.body = t->body,
                                   .part = t->part,
                                   .first_tet = (uint32_t)c->cluster_tets.count,
                                   .first_vertex = (uint32_t)c->cluster_vertices.count};
    for (size_t i = first; i < end; i++) {
        const uint32_t tet = m->order.at[i].tet;
        assert(c->tets.at[tet].part == cluster->part);
        c->cluster_tets.at[c->cluster_tets.count++] = tet;
        c->tets.at[tet].cluster = (uint32_t)c->clusters.count - 1;
        TOC_TRY(add_cluster_corners(c, m, cluster));
    }
    cluster->end_tet = (uint32_t)c->cluster_tets.count;
    cluster->end_vertex = (uint32_t)c->cluster_vertices.count;
    return take_mean_weights(c, m, cluster);
}

static toc_status divide_body(toc_character *c, const character_body *b, cluster_maker *m) {
    TOC_TRY(toc_array_room(&c->memory, &m->sums, c->joint_count));
    TOC_TRY(toc_array_room(&c->memory, &m->marks, c->vertex_count));
    TOC_TRY(toc_array_room(&c->memory, &m->places, c->vertex_count));
    TOC_TRY(order_tets(c, b, m));
    size_t first = 0;
    for (size_t i = 1; i <= b->tet_count; i++) {
        const placed_tet *order = m->order.at;
        if (i < b->tet_count && i - first < CLUSTER_TETS && order[i].key >> 32 == order[first].key >> 32) continue;
        TOC_TRY(add_cluster(c, m, first, i));
        first = i;
    }
    return TOC_OK;
}

toc_status toc_character_add_clusters(toc_character *c, uint32_t body) {
    cluster_maker m = {0};
    assert(body < c->bodies.count);
    const toc_status status = divide_body(c, &c->bodies.at[body], &m);
    toc_array_free(&c->memory, &m.order);
    toc_array_free(&c->memory, &m.other);
    toc_array_free(&c->memory, &m.sums);
    toc_array_free(&c->memory, &m.marks);
    toc_array_free(&c->memory, &m.places);
    return status;
}

void toc_character_blend_cluster(const toc_character *c, const character_cluster *cluster, const double *matrices,
                                 double out[12]) {
    memset(out, 0, 12 * sizeof *out);
    for (uint32_t i = cluster->first_weight; i < cluster->end_weight; i++) {
        const character_weight *w = &c->cluster_weights.at[i];
        for (int k = 0; k < 12; k++) out[k] += w->weight * matrices[12 * (size_t)w->joint + (size_t)k];
    }
}

void toc_character_place_cluster(toc_character *c, character_cluster *cluster) {
    const uint32_t *v = c->cluster_vertices.at;
    character_spots box = {c->grid.spots.at[v[cluster->first_vertex]], c->grid.spots.at[v[cluster->first_vertex]]};
    for (uint32_t i = cluster->first_vertex + 1; i < cluster->end_vertex; i++) {
        const character_spot s = c->grid.spots.at[v[i]];
        box = spots_join(box, (character_spots){s, s});
    }
    cluster->box = box;
}
