// SPDX-License-Identifier: Apache-2.0
// Vertices against all tets of a cluster: positions relative to the box of the cluster, 9 bits an axis and a guard bit
// above each, three axes in 32 bits. A vertex compares with the boxes of all tets in one loop without branches.
//
// Rounding down is monotone, as in spot.h, so a vertex in a tet is in its rounded box: no contact is lost. The coarser
// raster lets a few more pairs through to the exact test.
#include <assert.h>
#include <string.h>

#include "sim/character/character.h"

enum { PACKED_BITS = 9, PACKED_FIELD = PACKED_BITS + 1, PACKED_MOST = (1 << PACKED_BITS) - 1 };

static const uint32_t packed_guards = UINT32_C(1) << PACKED_BITS | UINT32_C(1) << (PACKED_FIELD + PACKED_BITS) |
                                      UINT32_C(1) << (2 * PACKED_FIELD + PACKED_BITS);

_Static_assert(CLUSTER_TETS <= 32, "a mask has a bit for each tet of a cluster");
_Static_assert(SPOT_BITS - PACKED_BITS + PACKED_BITS < SPOT_FIELD, "a shifted field stays below the next one");

/// A cluster in the present frame.
typedef struct packed_cluster {
    character_spot low;
    int shift;                                        // from the raster of all to that of the cluster
    uint32_t lows[CLUSTER_TETS], highs[CLUSTER_TETS]; // boxes of the tets; `highs` with guards
} packed_cluster;

/// The raster of a cluster: its box takes at most 2^PACKED_BITS steps along each axis.
static void begin_packed(character_spots box, packed_cluster *p) {
    uint32_t width = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t along = spot_get(box.high, k) - spot_get(box.low, k);
        width = along > width ? along : width;
    }
    p->low = box.low;
    p->shift = 0;
    while (width >> p->shift > PACKED_MOST) p->shift++;
}

// No field of the difference borrows from the next one: the spot is in the box of the cluster.
static uint32_t pack_spot(const packed_cluster *p, character_spot s) {
    const uint64_t at = (s - p->low) >> p->shift;
    const int gap = SPOT_FIELD - PACKED_FIELD;
    return (uint32_t)(at & PACKED_MOST) | (uint32_t)(at >> gap & (uint64_t)PACKED_MOST << PACKED_FIELD) |
           (uint32_t)(at >> 2 * gap & (uint64_t)PACKED_MOST << 2 * PACKED_FIELD);
}

/// The fields of a that are larger than those of b, all bits of each set.
static uint32_t larger_fields(uint32_t a, uint32_t b) {
    const uint32_t larger = ((a | packed_guards) - b) & packed_guards;
    return larger - (larger >> PACKED_BITS);
}

/// Pack the corners, remember them by vertex, and find the boxes of the tets.
static void pack_tets(toc_character *c, const character_cluster *cluster, packed_cluster *p) {
    character_grid *g = &c->grid;
    uint32_t spots[4 * CLUSTER_TETS], corners[4][CLUSTER_TETS];
    const uint32_t count = cluster->end_tet - cluster->first_tet;
    for (uint32_t i = cluster->first_vertex; i < cluster->end_vertex; i++) {
        const uint32_t v = c->cluster_vertices.at[i];
        spots[i - cluster->first_vertex] = pack_spot(p, g->spots.at[v]);
        g->corners.at[v] = (character_corner){g->corner_stamp, i};
    }
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) corners[k][i] = spots[c->cluster_corners.at[cluster->first_tet + i].at[k]];
    for (uint32_t i = count; i < CLUSTER_TETS; i++)
        for (int k = 0; k < 4; k++) corners[k][i] = 0;
    for (int i = 0; i < CLUSTER_TETS; i++) {
        const uint32_t a = corners[0][i], b = corners[1][i], d = corners[2][i], e = corners[3][i];
        const uint32_t ab = (a ^ b) & larger_fields(a, b), de = (d ^ e) & larger_fields(d, e);
        const uint32_t low0 = a ^ ab, high0 = b ^ ab, low1 = d ^ de, high1 = e ^ de;
        p->lows[i] = low0 ^ ((low0 ^ low1) & larger_fields(low0, low1));
        p->highs[i] = (high1 ^ ((high0 ^ high1) & larger_fields(high0, high1))) | packed_guards;
    }
    for (uint32_t i = count; i < CLUSTER_TETS; i++) { // unused lanes get empty boxes
        p->lows[i] = packed_guards - (packed_guards >> PACKED_BITS);
        p->highs[i] = packed_guards;
    }
}

/// The tets with a vertex in their boxes, as bits.
static uint32_t boxes_around(const packed_cluster *p, uint32_t spot) {
    static const uint32_t bits[32] = {1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                                      1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
                                      1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
                                      1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    const uint32_t above = spot | packed_guards;
    uint32_t mask = 0;
    for (int i = 0; i < CLUSTER_TETS; i++) {
        const uint32_t inside = (above - p->lows[i]) & (p->highs[i] - spot) & packed_guards;
        mask |= inside == packed_guards ? bits[i] : 0;
    }
    return mask;
}

static toc_status begin_corners(toc_character *c) {
    character_grid *g = &c->grid;
    TOC_TRY(toc_array_room(&c->memory, &g->corners, c->vertex_count));
    if (++g->corner_stamp > 0) return TOC_OK;
    memset(g->corners.at, 0, c->vertex_count * sizeof *g->corners.at);
    g->corner_stamp = 1;
    return TOC_OK;
}

toc_status toc_character_test_found(toc_character *c, character_cluster *cluster, size_t count) {
    const character_grid *g = &c->grid;
    packed_cluster p;
    uint32_t met = 0;
    const size_t inverted = c->inside_inverted;
    if (count == 0) return TOC_OK;
    TOC_TRY(begin_corners(c));
    begin_packed(cluster->box, &p);
    pack_tets(c, cluster, &p);
    for (size_t k = 0; k < count; k++) {
        const uint32_t v = g->found.at[k];
        assert(spot_is_in(g->spots.at[v], cluster->box));
        const character_corner *corner = &g->corners.at[v];
        uint32_t mask = boxes_around(&p, pack_spot(&p, g->spots.at[v]));
        met |= mask;
        if (corner->stamp == g->corner_stamp) mask &= ~c->corner_tets.at[corner->at];
        for (; mask; mask &= mask - 1)
            TOC_TRY(
                toc_character_grid_test(c, v, c->cluster_tets.at[cluster->first_tet + (uint32_t)__builtin_ctz(mask)]));
    }
    c->tested_tets += (size_t)__builtin_popcount(met);
    cluster->has_inverted = c->inside_inverted > inverted;
    return TOC_OK;
}
