// SPDX-License-Identifier: Apache-2.0
// Contacts that a search takes from the one before, within the solver: those of vertices and tets that did not move.
//
// A vertex in a tet stays one if neither moves by a bit, and a new one has moved, or its tet has. So a cluster whose
// corners all are where they were is searched for the vertices that moved, and only where such a vertex may be in its
// box: a table of coarse cells tells where none is. O(vertices + clusters).
#include <string.h>

#include "sim/character/character.h"

/// A coarse cell is four cells of the hash wide.
enum { COARSE_SHIFT = 10, MOST_COARSE = 64 };

_Static_assert((KEPT_CELLS & (KEPT_CELLS - 1)) == 0, "places in the table are masked");

static size_t coarse_place(uint32_t x, uint32_t y, uint32_t z) {
    return (x * UINT32_C(73856093) ^ y * UINT32_C(19349663) ^ z * UINT32_C(83492791)) & (KEPT_CELLS - 1);
}

static uint32_t coarse_at(character_spot s, int axis) { return spot_get(s, axis) >> COARSE_SHIFT; }

static void mark_vertex(toc_character *c, uint32_t v) {
    const character_spot s = c->grid.spots.at[v];
    const size_t at = coarse_place(coarse_at(s, 0), coarse_at(s, 1), coarse_at(s, 2));
    c->moved_cells[at / 64] |= UINT64_C(1) << at % 64;
}

/// Whether a vertex that moved may be in a box.
static bool is_moved_near(const toc_character *c, character_spots box) {
    uint32_t low[3], high[3], count = 1;
    for (int k = 0; k < 3; k++) {
        low[k] = coarse_at(box.low, k), high[k] = coarse_at(box.high, k);
        count *= high[k] - low[k] < MOST_COARSE ? high[k] - low[k] + 1 : MOST_COARSE;
    }
    if (count > MOST_COARSE) return true;
    for (uint32_t z = low[2]; z <= high[2]; z++)
        for (uint32_t y = low[1]; y <= high[1]; y++)
            for (uint32_t x = low[0]; x <= high[0]; x++) {
                const size_t at = coarse_place(x, y, z);
                if (c->moved_cells[at / 64] >> at % 64 & 1) return true;
            }
    return false;
}

static void find_moved(toc_character *c) {
    const double *x = c->x.at, *prior = c->flesh.prior.at;
    memset(c->moved_cells, 0, sizeof c->moved_cells);
    for (size_t v = 0; v < c->vertex_count; v++)
        c->has_moved.at[v] = memcmp(x + 3 * v, prior + 3 * v, 3 * sizeof *x) != 0;
    for (size_t i = 0; i < c->boundary.count; i++)
        if (c->has_moved.at[c->boundary.at[i]]) mark_vertex(c, c->boundary.at[i]);
}

/// Clusters with a vertex in an inverted tet are searched anew, so that these are counted.
static void find_kept_clusters(toc_character *c) {
    for (size_t i = 0; i < c->clusters.count; i++) {
        character_cluster *cluster = &c->clusters.at[i];
        bool rests = !cluster->has_inverted;
        for (uint32_t k = cluster->first_vertex; k < cluster->end_vertex && rests; k++)
            rests = !c->has_moved.at[c->cluster_vertices.at[k]];
        cluster->rests = rests;
    }
}

static void keep_still_hits(toc_character *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->hits.count; i++) {
        const character_hit hit = c->hits.at[i];
        if (c->clusters.at[c->tets.at[hit.tet].cluster].rests && !c->has_moved.at[hit.vertex]) c->hits.at[kept++] = hit;
    }
    c->hits.count = kept;
}

toc_status toc_character_keep(toc_character *c) {
    c->flesh.is_prior = false;
    if (!c->keeps) {
        c->hits.count = 0;
        for (size_t i = 0; i < c->clusters.count; i++) c->clusters.at[i].rests = false;
        return TOC_OK;
    }
    c->keeps = false; // until the caller says so again
    TOC_TRY(toc_array_room(&c->memory, &c->has_moved, c->vertex_count));
    find_moved(c);
    find_kept_clusters(c);
    keep_still_hits(c);
    return TOC_OK;
}

bool toc_character_is_kept(const toc_character *c, const character_cluster *cluster) {
    return cluster->rests && !is_moved_near(c, cluster->box);
}

size_t toc_character_keep_found(const toc_character *c, const character_cluster *cluster, uint32_t *found,
                                size_t count) {
    size_t kept = 0;
    if (!cluster->rests) return count;
    for (size_t i = 0; i < count; i++)
        if (c->has_moved.at[found[i]]) found[kept++] = found[i];
    return kept;
}
